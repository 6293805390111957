/* See broker_leave.h. libmosquitto closes its socket as soon as it has written DISCONNECT; a copy of the descriptor keeps the connection. */
#include "broker_leave.h"

#include <errno.h>
#include <fcntl.h>
#include <mqtt_protocol.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Read in one turn of the loop: others wait for it. */
#define READ_AT_ONCE 16

typedef struct leave {
    struct mosquitto *mosq; /* NULL: all is written */
    int fd;
    uv_poll_t poll;
    uv_timer_t timer;
} leave;

/* Of the loop's thread. */
static size_t going;

bool broker_leave_is_going(void)
{
    return going > 0;
}

static void on_timer_closed(uv_handle_t *timer)
{
    leave *l = timer->data;

    close(l->fd);
    free(l);
    going--;
}

static void on_poll_closed(uv_handle_t *poll)
{
    leave *l = poll->data;

    uv_close((uv_handle_t *)&l->timer, on_timer_closed);
}

static void end(leave *l)
{
    if (uv_is_closing((uv_handle_t *)&l->poll))
        return;
    if (l->mosq)
        mosquitto_destroy(l->mosq);
    l->mosq = NULL;
    uv_close((uv_handle_t *)&l->poll, on_poll_closed);
}

static void on_late(uv_timer_t *timer)
{
    end(timer->data);
}

/* Return whether the broker may say more. What it says is nothing to anybody. */
static bool read_away(int fd)
{
    static char ignored[16384];

    for (int i = 0; i < READ_AT_ONCE; i++) {
        const ssize_t length = recv(fd, ignored, sizeof ignored, MSG_DONTWAIT);

        if (length <= 0)
            return length < 0 && (errno == EAGAIN || errno == EINTR);
    }
    return true;
}

static void on_poll(uv_poll_t *poll, int status, int events);

/* Once DISCONNECT is written libmosquitto has no socket any more. */
static void go_on(leave *l)
{
    if (l->mosq && mosquitto_socket(l->mosq) < 0) {
        mosquitto_destroy(l->mosq);
        l->mosq = NULL;
        shutdown(l->fd, SHUT_WR);
    }
    if (uv_poll_start(&l->poll, UV_READABLE | (l->mosq ? UV_WRITABLE : 0), on_poll) != 0)
        end(l);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    leave *l = poll->data;

    if (status < 0 || ((events & UV_READABLE) && !read_away(l->fd))) {
        end(l);
        return;
    }
    if (l->mosq && (events & UV_WRITABLE))
        mosquitto_loop_write(l->mosq, 1);
    go_on(l);
}

/* Return false if there is no memory or descriptor for it. */
static bool begin(uv_loop_t *loop, struct mosquitto *mosq, int fd)
{
    leave *l = calloc(1, sizeof *l);

    if (!l)
        return false;
    l->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (l->fd < 0 || uv_poll_init(loop, &l->poll, l->fd) != 0) {
        if (l->fd >= 0)
            close(l->fd);
        free(l);
        return false;
    }
    going++;
    l->mosq = mosq;
    l->poll.data = l->timer.data = l;
    uv_timer_init(loop, &l->timer);
    uv_timer_start(&l->timer, on_late, BROKER_LEAVE_MS, 0);
    go_on(l);
    return true;
}

void broker_leave(uv_loop_t *loop, struct mosquitto *mosq, int fd)
{
    mosquitto_connect_v5_callback_set(mosq, NULL);
    mosquitto_disconnect_v5_callback_set(mosq, NULL);
    mosquitto_publish_v5_callback_set(mosq, NULL);
    mosquitto_message_v5_callback_set(mosq, NULL);
    mosquitto_subscribe_v5_callback_set(mosq, NULL);
    mosquitto_log_callback_set(mosq, NULL);
    mosquitto_disconnect_v5(mosq, MQTT_RC_NORMAL_DISCONNECTION, NULL);
    if (!begin(loop, mosq, fd))
        mosquitto_destroy(mosq);
}
