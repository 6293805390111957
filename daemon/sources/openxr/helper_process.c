/* The life of the process that runs the OpenXR runtime; see helper_process.h. */
#include "helper_process.h"
#include "helper_descriptors.h"

#include <errno.h>
#include <signal.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The process sends a sign of life every second. Count ticks rather than time: if clashd itself was stopped, it had no
 * ticks either. */
#define TICK_MS 1000
#define SILENT_TICKS 4
#define KILL_TICKS 15
#define REAP_TICKS 5
#define BUFFER_SIZE 16384

struct xr_process {
    xr_process_user user; /* zeroed once let go */
    uv_process_t process;
    uv_poll_t wire, output;
    uv_timer_t timer;
    uv_handle_t *open[4]; /* handles, */
    unsigned open_count;  /* of which so many are open */
    xr_descriptors descriptors;
    bool has_exited, is_killed, has_ended, is_silent, wire_is_over;
    bool has_emptied; /* the socket, when it last read */
    bool is_held;     /* messages are left in the buffer and the socket */
    int64_t exit_code;
    int exit_signal;
    unsigned ticks; /* since its last message, or since it was killed */
    size_t filled;
    alignas(xr_message) unsigned char buffer[BUFFER_SIZE];
};

/* ---- the end ---- */

static void forget(xr_process *p)
{
    xr_descriptors_close(&p->descriptors);
    free(p);
}

static void on_closed(uv_handle_t *handle)
{
    xr_process *p = handle->data;

    if (--p->open_count == 0)
        forget(p);
}

/* The process sees the end of the socket at once; nothing else ends it earlier. */
void xr_process_release(xr_process *p)
{
    unsigned count;

    if (!p)
        return;
    p->user = (xr_process_user){0};
    shutdown(p->descriptors.wire[0], SHUT_RDWR);
    count = p->open_count;
    for (unsigned i = 0; i < count; i++)
        uv_close(p->open[i], on_closed);
}

static void kill_process(xr_process *p)
{
    if (p->is_killed || p->has_exited)
        return;
    p->is_killed = true;
    p->ticks = 0;
    uv_process_kill(&p->process, SIGKILL);
}

static void receive_all(xr_process *p);

static void end(xr_process *p, xr_end how, int number)
{
    if (p->has_ended || !p->user.ended)
        return;
    p->has_ended = true;
    uv_timer_stop(&p->timer);
    p->user.ended(p->user.context, how, number);
}

/* Read first what the process sent last: it is still on its way. */
static void on_exit_of_process(uv_process_t *process, int64_t code, int number)
{
    xr_process *p = process->data;

    p->has_exited = true;
    p->exit_code = code;
    p->exit_signal = number;
    receive_all(p);
    if (p->is_killed)
        end(p, XR_END_KILLED, SIGKILL);
    else if (number)
        end(p, XR_END_SIGNAL, number);
    else
        end(p, XR_END_EXIT, (int)code);
}

static void on_tick(uv_timer_t *timer)
{
    xr_process *p = timer->data;

    p->ticks++;
    if (p->is_killed && p->ticks >= REAP_TICKS) {
        end(p, XR_END_NEVER, 0);
        return;
    }
    if (p->is_killed)
        return;
    if (p->ticks == SILENT_TICKS && !p->is_silent) {
        p->is_silent = true;
        p->user.silent(p->user.context, true);
    } else if (p->ticks >= KILL_TICKS || (p->wire_is_over && p->ticks > 1)) {
        kill_process(p);
    }
}

bool xr_process_is_gone(const xr_process *p)
{
    return p->has_exited;
}

/* ---- what it says ---- */

static void note_life(xr_process *p)
{
    p->ticks = 0;
    if (!p->is_silent)
        return;
    p->is_silent = false;
    p->user.silent(p->user.context, false);
}

/* Read messages where they arrived. Return false if one is invalid: nothing after it can be trusted. */
static bool take_messages(xr_process *p)
{
    size_t at = 0;

    while (p->user.message && !p->is_held && p->filled - at >= offsetof(xr_message, as)) {
        const xr_message *message = (const void *)(p->buffer + at);
        const size_t size = message->size;

        if (size < offsetof(xr_message, as) || size > sizeof *message)
            return false;
        if (p->filled - at < size)
            break;
        if (!xr_message_check(message, size))
            return false;
        at += size;
        p->user.message(p->user.context, message);
    }
    memmove(p->buffer, p->buffer + at, p->filled - at);
    p->filled -= at;
    return true;
}

/* Return false if nothing more can be read. */
static bool take_messages_or_kill(xr_process *p)
{
    if (take_messages(p))
        return p->user.message != NULL;
    p->wire_is_over = true;
    uv_poll_stop(&p->wire);
    kill_process(p);
    return false;
}

/* Read from the socket. Return true if there may be more. */
static bool receive(xr_process *p)
{
    const size_t room = sizeof p->buffer - p->filled;
    const ssize_t count = recv(p->descriptors.wire[0], p->buffer + p->filled, room, MSG_DONTWAIT);

    p->has_emptied = count >= 0 && (size_t)count < room;
    if (count < 0)
        return errno == EINTR;
    if (count == 0) {
        p->wire_is_over = true;
        uv_poll_stop(&p->wire);
        return false;
    }
    p->filled += (size_t)count;
    note_life(p);
    return take_messages_or_kill(p);
}

static bool receive_output(xr_process *p)
{
    char text[4096];
    const ssize_t count = read(p->descriptors.output[0], text, sizeof text);

    if (count < 0)
        return errno == EINTR;
    if (count == 0) {
        uv_poll_stop(&p->output);
        return false;
    }
    if (p->user.printed)
        p->user.printed(p->user.context, text, (size_t)count);
    return p->user.printed != NULL;
}

static void receive_all(xr_process *p)
{
    p->is_held = false;
    while (!p->wire_is_over && receive(p))
        continue;
    for (int i = 0; i < 64 && receive_output(p);
         i++) /* bounded: a program that the runtime started may go on printing */
        continue;
}

static void on_wire(uv_poll_t *poll, int status, int events)
{
    xr_process *p = poll->data;

    (void)status;
    (void)events;
    for (int i = 0; i < 16 && !p->wire_is_over && !p->is_held && receive(p) && !p->has_emptied; i++)
        continue;
}

/* Deliver what was already read first; that may hold it again. If the process has ended, this was its last. */
void xr_process_hold(xr_process *p, bool is_held)
{
    if (p->is_held == is_held || p->has_exited || p->wire_is_over)
        return;
    p->is_held = is_held;
    if (is_held)
        uv_poll_stop(&p->wire);
    else if (take_messages_or_kill(p) && !p->is_held)
        uv_poll_start(&p->wire, UV_READABLE, on_wire);
}

static void on_output(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    receive_output(poll->data);
}

bool xr_process_pulse(xr_process *p, const xr_pulse *pulse)
{
    xr_command command = {.kind = XR_COMMAND_PULSE, .as.pulse = *pulse};

    return xr_command_send(p->descriptors.wire[0], &command);
}

void xr_process_rest(xr_process *p, int64_t until_ns)
{
    atomic_store_explicit(p->descriptors.rest, until_ns, memory_order_relaxed);
}

bool xr_process_look_ahead(xr_process *p, int64_t ahead_ns)
{
    xr_command command = {.kind = XR_COMMAND_LOOKAHEAD, .as.lookahead_ns = ahead_ns};

    return xr_command_send(p->descriptors.wire[0], &command);
}

/* ---- the start ---- */

static int opened(xr_process *p, uv_handle_t *handle, int result)
{
    if (result < 0)
        return result;
    handle->data = p;
    p->open[p->open_count++] = handle;
    return 0;
}

static int spawn(xr_process *p, uv_loop_t *loop, const char *path)
{
    uv_stdio_container_t stdio[] = {
        {.flags = UV_IGNORE},
        {.flags = UV_INHERIT_FD, .data.fd = p->descriptors.output[1]},
        {.flags = UV_INHERIT_FD, .data.fd = p->descriptors.output[1]},
        [XR_WIRE_FD] = {.flags = UV_INHERIT_FD, .data.fd = p->descriptors.wire[1]},
        [XR_REST_FD] = {.flags = UV_INHERIT_FD, .data.fd = p->descriptors.rest_fd},
    };
    char *arguments[] = {(char *)(uintptr_t)path, NULL};
    const uv_process_options_t options = {.exit_cb = on_exit_of_process,
                                          .file = path,
                                          .args = arguments,
                                          .stdio_count = sizeof stdio / sizeof *stdio,
                                          .stdio = stdio};
    const int result = uv_spawn(loop, &p->process, &options);

    /* A process that failed to start still has a handle to close. */
    if (p->process.type == UV_PROCESS)
        opened(p, (uv_handle_t *)&p->process, 0);
    return result;
}

/* Take each step only if the one before succeeded. */
static int open_all(xr_process *p, uv_loop_t *loop, const char *path)
{
    int result = opened(p, (uv_handle_t *)&p->timer, uv_timer_init(loop, &p->timer));

    if (result == 0)
        result = opened(p, (uv_handle_t *)&p->wire, uv_poll_init(loop, &p->wire, p->descriptors.wire[0]));
    if (result == 0)
        result = opened(p, (uv_handle_t *)&p->output, uv_poll_init(loop, &p->output, p->descriptors.output[0]));
    if (result == 0)
        result = uv_timer_start(&p->timer, on_tick, TICK_MS, TICK_MS);
    if (result == 0)
        result = uv_poll_start(&p->wire, UV_READABLE, on_wire);
    if (result == 0)
        result = uv_poll_start(&p->output, UV_READABLE, on_output);
    return result == 0 ? spawn(p, loop, path) : result;
}

static void give_up(xr_process *p)
{
    if (p->open_count > 0)
        xr_process_release(p);
    else
        forget(p);
}

xr_process *xr_process_start(uv_loop_t *loop, const char *path, const openxr_settings *settings,
                             const xr_process_user *user, failure *out_failure)
{
    xr_command start = {.kind = XR_COMMAND_START, .as.settings = *settings};
    xr_process *p = calloc(1, sizeof *p);
    int result = UV_ENOMEM;

    if (p)
        result = xr_descriptors_open(&p->descriptors);
    if (result == 0)
        result = open_all(p, loop, path);
    if (p)
        xr_descriptors_close_theirs(&p->descriptors);
    if (result == 0 && !xr_command_send(p->descriptors.wire[0], &start))
        result = UV_EPIPE;
    if (result == 0) {
        p->user = *user;
        return p;
    }
    if (p)
        give_up(p);
    fail_with(out_failure, "%s: %s", path, uv_strerror(result));
    return NULL;
}
