/* The signals that end the daemon: the first asks it to stop, the second one of them does what it does by default. SIGHUP may
 * mean something else. */
#ifndef CLASHD_SERVICE_SIGNALS_H
#define CLASHD_SERVICE_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

#define APP_SIGNALS_COUNT 3

typedef struct app_signals_listener {
    void *context;
    void (*stop)(void *context, int number);
    /** Returns whether it has done what SIGHUP asks for; else SIGHUP stops too. */
    bool (*hangup)(void *context);
} app_signals_listener;

typedef struct app_signals {
    uv_signal_t handles[APP_SIGNALS_COUNT]; /* SIGINT, SIGTERM, SIGHUP */
    size_t open;
    app_signals_listener listener;
} app_signals;

/** Also ignores SIGPIPE: a client that goes is an error code, not the end. 0, or -1 if libuv refuses; what is open
 *  then is closed by app_signals_close all the same. */
int app_signals_open(app_signals *signals, uv_loop_t *loop, const app_signals_listener *listener);
/** Still caught, but no longer a reason for the loop to go on. */
void app_signals_unref(app_signals *signals);
/** They have their defaults again. Idempotent; the memory is free when the loop has run. */
void app_signals_close(app_signals *signals);
/** The same, but from now on none of them does anything: for the last moments of a process that is done. */
void app_signals_finish(app_signals *signals);

#endif
