/* clashd-openxr: the process in which clashd runs the OpenXR runtime. A runtime's library hangs, crashes, ends threads,
 * prints, and sometimes does not survive being unloaded; in here that harms nobody else. One thread lives in the
 * runtime (runtime_thread.c). This one never enters it, so it can watch the other, and end the process when clashd says
 * so, when clashd is gone, or when the other thread is stuck. It ends with _exit only, because everything else that
 * runs at exit belongs to the libraries. */
#include "clashd_link.h"
#include "probe.h"
#include "runtime_thread.h"
#include "watchdog.h"

#include <clash/base.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PURPOSE "clashd-openxr: clashd starts this, of the same version, for the OpenXR runtime"
/* How long the runtime may take to destroy its instance, and for any other call: some start their service first. */
#define END_TIMEOUT_NS 2000000000
#define ANSWER_TIMEOUT_NS 60000000000
#define ALIVE_PERIOD_NS 1000000000
/* How long to wait after clashd has gone. */
#define STOP_TIMEOUT_NS 1000000000

/* gcov's; present only in a coverage build. */
void __gcov_dump(void) __attribute__((weak));

static _Noreturn void end(int code)
{
    if (__gcov_dump)
        __gcov_dump();
    _exit(code);
}

static void send_state(xr_link *link, xr_thread_state thread)
{
    xr_message message = {
        .kind = XR_MESSAGE_STATE,
        .as.state = {.thread = (int32_t)thread,
                     .dropped = ring_dropped(link->ring),
                     .clock_error_ns = atomic_load_explicit(&link->clock_error_ns, memory_order_relaxed)}};
    struct pollfd room = {.fd = link->fd, .events = POLLOUT};

    if (!xr_message_send(link->fd, &message) && thread > XR_THREAD_STALLED && poll(&room, 1, 100) > 0)
        xr_message_send(link->fd, &message);
}

static _Noreturn void end_telling(xr_link *link, xr_thread_state thread)
{
    send_state(link, thread);
    end(1);
}

/* ---- signals ---- */

static void on_signal(int number)
{
    (void)number;
}

/* Handle the signals that end clashd: this process ends in its own time, as a runtime may not survive anything else.
 * Use handlers, because ignored or blocked signals would pass to programs that a runtime starts. Those must not die of
 * SIGPIPE either when nobody reads their output any more. */
static void set_signals(void)
{
    const struct sigaction ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    const int ends[] = {SIGINT, SIGTERM, SIGHUP};

    setsid();
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaction(ends[i], &ours, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* ---- what clashd says ---- */

/* Return false if clashd is gone or is another build. */
static bool take_command(int fd, xr_command *out)
{
    ssize_t count;

    do
        count = recv(fd, out, sizeof *out, MSG_WAITALL);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof *out && out->magic == XR_WIRE_MAGIC;
}

static void end_as_told(xr_link *link)
{
    if (!xr_link_stop(link, STOP_TIMEOUT_NS))
        end(1);
    end(0);
}

static void wait_for_command(xr_link *link)
{
    struct pollfd input = {.fd = link->fd, .events = POLLIN};
    xr_command command;

    if (poll(&input, 1, XR_WATCHDOG_PERIOD_MS) <= 0)
        return;
    if (!take_command(link->fd, &command))
        end_as_told(link);
    if (command.kind == XR_COMMAND_PULSE && command.as.pulse.hand < XR_HANDS)
        xr_link_push_pulse(link, &command.as.pulse);
    else if (command.kind == XR_COMMAND_LOOKAHEAD)
        atomic_store_explicit(&link->lookahead_ns, command.as.lookahead_ns, memory_order_relaxed);
}

/* ---- watching ---- */

static void watch(xr_link *link, xr_watchdog *watchdog)
{
    const bool is_closing = atomic_load_explicit(&link->is_closing, memory_order_relaxed);

    switch (xr_watchdog_look(watchdog, link)) {
    case XR_WATCHDOG_STALLS:
        send_state(link, XR_THREAD_STALLED);
        break;
    case XR_WATCHDOG_GOES_ON:
        send_state(link, XR_THREAD_ALIVE);
        break;
    case XR_WATCHDOG_DIES:
        if (!xr_link_stop(link, 0)) /* it ended by itself because the runtime's files changed */
            end_telling(link, XR_THREAD_ENDED);
        end(0);
    case XR_WATCHDOG_NO_CHANGE:
        break;
    }
    if (xr_link_busy_ns(link) > (is_closing ? END_TIMEOUT_NS : ANSWER_TIMEOUT_NS))
        end_telling(link, is_closing ? XR_THREAD_NO_END : XR_THREAD_NO_ANSWER);
}

static _Noreturn void attend(xr_link *link)
{
    xr_watchdog watchdog = {0};
    int64_t reported_ns = xr_now_ns();

    for (;;) {
        wait_for_command(link);
        watch(link, &watchdog);
        if (xr_now_ns() - reported_ns < ALIVE_PERIOD_NS)
            continue;
        reported_ns = xr_now_ns();
        send_state(link, watchdog.stalled ? XR_THREAD_STALLED : XR_THREAD_ALIVE);
    }
}

/* Return whether it was a question of a person, which is answered. */
static bool answer_user(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        puts(PURPOSE);
    else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        puts("clashd-openxr " CLASH_VERSION_STRING);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    xr_command command;
    xr_link *link;
    pthread_t thread;

    if (argc == 2 && strcmp(argv[1], "--probe") == 0)
        xr_probe();
    if (argc == 2 && answer_user(argv[1]))
        return 0;
    set_signals();
    if (fcntl(XR_WIRE_FD, F_SETFD, FD_CLOEXEC) != 0 || !take_command(XR_WIRE_FD, &command) ||
        command.kind != XR_COMMAND_START) {
        fputs(PURPOSE "\n", stderr);
        return XR_WIRE_NO_START;
    }
    link = xr_link_create(&command.as.settings, XR_WIRE_FD, rest_word_open(XR_REST_FD));
    if (!link || pthread_create(&thread, NULL, xr_thread_main, link) != 0) {
        fputs("clashd-openxr: the system refuses memory or a thread\n", stderr);
        return XR_WIRE_NO_START;
    }
    pthread_detach(thread); /* xr_link_stop knows when it has ended */
    attend(link);
}
