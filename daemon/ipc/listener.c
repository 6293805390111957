/* The Unix socket's listener: takes the path, then checks each client's user. See listener.h. */
#include "ipc/listener.h"
#include "ipc/acceptor.h"
#include "ipc/socket_path.h"
#include "log_throttle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct listener {
    listener_settings settings;
    char *path;
    socket_path_hold hold;
    acceptor *acceptor;
    listener_counters counters;
    log_throttle refused;
};

static bool is_one_of_us(listener *l, int fd)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;
    char who[32];

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0))
        return true;
    l->counters.refused_user++;
    snprintf(who, sizeof who, "pid %ld", (long)peer.pid);
    log_throttle_warn(&l->refused, &l->settings.log, uv_now(l->settings.loop), who,
                      "refused a client of user %lu (pid %ld) on %s: expected user %lu or root",
                      (unsigned long)peer.uid, (long)peer.pid, l->path, (unsigned long)geteuid());
    return false;
}

static void on_connection(void *context, int fd)
{
    listener *l = context;

    if (!is_one_of_us(l, fd)) {
        close(fd);
        return;
    }
    l->counters.accepted++;
    l->settings.connection(l->settings.context, fd);
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

/* Do not lock a socket that was passed in: clashd must not remove it, and a second clashd finds that it is alive. */
static listener_result take_path(listener *l, failure *out_failure)
{
    if (l->settings.passed_fd == 0)
        return result_of(socket_path_take(l->path, l->settings.make_directory, &l->hold, out_failure));
    l->hold = (socket_path_hold){.fd = l->settings.passed_fd, .lock_fd = -1};
    return LISTENER_OK;
}

static int start_accepting(listener *l)
{
    const acceptor_settings settings = {.loop = l->settings.loop,
                                        .fd = l->hold.fd,
                                        .name = l->path,
                                        .errors = &l->counters.accept_errors,
                                        .log = l->settings.log,
                                        .context = l,
                                        .connection = on_connection};

    return acceptor_open(&settings, &l->acceptor);
}

listener_result listener_open(const listener_settings *settings, listener **out_listener, failure *out_failure)
{
    listener *l = calloc(1, sizeof *l);
    listener_result result;
    int error;

    if (!l || !(l->path = strdup(settings->path))) {
        free(l);
        fail_with(out_failure, "cannot listen on %s: out of memory", settings->path);
        return LISTENER_ERROR;
    }
    l->settings = *settings;
    result = take_path(l, out_failure);
    if (result != LISTENER_OK) {
        listener_free(l);
        return result;
    }
    error = start_accepting(l);
    if (error != 0) {
        fail_with(out_failure, "cannot listen on %s: %s", l->path, uv_strerror(error));
        socket_path_release(l->path, &l->hold);
        listener_free(l);
        return LISTENER_ERROR;
    }
    *out_listener = l;
    return LISTENER_OK;
}

const listener_counters *listener_get_counters(const listener *l)
{
    return &l->counters;
}

/* May be called within on_connection: the acceptor is freed only when the loop next runs. */
void listener_close(listener *l)
{
    if (!l)
        return;
    acceptor_close(l->acceptor);
    socket_path_release(l->path, &l->hold);
    listener_free(l);
}
