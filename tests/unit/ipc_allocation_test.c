/* Memory runs out while clients are served: what is lost is told to whom it is lost for, a reply is never left out in
 * silence, and what could not begin leaves nothing behind. */
#include "support/allocations.h"
#include "support/connect_to.h"
#include "support/fresh.h"
#include "support/peer_pair.h"
#include "support/temporary.h"

#include "ipc/endpoint.h"
#include "ipc/listener.h"
#include "ipc/send_queue.h"
#include "ipc/websocket.h"

#include <stdlib.h>

#define RING 16 /* events that a queue takes before it wants memory again */

static wire_line *make_line(uint64_t seq)
{
    char text[64];
    int length = snprintf(text, sizeof text, "{\"seq\":%llu}\n", (unsigned long long)seq);
    wire_line *line = wire_line_create(text, (size_t)length);

    assert_non_null(line);
    return line;
}

/* `left` allocations succeed while the event is pushed. */
static void push(send_queue *q, uint64_t seq, unsigned long left)
{
    wire_line *line = make_line(seq);

    allocations_left = left;
    send_queue_push_event(q, line, seq);
    allocations_left = -1ul;
    wire_line_release(line);
}

static void pop(send_queue *q, const char *expected, unsigned long left)
{
    bool lagged;
    wire_line *line;

    allocations_left = left;
    line = send_queue_pop(q, &lagged);
    allocations_left = -1ul;
    assert_non_null(line);
    assert_int_equal(line->length, strlen(expected));
    assert_memory_equal(line->bytes, expected, line->length);
    assert_int_equal(lagged, line_has_type(expected, "lagged"));
    wire_line_release(line);
}

#define LAGGED(from, to, missed) \
    "{\"type\":\"lagged\",\"from_seq\":" #from ",\"to_seq\":" #to ",\"missed\":" #missed "}\n"

static void an_event_without_memory_is_told_before_the_next(void **state)
{
    send_queue q;

    (void)state;
    send_queue_init(&q, 1u << 20);
    push(&q, 1, 0);
    push(&q, 2, 0);
    assert_true(send_queue_is_empty(&q));
    assert_int_equal(q.dropped, 2);
    push(&q, 3, -1ul);
    pop(&q, "{\"seq\":3}\n", 0); /* no memory for a `lagged` either: it stands before a later one */
    push(&q, 4, -1ul);
    pop(&q, LAGGED(1, 2, 2), -1ul);
    pop(&q, "{\"seq\":4}\n", 0);
    assert_true(send_queue_is_empty(&q));
    send_queue_finish(&q);
}

static void a_queue_that_cannot_grow_drops_its_oldest(void **state)
{
    send_queue q;
    char expected[32];

    (void)state;
    send_queue_init(&q, 1u << 20);
    for (uint64_t seq = 1; seq <= RING; seq++)
        push(&q, seq, -1ul);
    push(&q, RING + 1, 0);
    assert_int_equal(q.dropped, 1);
    assert_int_equal(q.events.count, RING);
    pop(&q, LAGGED(1, 1, 1), -1ul);
    for (int seq = 2; seq <= RING + 1; seq++) {
        snprintf(expected, sizeof expected, "{\"seq\":%d}\n", seq);
        pop(&q, expected, 0);
    }
    assert_true(send_queue_is_empty(&q));
    send_queue_finish(&q);
}

static void a_reply_without_memory_is_not_taken(void **state)
{
    wire_line *line = make_line(1);
    send_queue q;

    (void)state;
    send_queue_init(&q, 1u << 20);
    allocations_left = 0;
    assert_false(send_queue_push_reply(&q, line));
    allocations_left = -1ul;
    assert_true(send_queue_is_empty(&q));
    assert_int_equal(line->references, 1);
    wire_line_release(line);
    send_queue_finish(&q);
}

/* Better no connection than one with a reply missing; the other one goes on. */
static void a_peer_whose_reply_has_no_memory_is_closed(void **state)
{
    fixture f;

    (void)state;
    start(&f, (peer_settings){.queue_bytes = 1u << 20});
    allocations_left = 0;
    peer_send_reply(f.peers[0], "{}\n", 3);
    allocations_left = -1ul;
    WAIT_UNTIL(&f.loop, !f.peers[0]);
    assert_int_equal(f.ends[0], PEER_END_CLOSED);
    peer_send_reply(f.peers[1], "{\"a\":1}\n", 8);
    assert_string_equal(line_client_wait(&f.clients[1], &f.loop), "{\"a\":1}");
    stop(&f);
}

static void assert_closed(int fd)
{
    char byte;

    assert_int_equal(read(fd, &byte, 1), 0);
    close(fd);
}

static void a_peer_without_memory_takes_its_socket_along(void **state)
{
    const peer_listener told = {.line = on_line};
    peer_counters counters = {0};
    uv_loop_t loop;
    outbox *turns;

    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    allocations_left = 0;
    assert_null(outbox_create(&loop));
    allocations_left = -1ul;
    turns = outbox_create(&loop);
    assert_non_null(turns);
    for (int kind = 0; kind < 2; kind++)
        for (unsigned long left = 0; left < 2; left++) {
            const peer_settings settings = {.outbox = turns, .websocket = kind == 1};
            int pair[2];

            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
            allocations_left = left;
            assert_null(peer_create(&loop, pair[0], &settings, &told, &counters, NULL));
            allocations_left = -1ul;
            assert_closed(pair[1]);
        }
    outbox_close(turns);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void a_listener_without_memory_leaves_nothing(void **state)
{
    failure error = {0};
    char root[] = "/tmp/clashd-test-" TEMPORARY, path[64];
    listener *l = NULL;
    unsigned long left = 0;
    uv_loop_t loop;

    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/s.sock", root);
    assert_int_equal(uv_loop_init(&loop), 0);
    const listener_settings settings = {.loop = &loop, .path = path};
    for (listener_result result = LISTENER_ERROR; result != LISTENER_OK; left++) {
        allocations_left = left;
        result = listener_open(&settings, &l, fresh(&error));
        allocations_left = -1ul;
        if (result == LISTENER_OK)
            break;
        assert_int_equal(result, LISTENER_ERROR);
        assert_non_null(strstr(error.text, path));
        assert_non_null(strstr(error.text, "memory"));
        assert_int_equal(rmdir(root), 0); /* neither socket nor lock */
        assert_int_equal(mkdir(root, 0700), 0);
    }
    assert_true(left >= 2); /* its own, and that of what accepts */
    listener_close(l);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_int_equal(rmdir(root), 0);
}

/* ---- endpoints ---- */

typedef struct endpoint_fixture {
    uv_loop_t loop;
    kept_log log;
    endpoint *endpoint;
    size_t admitted;
} endpoint_fixture;

static size_t count_clients(void *context)
{
    return ((endpoint_fixture *)context)->admitted;
}

static void on_admitted(void *context, endpoint_kind kind, int fd, const char *id)
{
    (void)kind, (void)id;
    ((endpoint_fixture *)context)->admitted++;
    close(fd);
}

static listener_result open_endpoint(endpoint_fixture *f, const char *where, failure *out_failure)
{
    const endpoint_settings settings = {.loop = &f->loop,
                                        .kind = ENDPOINT_WEBSOCKET,
                                        .address = where,
                                        .max_clients = 4,
                                        .log = {.context = &f->log, .write = kept_log_write},
                                        .context = f,
                                        .clients = count_clients,
                                        .admitted = on_admitted};

    return endpoint_open(&settings, &f->endpoint, out_failure);
}

/* A port is free again where nobody could be let in by it; a client that there is no memory for is closed, counted and
 * named in the log, and the next one comes in. */
static void an_endpoint_without_memory_says_so(void **state)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    static endpoint_fixture f;
    failure error = {0};
    char where[ADDRESS_TEXT_MAX];
    int fd;

    (void)state;
    assert_int_equal(uv_loop_init(&f.loop), 0);
    assert_int_equal(open_endpoint(&f, "127.0.0.1:0", fresh(&error)), LISTENER_OK);
    snprintf(where, sizeof where, "%s", endpoint_address(f.endpoint));
    endpoint_close(f.endpoint);
    uv_run(&f.loop, UV_RUN_DEFAULT);
    for (unsigned long left = 0; left < 2; left++) {
        allocations_left = left;
        assert_int_equal(open_endpoint(&f, where, fresh(&error)), LISTENER_ERROR);
        allocations_left = -1ul;
        assert_non_null(strstr(error.text, where));
    }
    assert_int_equal(open_endpoint(&f, where, fresh(&error)), LISTENER_OK);
    fd = connect_to(where);
    allocations_left = 0;
    while (endpoint_get_counters(f.endpoint)->refused == 0)
        uv_run(&f.loop, UV_RUN_ONCE);
    allocations_left = -1ul;
    assert_closed(fd);
    assert_non_null(strstr(f.log.all, "out of memory"));
    assert_non_null(strstr(f.log.all, where));
    fd = connect_to(where);
    assert_int_equal(send(fd, request, strlen(request), 0), (ssize_t)strlen(request));
    WAIT_UNTIL(&f.loop, f.admitted == 1);
    close(fd);
    endpoint_close(f.endpoint);
    uv_run(&f.loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&f.loop), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_without_memory_is_told_before_the_next),
        cmocka_unit_test(a_queue_that_cannot_grow_drops_its_oldest),
        cmocka_unit_test(a_reply_without_memory_is_not_taken),
        cmocka_unit_test(a_peer_whose_reply_has_no_memory_is_closed),
        cmocka_unit_test(a_peer_without_memory_takes_its_socket_along),
        cmocka_unit_test(a_listener_without_memory_leaves_nothing),
        cmocka_unit_test(an_endpoint_without_memory_says_so),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
