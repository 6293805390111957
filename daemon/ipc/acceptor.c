/* Accepts connections. Calls accept4 itself on a polled descriptor instead of uv_listen: when descriptors run out,
 * libuv closes the waiting clients, while here they wait until one is free again. See acceptor.h. */
#include "ipc/acceptor.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/** Connections accepted in one loop iteration: bounds how long a burst of new clients delays the others. */
#define ACCEPT_BATCH 64
#define ACCEPT_RETRY_MS 100

struct acceptor {
    acceptor_settings settings;
    uv_poll_t poll;
    uv_timer_t retry;
    unsigned handles_open;
    bool complained; /* a warning was logged and no client was accepted since */
};

static void on_readable(uv_poll_t *poll, int status, int events);

static void ignore_sigpipe(void)
{
    struct sigaction action;

    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &action, NULL);
    }
}

static void on_retry(uv_timer_t *timer)
{
    acceptor *a = timer->data;

    if (uv_poll_start(&a->poll, UV_READABLE, on_readable) != 0)
        uv_timer_start(timer, on_retry, ACCEPT_RETRY_MS, 0);
}

static void pause_accepting(acceptor *a, int error)
{
    ++*a->settings.errors;
    if (!a->complained)
        LOG_WARNING(&a->settings.log, "cannot accept clients on %s: %s; new ones wait until it can", a->settings.name,
                    strerror(error));
    a->complained = true;
    if (uv_timer_start(&a->retry, on_retry, ACCEPT_RETRY_MS, 0) ==
        0) /* without a timer, keep polling: this retries at once */
        uv_poll_stop(&a->poll);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    acceptor *a = poll->data;

    (void)status; /* ignore epoll's flags: accept reports the same errors */
    (void)events;
    for (int i = 0; i < ACCEPT_BATCH && !uv_is_closing((uv_handle_t *)poll); i++) {
        int fd = accept4(a->settings.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            a->complained = false;
            a->settings.connection(a->settings.context, fd);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            pause_accepting(a, errno);
            return;
        }
    }
}

static void on_handle_closed(uv_handle_t *handle)
{
    acceptor *a = handle->data;

    if (--a->handles_open == 0)
        free(a);
}

int acceptor_open(const acceptor_settings *settings, acceptor **out_acceptor)
{
    acceptor *a = calloc(1, sizeof *a);
    int result = a ? uv_poll_init(settings->loop, &a->poll, settings->fd) : UV_ENOMEM;

    if (result != 0) {
        free(a);
        return result;
    }
    a->settings = *settings;
    a->poll.data = a->retry.data = a;
    a->handles_open = 1;
    result = uv_timer_init(settings->loop, &a->retry);
    if (result != 0) {
        uv_close((uv_handle_t *)&a->poll, on_handle_closed);
        return result;
    }
    a->handles_open = 2;
    result = uv_poll_start(&a->poll, UV_READABLE, on_readable);
    if (result != 0) {
        acceptor_close(a);
        return result;
    }
    ignore_sigpipe();
    *out_acceptor = a;
    return 0;
}

void acceptor_close(acceptor *a)
{
    if (!a)
        return;
    uv_close((uv_handle_t *)&a->poll, on_handle_closed);
    uv_close((uv_handle_t *)&a->retry, on_handle_closed);
}
