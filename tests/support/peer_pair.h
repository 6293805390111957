/* Two peers over real socket pairs and a real loop, and events whose every byte follows from their number. */
#ifndef TESTS_PEER_PAIR_H
#define TESTS_PEER_PAIR_H

#include "support/line_client.h"

#include "ipc/peer_private.h"
#include "protocol/messages/codec.h"

#include <signal.h>

#define LINE_MAX_BYTES 8192

typedef struct fixture {
    uv_loop_t loop;
    outbox *outbox;
    peer_counters counters;
    kept_log log;
    peer *peers[2]; /* NULL once ended */
    line_client clients[2];
    size_t numbers[2]; /* 0 and 1: what a peer's data points to */
    peer_end ends[2];
    unsigned lines, too_long;
    char last_line[256];
    bool echo; /* replies to each line with the same line */
    bool keep_half_closed;
    bool close_on_line;
    unsigned line_us;   /* that the owner spends on a line of peer 0 */
    unsigned others_at; /* lines of peer 0 that had come when peer 1's first did */
} fixture;

static inline void on_line(void *context, peer *p, const char *line, size_t length)
{
    fixture *f = context;
    char reply[512];
    int size = snprintf(reply, sizeof reply, "%.*s\n", (int)(length < 400 ? length : 400), line);

    f->lines++;
    if (*(const size_t *)peer_data(p) == 1 && f->others_at == 0)
        f->others_at = f->lines;
    if (*(const size_t *)peer_data(p) == 0 && f->line_us > 0)
        usleep(f->line_us);
    snprintf(f->last_line, sizeof f->last_line, "%.*s", (int)(length < 200 ? length : 200), line);
    if (f->close_on_line)
        peer_close(p);
    if (f->echo)
        peer_send_reply(p, reply, (size_t)size);
}

static inline void on_too_long(void *context, peer *p)
{
    fixture *f = context;

    (void)p;
    f->too_long++;
}

static inline bool on_half_closed(void *context, peer *p)
{
    const fixture *f = context;

    (void)p;
    return f->keep_half_closed;
}

static inline void on_ended(void *context, peer *p, peer_end end)
{
    fixture *f = context;
    size_t index = *(const size_t *)peer_data(p);

    assert_ptr_equal(f->peers[index], p);
    f->peers[index] = NULL;
    f->ends[index] = end;
}

/* `type`: of socket; SOCK_SEQPACKET shows which bytes were written together. */
static inline void connect_pair(fixture *f, size_t index, const peer_settings *settings, int type)
{
    const peer_listener listener = {
        .context = f, .line = on_line, .too_long = on_too_long, .half_closed = on_half_closed, .ended = on_ended};
    int pair[2];

    f->numbers[index] = index;
    assert_int_equal(socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    line_client_init(&f->clients[index], pair[1]);
    f->peers[index] = peer_create(&f->loop, pair[0], settings, &listener, &f->counters, &f->numbers[index]);
    assert_non_null(f->peers[index]);
}

static inline void start_of(fixture *f, peer_settings settings, int type)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(uv_loop_init(&f->loop), 0);
    f->outbox = settings.outbox = outbox_create(&f->loop);
    assert_non_null(f->outbox);
    settings.log = (logger){.context = &f->log, .write = kept_log_write};
    for (size_t i = 0; i < 2; i++)
        connect_pair(f, i, &settings, type);
}

static inline void start(fixture *f, peer_settings settings)
{
    start_of(f, settings, SOCK_STREAM);
}

static inline void stop(fixture *f)
{
    for (size_t i = 0; i < 2; i++) {
        if (f->peers[i])
            peer_close(f->peers[i]);
        line_client_finish(&f->clients[i]);
    }
    outbox_close(f->outbox);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_null(f->peers[0]);
    assert_null(f->peers[1]);
    assert_int_equal(uv_loop_close(&f->loop), 0);
}

/* Events of differing length whose every byte follows from their number. */
static inline size_t make_event(char *out, uint64_t seq)
{
    size_t padding = (size_t)(seq * 7919 % 700);
    int length = snprintf(out, LINE_MAX_BYTES, "{\"type\":\"clash\",\"seq\":%llu,\"pad\":\"", (unsigned long long)seq);

    memset(out + length, 'a' + (int)(seq % 26), padding);
    return (size_t)length + padding +
           (size_t)snprintf(out + (size_t)length + padding, LINE_MAX_BYTES - (size_t)length - padding, "\"}\n");
}

static inline void send_event(fixture *f, uint64_t seq, size_t first, size_t last)
{
    char text[LINE_MAX_BYTES];
    wire_line *line = wire_line_create(text, make_event(text, seq));

    assert_non_null(line);
    for (size_t i = first; i <= last; i++)
        if (f->peers[i])
            peer_send_event(f->peers[i], line, seq);
    wire_line_release(line);
}

static inline void assert_is_event(const char *line, uint64_t seq)
{
    char expected[LINE_MAX_BYTES];

    expected[make_event(expected, seq) - 1] = '\0';
    assert_string_equal(line, expected);
}

/* Read and check everything: seqs go up one by one, except where a `lagged` tells exactly what is missing. */
static inline uint64_t check_stream(fixture *f, line_client *c, uint64_t last)
{
    uint64_t next = 1, missed = 0;
    char *line;

    while (next <= last && (line = line_client_wait(c, &f->loop))) {
        if (!line_has_type(line, "lagged")) {
            assert_is_event(line, next++);
            continue;
        }
        assert_int_equal(line_number(line, "from_seq"), next);
        assert_int_equal(line_number(line, "missed"), line_number(line, "to_seq") - line_number(line, "from_seq") + 1);
        missed += (uint64_t)line_number(line, "missed");
        next = (uint64_t)line_number(line, "to_seq") + 1;
    }
    assert_int_equal(next, last + 1);
    return missed;
}

/* Fill what the kernel takes, as if each event were of a turn of its own; return the last seq. */
static inline uint64_t block(fixture *f)
{
    uint64_t seq = 0;

    while (!f->peers[0]->in_flight) {
        send_event(f, ++seq, 0, 0);
        peer_flush(f->peers[0]);
    }
    return seq;
}

#endif
