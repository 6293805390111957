/* See mqtt_helper.h. */
#include "mqtt_helper.h"

#include "platform/helper_place.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ALIVE_MS 1000
/* Signs of life until a process that has closed its socket is killed. */
#define END_TICKS 2
/* Bytes that wait for the socket: with more nothing is sent. */
#define PENDING_MAX ((size_t)1 << 20)
/* How many frames are taken in one turn of the loop, in which all others wait. */
#define TAKEN_AT_ONCE 64

struct mqtt_helper {
    mqtt_helper_user user; /* zeroed once released */
    uv_process_t process;
    uv_poll_t poll;
    uv_timer_t timer;
    unsigned open; /* of these */
    int fd;
    bool is_over;     /* nothing more comes */
    bool is_nonsense; /* what came was no frame */
    bool is_released;
    unsigned ticks; /* since it is over */
    char *pending;
    size_t pending_length, pending_size;
    mqtt_reader reader;
};

/* Of the loop's thread: released, and not ended. */
static size_t going;

bool mqtt_helper_is_going(void)
{
    return going > 0;
}

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle)
{
    mqtt_helper *h = handle->data;

    if (--h->open > 0)
        return;
    going -= h->is_released;
    if (h->fd >= 0)
        close(h->fd);
    mqtt_reader_close(&h->reader);
    free(h->pending);
    free(h);
}

static void close_all(mqtt_helper *h)
{
    uv_handle_t *const all[] = {(uv_handle_t *)&h->poll, (uv_handle_t *)&h->timer, (uv_handle_t *)&h->process};

    h->open = h->process.loop ? 3 : 2; /* a process is a handle once it was tried to start */
    for (unsigned i = 0, count = h->open; i < count; i++)
        uv_close(all[i], on_closed);
}

static void stop_reading(mqtt_helper *h)
{
    h->is_over = true;
    uv_poll_stop(&h->poll);
}

/* Return false if nothing more can be read now. */
static bool take_frame(mqtt_helper *h)
{
    const char *topic, *payload;
    mqtt_frame frame;
    const int result = mqtt_reader_next(&h->reader, &frame, &topic, &payload);

    if (result == 1 && frame.kind >= MQTT_FRAME_LOG) {
        if (h->user.frame)
            h->user.frame(h->user.context, &frame, topic, payload);
        mqtt_reader_drop(&h->reader);
        return true;
    }
    if (result == 0)
        return false;
    h->is_nonsense = true;
    stop_reading(h);
    uv_process_kill(&h->process, SIGKILL);
    return false;
}

/* Return whether more may have come. */
static bool receive(mqtt_helper *h)
{
    for (int i = 0; i < TAKEN_AT_ONCE; i++) {
        int result;

        if (take_frame(h))
            continue;
        if (h->is_over)
            return false;
        result = mqtt_reader_fill(&h->reader, h->fd);
        if (result < 0)
            stop_reading(h);
        if (result <= 0)
            return false;
    }
    return true;
}

static void explain(const mqtt_helper *h, int64_t code, int number, char *out, size_t size)
{
    const char *program = "the process that talks to the broker, " MQTT_HELPER_NAME ",";

    if (h->is_nonsense)
        snprintf(out, size, "%s sent nonsense and was ended", program);
    else if (!number && code == 127) /* the dynamic linker's */
        snprintf(out, size, "%s cannot be run: is libmosquitto installed?", program);
    else if (number)
        snprintf(out, size, "%s crashed: %s", program, strsignal(number));
    else
        snprintf(out, size, "%s ended with exit code %d", program, (int)code);
}

/* What it sent last is still on its way. */
static void on_exit_of_process(uv_process_t *process, int64_t code, int number)
{
    mqtt_helper *h = process->data;
    char why[200];

    while (!h->is_over && receive(h))
        continue;
    explain(h, code, number, why, sizeof why);
    if (h->user.ended)
        h->user.ended(h->user.context, why);
    close_all(h);
}

static void on_tick(uv_timer_t *timer)
{
    const mqtt_frame alive = {.kind = MQTT_FRAME_ALIVE};
    mqtt_helper *h = timer->data;

    if (!h->is_over && !h->is_released)
        mqtt_helper_send(h, &alive, NULL, NULL);
    else if (h->is_released || ++h->ticks >= END_TICKS)
        uv_process_kill(&h->process, SIGKILL);
}

/* ---- what goes and comes ---- */

static void on_poll(uv_poll_t *poll, int status, int events);

static void watch(mqtt_helper *h)
{
    if (!h->is_over)
        uv_poll_start(&h->poll, UV_READABLE | (h->pending_length > 0 ? UV_WRITABLE : 0), on_poll);
}

static void flush(mqtt_helper *h)
{
    while (h->pending_length > 0) {
        const ssize_t sent = send(h->fd, h->pending, h->pending_length, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            break; /* what else is wrong shows in reading */
        memmove(h->pending, h->pending + sent, h->pending_length - (size_t)sent);
        h->pending_length -= (size_t)sent;
    }
    watch(h);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    mqtt_helper *h = poll->data;

    if (status < 0) {
        stop_reading(h);
        return;
    }
    if (events & UV_WRITABLE)
        flush(h);
    if (events & UV_READABLE)
        receive(h);
}

/* Return false if there is no memory for it. */
static bool reserve(mqtt_helper *h, size_t size)
{
    char *grown;

    if (h->pending_length + size <= h->pending_size)
        return true;
    grown = realloc(h->pending, h->pending_length + size);
    if (!grown)
        return false;
    h->pending = grown;
    h->pending_size = h->pending_length + size;
    return true;
}

bool mqtt_helper_send(mqtt_helper *h, const mqtt_frame *frame, const char *topic, const char *payload)
{
    const size_t size = mqtt_frame_size(frame);
    ssize_t sent = 0;

    if (h->is_over || h->pending_length > PENDING_MAX || !reserve(h, size))
        return false;
    if (h->pending_length == 0)
        sent = mqtt_frame_send(h->fd, frame, topic, payload, false);
    if (sent < 0)
        return false;
    if ((size_t)sent == size)
        return true;
    mqtt_frame_write(frame, topic, payload, h->pending + h->pending_length);
    h->pending_length += size;
    memmove(h->pending, h->pending + sent, h->pending_length - (size_t)sent);
    h->pending_length -= (size_t)sent;
    watch(h);
    return true;
}

bool mqtt_helper_is_empty(const mqtt_helper *h)
{
    return h->pending_length == 0;
}

void mqtt_helper_release(mqtt_helper *h)
{
    const mqtt_frame leave = {.kind = MQTT_FRAME_CLOSE};

    h->user = (mqtt_helper_user){0};
    if (!mqtt_helper_send(h, &leave, NULL, NULL))
        uv_process_kill(&h->process, SIGKILL);
    h->is_released = true;
    going++;
    uv_ref((uv_handle_t *)&h->process);
    uv_timer_start(&h->timer, on_tick, MQTT_LEAVE_MS, 0);
}

/* ---- the start ---- */

/* Keep what is preloaded into clashd, such as a game's overlay, from the helper. Return NULL when out of memory. */
static char **make_environment(void)
{
    static const char preload[] = "LD_PRELOAD=";
    size_t count = 0, kept = 0;
    char **made;

    while (environ[count])
        count++;
    made = (char **)calloc(count + 1, sizeof(char *));
    for (size_t i = 0; made && i < count; i++)
        if (strncmp(environ[i], preload, sizeof preload - 1) != 0)
            made[kept++] = environ[i];
    return made;
}

static int spawn(uv_loop_t *loop, mqtt_helper *h, const char *path, int fd)
{
    uv_stdio_container_t stdio[] = {
        {.flags = UV_INHERIT_FD, .data.fd = fd},
        {.flags = UV_IGNORE},
        {.flags = UV_INHERIT_FD, .data.fd = 2},
    };
    char *arguments[] = {(char *)(uintptr_t)path, NULL};
    const uv_process_options_t options = {
        .exit_cb = on_exit_of_process,
        .file = path,
        .args = arguments,
        .env = make_environment(),
        .flags = UV_PROCESS_DETACHED, /* the terminal's keys are not for it */
        .stdio_count = 3,
        .stdio = stdio,
    };
    const int error = options.env ? uv_spawn(loop, &h->process, &options) : UV_ENOMEM;

    free((void *)options.env);
    return error;
}

/* Open all but the process. Return 0, or a negative error of libuv. */
static int open_all(uv_loop_t *loop, mqtt_helper *h, int *out_theirs)
{
    int ends[2], error;

    if (mqtt_reader_open(&h->reader) != 0)
        return UV_ENOMEM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -errno;
    h->fd = ends[0];
    *out_theirs = ends[1];
    uv_timer_init(loop, &h->timer); /* fills a struct and cannot fail */
    error = uv_poll_init(loop, &h->poll, h->fd);
    if (error != 0)
        return error;
    h->poll.data = h->timer.data = h->process.data = h;
    return 0;
}

static void unref_all(mqtt_helper *h)
{
    uv_unref((uv_handle_t *)&h->process);
    uv_unref((uv_handle_t *)&h->poll);
    uv_unref((uv_handle_t *)&h->timer);
}

static void free_unopened(mqtt_helper *h, int theirs)
{
    if (h->fd >= 0)
        close(h->fd);
    if (theirs >= 0)
        close(theirs);
    mqtt_reader_close(&h->reader);
    free(h);
}

mqtt_helper *mqtt_helper_start(uv_loop_t *loop, const mqtt_opening *opening, const mqtt_helper_user *user,
                               failure *out_failure)
{
    const mqtt_frame open = {.kind = MQTT_FRAME_OPEN, .payload_length = sizeof *opening};
    mqtt_helper *h = calloc(1, sizeof *h);
    char path[PATH_MAX] = MQTT_HELPER_NAME;
    int theirs = -1, error = UV_ENOMEM;

    if (h) {
        h->fd = -1;
        error = open_all(loop, h, &theirs);
    }
    if (error != 0) {
        fail_with(out_failure, "%s", uv_strerror(error));
        if (h)
            free_unopened(h, theirs);
        return NULL;
    }
    h->user = *user;
    if (helper_place(MQTT_HELPER_NAME, MQTT_HELPER_VARIABLE, "sinks/mqtt/helper", path, sizeof path) != 0)
        error = -errno;
    else
        error = spawn(loop, h, path, theirs);
    close(theirs);
    if (error != 0) {
        fail_with(out_failure, "%.256s cannot be started: %s", path, uv_strerror(error));
        h->user = (mqtt_helper_user){0};
        close_all(h);
        return NULL;
    }
    unref_all(h);
    watch(h);
    uv_timer_start(&h->timer, on_tick, ALIVE_MS, ALIVE_MS);
    mqtt_helper_send(h, &open, NULL, (const char *)opening);
    return h;
}
