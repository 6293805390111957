/* The signals that end the daemon: the first asks it to stop, a second does what it does by default. SIGHUP may mean
 * something else. */
#ifndef CLASHD_SERVICE_SIGNALS_H
#define CLASHD_SERVICE_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

#define APP_SIGNALS_COUNT 3

typedef struct app_signals_listener {
    void *context;
    void (*stop)(void *context, int number);
    /** Do what SIGHUP asks for. Return false if it asks for nothing: then it stops the daemon too. */
    bool (*hangup)(void *context);
} app_signals_listener;

typedef struct app_signals {
    uv_signal_t handles[APP_SIGNALS_COUNT]; /* SIGINT, SIGTERM, SIGHUP */
    size_t open;
    app_signals_listener listener;
} app_signals;

/** Catch them, and ignore SIGPIPE: a client that goes is an error code, not the end. Return 0, or -1 if libuv refuses;
 *  call app_signals_close in either case. */
int app_signals_open(app_signals *signals, uv_loop_t *loop, const app_signals_listener *listener);
/** Keep catching them, but do not keep the loop alive. */
void app_signals_unref(app_signals *signals);
/** Restore their defaults. Idempotent; the memory is free once the loop has run. */
void app_signals_close(app_signals *signals);
/** The same, but from now on they do nothing: for the last moments of a process that is done. */
void app_signals_finish(app_signals *signals);

#endif
