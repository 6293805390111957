/* Accepts connections on a listening socket of any address family and passes them on. Pauses when the system is out of
 * descriptors: clients then wait instead of being closed. Does not decide which clients are allowed. */
#ifndef CLASHD_IPC_ACCEPTOR_H
#define CLASHD_IPC_ACCEPTOR_H

#include "ports/log.h"

#include <stdint.h>
#include <uv.h>

typedef struct acceptor acceptor;

typedef struct acceptor_settings {
    uv_loop_t *loop;
    int fd;           /* listening, non-blocking; owned by the caller, which closes it after acceptor_close */
    const char *name; /* for the log; must outlive the acceptor's last callback */
    uint64_t *errors; /* incremented each time accepting pauses; same lifetime */
    logger log;
    void *context;
    /** The callee owns fd, which is non-blocking and close-on-exec. It may close the acceptor. */
    void (*connection)(void *context, int fd);
} acceptor_settings;

/** Start accepting. Also ignores SIGPIPE if it still has its default action. Return 0, or libuv's error. */
int acceptor_open(const acceptor_settings *settings, acceptor **out_acceptor);
/** Stop at once; the memory is freed when the loop next runs. Accepts NULL. */
void acceptor_close(acceptor *a);

#endif
