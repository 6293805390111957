/* The signals that end the daemon: the first asks it to stop, a second does what it does by default. SIGHUP may mean
 * something else. */
#ifndef CLASHD_SERVICE_SIGNALS_H
#define CLASHD_SERVICE_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

#define SIGNALS_COUNT 3

typedef struct signals_listener {
    void *context;
    void (*stop)(void *context, int number);
    /** Do what SIGHUP asks for. Return false if it asks for nothing: then it stops the daemon too. */
    bool (*hangup)(void *context);
} signals_listener;

typedef struct service_signals {
    uv_signal_t handles[SIGNALS_COUNT]; /* SIGINT, SIGTERM, SIGHUP */
    size_t open;
    signals_listener listener;
} service_signals;

/** Catch them, and ignore SIGPIPE: a client that goes is an error code, not the end. Return 0, or -1 if libuv refuses;
 *  call signals_close in either case. */
int signals_open(service_signals *signals, uv_loop_t *loop, const signals_listener *listener);
/** Keep catching them, but do not keep the loop alive. */
void signals_unref(service_signals *signals);
/** Restore their defaults. Idempotent; the memory is free once the loop has run. */
void signals_close(service_signals *signals);
/** The same, but from now on they do nothing: for the last moments of a process that is done. */
void signals_finish(service_signals *signals);

/** Return whether the terminal on which the process was started still exists. */
bool signals_have_terminal(void);

#endif
