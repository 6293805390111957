/* The signals that end the daemon; see signals.h. */
#include "signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const int numbers[SIGNALS_COUNT] = {SIGINT, SIGTERM, SIGHUP};

static void on_signal(uv_signal_t *handle, int number)
{
    service_signals *signals = handle->data;
    const signals_listener *l = &signals->listener;

    if (number == SIGHUP && l->hangup(l->context))
        return;
    /* give the signal its default back, so that a second one ends what hangs */
    signals_close(signals);
    l->stop(l->context, number);
}

int signals_open(service_signals *signals, uv_loop_t *loop, const signals_listener *listener)
{
    signal(SIGPIPE, SIG_IGN);
    signals->open = 0;
    signals->listener = *listener;
    for (size_t i = 0; i < SIGNALS_COUNT; i++) {
        uv_signal_t *handle = &signals->handles[i];

        if (uv_signal_init(loop, handle) != 0)
            return -1;
        handle->data = signals;
        signals->open = i + 1;
        if (uv_signal_start(handle, on_signal, numbers[i]) != 0)
            return -1;
    }
    return 0;
}

void signals_unref(service_signals *signals)
{
    for (size_t i = 0; i < signals->open; i++)
        uv_unref((uv_handle_t *)&signals->handles[i]);
}

void signals_close(service_signals *signals)
{
    while (signals->open > 0)
        uv_close((uv_handle_t *)&signals->handles[--signals->open], NULL);
}

void signals_finish(service_signals *signals)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < SIGNALS_COUNT; i++)
        sigaddset(&set, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signals_close(signals);
}

bool signals_have_terminal(void)
{
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}
