/* What the two threads of the process with the runtime share; see clashd_link.h. Never hold the mutex across a call
 * into the runtime. */
#include "clashd_link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* With what the socket buffers this is more than 2 s at 500 Hz, the longest pause of clashd's loop to expect; 270
 * KiB. */
#define XR_RING_CAPACITY 1024
/* How long to wait for clashd's loop to take a log message. */
#define LOG_TIMEOUT_MS 100

int64_t xr_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct timespec xr_timespec(int64_t time_ns)
{
    return (struct timespec){.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};
}

/* Set the condition to the clock of the deadlines; with any other clock the thread would not wait at all. */
static int xr_link_open_lock(xr_link *link)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);

    if (error != 0)
        return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0)
        error = pthread_cond_init(&link->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (error != 0)
        return error;
    error = pthread_mutex_init(&link->mutex, NULL);
    if (error != 0)
        pthread_cond_destroy(&link->changed);
    return error;
}

xr_link *xr_link_create(const openxr_settings *settings, int fd, const rest_word *rest)
{
    xr_link *link = calloc(1, sizeof *link);

    if (!link || !(link->ring = ring_create(XR_RING_CAPACITY)) || xr_link_open_lock(link) != 0) {
        if (link)
            ring_destroy(link->ring);
        free(link);
        return NULL;
    }
    link->settings = *settings;
    atomic_init(&link->lookahead_ns, settings->lookahead_ns);
    link->fd = fd;
    link->rest = rest;
    return link;
}

bool xr_link_stop(xr_link *link, int64_t timeout_ns)
{
    const struct timespec deadline = xr_timespec(xr_now_ns() + timeout_ns);
    bool finished;
    int error = 0;

    pthread_mutex_lock(&link->mutex);
    link->stopping = true;
    pthread_cond_broadcast(&link->changed);
    while (!link->finished && error == 0)
        error = pthread_cond_timedwait(&link->changed, &link->mutex, &deadline);
    finished = link->finished;
    pthread_mutex_unlock(&link->mutex);
    return finished;
}

bool xr_link_push_pulse(xr_link *link, const xr_pulse *pulse)
{
    unsigned written = atomic_load_explicit(&link->pulses_written, memory_order_relaxed);

    if (written - atomic_load_explicit(&link->pulses_read, memory_order_acquire) == XR_PULSES_MAX)
        return false;
    link->pulses[written % XR_PULSES_MAX] = *pulse;
    atomic_store_explicit(&link->pulses_written, written + 1, memory_order_release);
    return true;
}

bool xr_link_pop_pulse(xr_link *link, xr_pulse *out_pulse)
{
    unsigned read = atomic_load_explicit(&link->pulses_read, memory_order_relaxed);

    if (read == atomic_load_explicit(&link->pulses_written, memory_order_acquire))
        return false;
    *out_pulse = link->pulses[read % XR_PULSES_MAX];
    atomic_store_explicit(&link->pulses_read, read + 1, memory_order_release);
    return true;
}

int64_t xr_link_busy_ns(const xr_link *link)
{
    int64_t since_ns = atomic_load_explicit(&link->busy_since_ns, memory_order_relaxed);
    int64_t busy_ns = since_ns ? xr_now_ns() - since_ns : 0;

    return busy_ns > 0 ? busy_ns : 0;
}

/* Ask the kernel: a thread that a runtime ends says nothing. The kernel reuses an id only after some 30,000 others. */
bool xr_link_thread_lives(const xr_link *link)
{
    int id = atomic_load_explicit(&link->thread_id, memory_order_relaxed);

    return id == 0 || tgkill(getpid(), id, 0) == 0 || errno != ESRCH;
}

void xr_link_begin(xr_link *link)
{
    atomic_store_explicit(&link->thread_id, gettid(), memory_order_relaxed);
}

bool xr_link_sleep_until(xr_link *link, int64_t deadline_ns)
{
    const struct timespec deadline = xr_timespec(deadline_ns);
    bool stopping;
    int error = 0;

    atomic_store_explicit(&link->busy_since_ns, 0, memory_order_relaxed);
    pthread_mutex_lock(&link->mutex);
    while (!link->stopping && error == 0)
        error = pthread_cond_timedwait(&link->changed, &link->mutex, &deadline);
    stopping = link->stopping;
    pthread_mutex_unlock(&link->mutex);
    atomic_store_explicit(&link->busy_since_ns, xr_now_ns(), memory_order_relaxed);
    return !stopping;
}

void xr_link_set_closing(xr_link *link, bool is_closing)
{
    atomic_store_explicit(&link->is_closing, is_closing, memory_order_relaxed);
    atomic_store_explicit(&link->busy_since_ns, xr_now_ns(), memory_order_relaxed);
}

void xr_link_flush(xr_link *link)
{
    const ring_entry *entry;

    while ((entry = ring_first(link->ring)) && xr_entry_send(link->fd, entry))
        ring_remove_first(link->ring);
}

void xr_link_log(xr_link *link, log_level level, const char *format, ...)
{
    xr_message message = {.kind = XR_MESSAGE_LOG, .as.log.level = (int32_t)level};
    struct pollfd room = {.fd = link->fd, .events = POLLOUT};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message.as.log.text, sizeof message.as.log.text, format, arguments);
    va_end(arguments);
    xr_link_flush(link);
    if (!xr_message_send(link->fd, &message) && poll(&room, 1, LOG_TIMEOUT_MS) > 0)
        xr_message_send(link->fd, &message);
}

void xr_link_finish(xr_link *link)
{
    xr_link_flush(link);
    pthread_mutex_lock(&link->mutex);
    link->finished = true;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->mutex);
}
