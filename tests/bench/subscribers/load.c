/* One load on one server, from one thread: publishes at fixed times, reads what any subscriber is sent as soon as it can
 * be read, and takes the time from just before the publishing write to just after the read. */
#include "bench.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define INPUT_MAX 65536
#define READY_MAX 256
/* Not counted: until everybody is warm. */
#define WARM_UP_S 0.5
/* After the last message, for what is still on its way. */
#define DRAIN_NS INT64_C(500000000)
#define NOT_YET UINT64_MAX

typedef struct subscriber {
    int fd;
    uint64_t next; /* the message that is due */
    size_t kept;   /* of a message that was cut */
    char *bytes;   /* those, at most MESSAGE_MAX */
} subscriber;

typedef struct bench_run {
    const server *server;
    const load *load;
    sizes *sizes;
    int epoll, publisher, timer, stalled;
    subscriber *subscribers;
    uint64_t first_seq; /* as the server counts; NOT_YET before anything has come */
    uint64_t published, warm_up, total;
    int64_t begun_ns, begun_cpu_ns; /* when the warm-up was over */
    int64_t *stamps;
    int64_t *latencies;
    size_t latency_count;
    uint64_t disordered;
} bench_run;

static void send_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);

        if (sent <= 0)
            die("publishing");
        bytes += sent;
        length -= (size_t)sent;
    }
}

static int open_client(const bench_run *r, bool subscribe, unsigned number)
{
    char hello[HELLO_MAX];
    int fd = server_connect(r->server);

    send_all(fd, hello, wire_hello(r->server->is->wire, subscribe, number, hello));
    return fd;
}

static void watch(const bench_run *r, int fd, void *who)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = who};

    if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &wanted) != 0)
        die("epoll_ctl");
}

static void take_message(bench_run *r, subscriber *s, const char *text, size_t length, int64_t read_ns)
{
    const char *found = memmem(text, length, "\"seq\":", 6);
    uint64_t index;

    if (!found || found[6] < '0' || found[6] > '9')
        return; /* a greeting */
    index = strtoull(found + 6, NULL, 10);
    if (r->first_seq == NOT_YET)
        r->first_seq = index;
    index -= r->first_seq;
    if (index != s->next || index >= r->published) {
        r->disordered++;
        s->next = index + 1;
        return;
    }
    s->next++;
    if (r->server->is->wire == WIRE_CLASHD)
        r->sizes->of[index % 2] = length;
    if (index >= r->warm_up)
        r->latencies[r->latency_count++] = read_ns - r->stamps[index];
}

static void take_input(bench_run *r, subscriber *s)
{
    static char input[INPUT_MAX + MESSAGE_MAX];
    size_t length, start = 0;
    const char *newline;
    ssize_t got = recv(s->fd, input + s->kept, INPUT_MAX, MSG_DONTWAIT);
    int64_t read_ns = now_ns();

    if (got <= 0)
        die("a server has closed a connection");
    memcpy(input, s->bytes, s->kept);
    length = s->kept + (size_t)got;
    while ((newline = memchr(input + start, '\n', length - start)) != NULL) {
        size_t end = (size_t)(newline - input);

        take_message(r, s, input + start, end - start, read_ns);
        start = end + 1;
    }
    s->kept = length - start;
    if (s->kept > MESSAGE_MAX)
        die("a message is too long");
    memcpy(s->bytes, input + start, s->kept);
}

static void publish_due(bench_run *r)
{
    char message[MESSAGE_MAX];
    uint64_t due = 0;

    if (read(r->timer, &due, sizeof due) != (ssize_t)sizeof due)
        return;
    for (; due > 0 && r->published < r->total; due--) {
        size_t length = wire_publish(r->server->is->wire, r->published, r->sizes, message);

        if (r->published == r->warm_up) {
            r->begun_ns = now_ns();
            r->begun_cpu_ns = server_cpu_ns(r->server);
        }
        r->stamps[r->published++] = now_ns();
        send_all(r->publisher, message, length);
    }
}

static void drop_replies(int fd)
{
    char replies[4096];

    if (recv(fd, replies, sizeof replies, MSG_DONTWAIT) == 0)
        die("a server has closed its publisher");
}

/* One wait, and all that is then ready. */
static void turn(bench_run *r)
{
    struct epoll_event ready[READY_MAX];
    int count = epoll_wait(r->epoll, ready, READY_MAX, 10);

    for (int i = 0; i < count; i++) {
        if (ready[i].data.ptr == &r->timer)
            publish_due(r);
        else if (ready[i].data.ptr == &r->publisher)
            drop_replies(r->publisher);
        else
            take_input(r, ready[i].data.ptr);
    }
}

static void turn_until(bench_run *r, int64_t end_ns)
{
    while (now_ns() < end_ns)
        turn(r);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        die("memory");
    return memory;
}

static void open_all(bench_run *r)
{
    const unsigned count = r->load->subscribers;

    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    r->subscribers = allocate(count, sizeof *r->subscribers);
    for (unsigned i = 0; i < count; i++) {
        r->subscribers[i].bytes = allocate(1, MESSAGE_MAX);
        r->subscribers[i].fd = open_client(r, true, i + 2);
        watch(r, r->subscribers[i].fd, &r->subscribers[i]);
    }
    r->stalled = open_client(r, true, 1);
    r->publisher = open_client(r, false, 0);
    watch(r, r->publisher, &r->publisher);
    watch(r, r->timer, &r->timer);
}

static void start_timer(const bench_run *r)
{
    struct itimerspec every = {.it_interval.tv_nsec = 1000000000L / (long)r->load->rate_hz, .it_value.tv_nsec = 1};

    if (timerfd_settime(r->timer, 0, &every, NULL) != 0)
        die("timerfd_settime");
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static double quantile_us(const bench_run *r, double share)
{
    return r->latency_count ? (double)r->latencies[(size_t)((double)(r->latency_count - 1) * share)] * 1e-3 : 0.0;
}

static void measure(bench_run *r, result *out)
{
    char pose[MESSAGE_MAX];

    turn_until(r, now_ns() + 300000000);
    send_all(r->publisher, pose, wire_settle(r->server->is->wire, pose));
    turn_until(r, now_ns() + 100000000);
    start_timer(r);
    while (r->published < r->total)
        turn(r);
    out->cpu = (double)(server_cpu_ns(r->server) - r->begun_cpu_ns) / (double)(now_ns() - r->begun_ns);
    turn_until(r, now_ns() + DRAIN_NS);
}

static void close_all(bench_run *r)
{
    for (unsigned i = 0; i < r->load->subscribers; i++) {
        close(r->subscribers[i].fd);
        free(r->subscribers[i].bytes);
    }
    free(r->subscribers);
    close(r->publisher);
    close(r->stalled);
    close(r->timer);
    close(r->epoll);
    free(r->stamps);
    free(r->latencies);
}

void load_run(const server *s, const load *l, sizes *io_sizes, result *out_result)
{
    bench_run r = {.server = s, .load = l, .sizes = io_sizes, .first_seq = NOT_YET};

    r.warm_up = (uint64_t)(WARM_UP_S * l->rate_hz);
    r.total = r.warm_up + (uint64_t)(l->seconds * l->rate_hz);
    r.stamps = allocate(r.total, sizeof *r.stamps);
    out_result->expected = (r.total - r.warm_up) * l->subscribers;
    r.latencies = allocate(out_result->expected, sizeof *r.latencies);
    open_all(&r);
    measure(&r, out_result);
    qsort(r.latencies, r.latency_count, sizeof *r.latencies, compare);
    out_result->p50_us = quantile_us(&r, 0.5);
    out_result->p99_us = quantile_us(&r, 0.99);
    out_result->delivered = r.latency_count;
    out_result->disordered = r.disordered;
    close_all(&r);
}
