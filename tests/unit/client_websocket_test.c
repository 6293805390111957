/* The C client over WebSocket: clashd's messages in whole frames and in fragments, pings, closes, broken rules, what is too
 * long, and requests as clashd's own framing takes them. The upgrade before is client_upgrade_test.c's. */
#include "support/client_upgraded.h"

#include "ipc/websocket.h"
#include "protocol/messages/codec.h"

static void fragments_with_a_ping_between(void **state)
{
    told *t = *state;
    char heard[256];
    size_t length;

    upgrade(t);
    say_text(t, HELLO);
    say_frame(t, TEXT, CLASH_LINE, 100);
    say_frame(t, CONTINUED, "", 0);
    say_frame(t, FIN | PING, "are you there", 13);
    say_frame(t, CONTINUED, &CLASH_LINE[100], 50);
    assert_int_equal(t->clashes, 0);
    say_frame(t, FIN | CONTINUED, &CLASH_LINE[150], sizeof CLASH_LINE - 151);
    assert_int_equal(t->clashes, 1);
    assert_int_equal(receive_frame(t, heard, &length), FIN | PONG);
    assert_string_equal(heard, "are you there");
    say_frame(t, FIN | PONG, "unasked", 7);
    say_text(t, CLASH_LINE);
    assert_int_equal(t->clashes, 2);
    assert_int_equal(t->errors + t->disconnects, 0);
    assert_string_equal(pair_receive(t, heard, sizeof heard), "");
}

static void what_is_too_long_or_no_text_costs_only_itself(void **state)
{
    told *t = *state;
    char *big = malloc(200000);

    memset(big, ' ', 200000);
    upgrade(t);
    say_text(t, HELLO);
    say_frame(t, FIN | TEXT, big, 65536);
    assert_int_equal(t->errors, 1);
    assert_string_equal(t->code, "bad_line");
    assert_non_null(strstr(t->message, "65535"));
    say_frame(t, TEXT, big, 65535);
    say_frame(t, FIN | CONTINUED, big, 1);
    assert_int_equal(t->errors, 2);
    say_frame(t, FIN | TEXT, big, 200000);
    assert_int_equal(t->errors, 3);
    say_frame(t, FIN | BINARY, CLASH_LINE, sizeof CLASH_LINE - 1);
    assert_int_equal(t->errors, 4);
    assert_non_null(strstr(t->message, "binary"));
    memcpy(big, CLASH_LINE, sizeof CLASH_LINE - 1);
    say_frame(t, FIN | TEXT, big, 65535); /* as long as may be */
    assert_int_equal(t->clashes, 1);
    assert_int_equal(t->errors, 4);
    assert_int_equal(t->disconnects, 0);
    free(big);
}

static void a_close_is_answered_and_told(void **state)
{
    told *t = *state;
    char heard[256];
    size_t length;

    upgrade(t);
    say_text(t, HELLO);
    say_frame(t, FIN | CLOSE, "\x03\xe9", 2);
    assert_int_equal(t->disconnects, 1);
    assert_string_equal(t->reason, "clashd closed the connection (1001)");
    assert_int_equal(clash_client_fd(t->client), -1);
    assert_int_equal(receive_frame(t, heard, &length), FIN | CLOSE);
    assert_int_equal(length, 2);
    assert_memory_equal(heard, "\x03\xe9", 2);
    assert_int_equal(recv(t->peer, heard, 1, 0), 0);
}

static void broken_rules_end_it(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        unsigned code; /* of our close */
    } rows[] = {
        {"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11, 1002}, /* with a mask, which only clients' have */
        {"\xc1\x02{}", 4, 1002},                                    /* a reserved bit */
        {"\x83\x02{}", 4, 1002},                                    /* no such opcode */
        {"\x80\x02{}", 4, 1002},                                    /* goes on with nothing */
        {"\x01\x01{\x81\x01}", 6, 1002},                            /* begins within another */
        {"\x81\x02\xc3\x28", 4, 1007},                              /* no UTF-8 */
        {"\x88\x01\x03", 3, 1002},                                  /* half the code of a close */
    };
    told *t = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char heard[256];
        size_t length;

        t->disconnects = 0;
        upgrade(t);
        deliver(t, rows[i].bytes, rows[i].length, 64);
        assert_int_equal(t->disconnects, 1);
        assert_non_null(strstr(t->reason, "no frame of WebSocket"));
        assert_int_equal(receive_frame(t, heard, &length), FIN | CLOSE);
        assert_int_equal((unsigned char)heard[0] << 8 | (unsigned char)heard[1], rows[i].code);
    }
}

static void callbacks_may_close_and_ask(void **state)
{
    told *t = *state;
    char heard[1024], bytes[4096];
    size_t length, count = 0;

    t->subscribe_on_hello = true;
    t->close_on_clash = true;
    upgrade(t);
    say_text(t, HELLO);
    assert_int_equal(receive_frame(t, heard, &length), FIN | TEXT);
    assert_non_null(strstr(heard, "\"subscribe\""));
    for (int i = 0; i < 3; i++)
        count += put_frame(bytes + count, FIN | TEXT, CLASH_LINE, sizeof CLASH_LINE - 1);
    deliver(t, bytes, count, sizeof bytes);
    assert_int_equal(t->clashes, 1);
    assert_int_equal(t->disconnects, 0);
    assert_int_equal(clash_client_fd(t->client), -1);
    pair_connect(t); /* and lines are lines again */
    pair_send(t, HELLO);
    assert_int_equal(t->hellos, 2);
}

/** As clashd itself takes them: masked, whole, in order. */
typedef struct counted {
    size_t messages, bytes;
} counted;

static void count_message(void *context, const char *text, size_t length)
{
    assert_memory_equal(text, "{\"type\":\"ping\",\"id\":\"0123456789\"}", length);
    ((counted *)context)->messages++;
    ((counted *)context)->bytes += length;
}

static void no_answer(void *context, const char *frame, size_t length)
{
    (void)context;
    (void)frame;
    (void)length;
    fail();
}

static void requests_wait_for_a_slow_reader(void **state)
{
    told *t = *state;
    counted heard = {0};
    const websocket_listener listener = {.context = &heard, .message = count_message, .answer = no_answer};
    websocket *w = websocket_create(PROTOCOL_LINE_MAX);
    char bytes[777];
    size_t sent = 0;

    upgrade(t);
    while (clash_client_ping(t->client, "0123456789") == 0)
        assert_true(++sent < 10000000);
    assert_non_null(strstr(clash_client_problem(t->client), "does not read"));
    assert_int_equal(clash_client_wants(t->client), CLASH_CLIENT_READ | CLASH_CLIENT_WRITE);
    while (heard.messages < sent) {
        ssize_t length;

        assert_int_equal(clash_client_dispatch(t->client), 0);
        assert_int_equal(poll(&(struct pollfd){.fd = t->peer, .events = POLLIN}, 1, 60000), 1);
        length = recv(t->peer, bytes, sizeof bytes, 0);
        assert_true(length > 0);
        assert_true(websocket_push(w, bytes, (size_t)length, &listener));
    }
    assert_int_equal(heard.bytes, sent * strlen("{\"type\":\"ping\",\"id\":\"0123456789\"}"));
    assert_int_equal(clash_client_wants(t->client), CLASH_CLIENT_READ);
    websocket_destroy(w);
}

/** Who pings and does not read the answers does not make us keep them for ever. */
static void a_flood_of_pings(void **state)
{
    told *t = *state;
    char payload[125], frames[64 * 127];
    size_t length = 0, rounds = 0;

    memset(payload, 'p', sizeof payload);
    for (int i = 0; i < 64; i++)
        length += put_frame(frames + length, FIN | PING, payload, sizeof payload);
    upgrade(t);
    for (; t->disconnects == 0; rounds++) {
        assert_true(rounds < 100000);
        deliver(t, frames, length, length);
    }
    assert_non_null(strstr(t->reason, "pings"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fragments_with_a_ping_between),
        TEST(what_is_too_long_or_no_text_costs_only_itself),
        TEST(a_close_is_answered_and_told),
        TEST(broken_rules_end_it),
        TEST(callbacks_may_close_and_ask),
        TEST(requests_wait_for_a_slow_reader),
        TEST(a_flood_of_pings),
    };

    /* No token beside a default socket that some clashd may have here. */
    setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
