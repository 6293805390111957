/* Accepts connections on a listening socket of any family and hands them over; pauses when the system is out of
 * descriptors: clients then wait instead of being cut off. Does not know who may come in. */
#ifndef CLASHD_IPC_ACCEPTOR_H
#define CLASHD_IPC_ACCEPTOR_H

#include "ports/log.h"

#include <stdint.h>
#include <uv.h>

typedef struct acceptor acceptor;

typedef struct acceptor_settings {
    uv_loop_t *loop;
    int fd;           /* listening, non-blocking; stays the caller's, who closes it after acceptor_close */
    const char *name; /* for the log; outlives the acceptor's last call */
    uint64_t *errors; /* counts the times that accepting had to pause; likewise */
    logger log;
    void *context;
    /** The callee owns fd, which is non-blocking and close-on-exec; it may close the acceptor. */
    void (*connection)(void *context, int fd);
} acceptor_settings;

/** Accept from now on; also make SIGPIPE ignored if it still has its default. Return 0, or libuv's error. */
int acceptor_open(const acceptor_settings *settings, acceptor **out_acceptor);
/** Stop at once; the memory goes when the loop next runs. Accepts NULL. */
void acceptor_close(acceptor *a);

#endif
