/* Accepting. Own accept4 on a polled descriptor rather than uv_listen: libuv answers want of descriptors by closing the
 * clients that wait, while here they wait until there is room again. See listener.h. */
#include "ipc/listener.h"
#include "ipc/socket_path.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** Accepted in one turn of the loop, so that a crowd of new clients holds up nobody else. */
#define ACCEPT_BATCH 64
#define ACCEPT_RETRY_MS 100

struct listener {
    listener_settings settings;
    char *path;
    socket_path_hold hold;
    uv_poll_t poll;
    uv_timer_t retry;
    unsigned handles_open;
    bool complained; /* of the want that accepting waits for */
    listener_counters counters;
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
    listener *l = timer->data;

    uv_poll_start(&l->poll, UV_READABLE, on_readable);
}

static void pause_accepting(listener *l, int error)
{
    l->counters.accept_errors++;
    if (!l->complained)
        LOG_WARNING(&l->settings.log, "cannot accept clients on %s: %s; new ones wait until it can", l->path,
                    strerror(error));
    l->complained = true;
    uv_poll_stop(&l->poll);
    uv_timer_start(&l->retry, on_retry, ACCEPT_RETRY_MS, 0);
}

/* The mode keeps others out already; this also holds for a socket whose mode somebody has widened. */
static bool is_one_of_us(listener *l, int fd)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0))
        return true;
    l->counters.refused_user++;
    LOG_WARNING(&l->settings.log, "refused a client of user %lu (pid %ld) on %s: expected user %lu or root",
                (unsigned long)peer.uid, (long)peer.pid, l->path, (unsigned long)geteuid());
    return false;
}

static void take_client(listener *l, int fd)
{
    l->complained = false;
    if (!is_one_of_us(l, fd)) {
        close(fd);
        return;
    }
    l->counters.accepted++;
    l->settings.connection(l->settings.context, fd);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    listener *l = poll->data;

    (void)status; /* whatever epoll has to say, accept says it too */
    (void)events;
    for (int i = 0; i < ACCEPT_BATCH && !uv_is_closing((uv_handle_t *)poll); i++) {
        int fd = accept4(l->hold.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            take_client(l, fd);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            pause_accepting(l, errno);
            return;
        }
    }
}

static listener_result result_of(socket_path_result result)
{
    switch (result) {
    case SOCKET_PATH_OK:
        return LISTENER_OK;
    case SOCKET_PATH_BUSY:
        return LISTENER_BUSY;
    case SOCKET_PATH_BAD:
        return LISTENER_BAD;
    case SOCKET_PATH_ERROR:
        break;
    }
    return LISTENER_ERROR;
}

static void listener_free(listener *l)
{
    free(l->path);
    free(l);
}

static void on_handle_closed(uv_handle_t *handle)
{
    listener *l = handle->data;

    if (--l->handles_open == 0)
        listener_free(l);
}

static int start_polling(listener *l)
{
    int result = uv_poll_init(l->settings.loop, &l->poll, l->hold.fd);

    if (result != 0)
        return result;
    uv_timer_init(l->settings.loop, &l->retry);
    l->poll.data = l->retry.data = l;
    l->handles_open = 2;
    result = uv_poll_start(&l->poll, UV_READABLE, on_readable);
    assert(result == 0); /* it only fails on a closing handle */
    return result;
}

listener_result listener_open(const listener_settings *settings, listener **out_listener, char *out_error,
                              size_t error_size)
{
    listener *l = calloc(1, sizeof *l);
    listener_result result;
    int error;

    if (!l || !(l->path = strdup(settings->path))) {
        free(l);
        snprintf(out_error, error_size, "cannot listen on %s: out of memory", settings->path);
        return LISTENER_ERROR;
    }
    l->settings = *settings;
    result = result_of(socket_path_take(l->path, settings->make_directory, &l->hold, out_error, error_size));
    if (result != LISTENER_OK) {
        listener_free(l);
        return result;
    }
    error = start_polling(l);
    if (error != 0) {
        snprintf(out_error, error_size, "cannot listen on %s: %s", l->path, uv_strerror(error));
        socket_path_release(l->path, &l->hold);
        listener_free(l);
        return LISTENER_ERROR;
    }
    ignore_sigpipe();
    *out_listener = l;
    return LISTENER_OK;
}

const listener_counters *listener_get_counters(const listener *l)
{
    return &l->counters;
}

void listener_close(listener *l)
{
    if (!l)
        return;
    uv_close((uv_handle_t *)&l->poll, on_handle_closed);
    uv_close((uv_handle_t *)&l->retry, on_handle_closed);
    socket_path_release(l->path, &l->hold);
}
