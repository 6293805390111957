/* The HTTP with which the C client begins a WebSocket, before clashd's own handshake and before answers that no clashd would
 * give: in any portions, refusals, damage, and addresses. What comes after is client_websocket_test.c's. */
#include "support/client_upgraded.h"
#include "support/random.h"
#include "support/temporary.h"

static void the_upgrade_shows_the_token(void **state)
{
    told *t = *state;
    token right;
    const handshake_rules rules = {.token = &right};
    char file[] = "/tmp/clash-token-" TEMPORARY, request[4096];
    failure error = {0};
    int written = mkstemp(file);
    handshake *h;

    close(written);
    unlink(file);
    assert_int_equal(token_create(&right, file, &error), 0);
    assert_int_equal(clash_client_set_token_file(t->client, file), 0);
    h = judge(&rules, request, let_in(t, "/any/path?x=1", request));
    assert_int_equal(h->verdict, HANDSHAKE_ADMIT);
    assert_memory_equal(request, "GET /any/path?x=1 HTTP/1.1\r\n", 28);
    assert_non_null(strstr(h->answer, "\r\nSec-WebSocket-Protocol: clashd.v1\r\n"));
    deliver(t, h->answer, h->answer_length, 7);
    say_text(t, HELLO);
    assert_int_equal(t->hellos, 1);
    token_remove(&right);
    assert_int_equal(clash_client_connect(t->client, "ws://127.0.0.1:9"), -1);
    assert_non_null(strstr(clash_client_problem(t->client), file)); /* is gone */
}

static void requests_wait_for_the_upgrade(void **state)
{
    told *t = *state;
    const handshake_rules rules = {0};
    char request[4096], heard[256];
    size_t length = let_in(t, "/", request);
    handshake *h = judge(&rules, request, length);

    assert_int_equal(clash_client_ping(t->client, "early"), 0);
    assert_int_equal(clash_client_dispatch(t->client), 0);
    assert_int_equal(clash_client_wants(t->client), CLASH_CLIENT_READ);
    assert_string_equal(pair_receive(t, heard, sizeof heard), "");
    deliver(t, h->answer, h->answer_length, h->answer_length);
    assert_int_equal(receive_frame(t, heard, &length), FIN | TEXT);
    assert_string_equal(heard, "{\"type\":\"ping\",\"id\":\"early\"}");
    assert_int_equal(clash_client_ping(t->client, NULL), 0);
    assert_int_equal(receive_frame(t, heard, &length), FIN | TEXT);
    assert_string_equal(heard, "{\"type\":\"ping\"}");
}

static void bytes_in_any_portions(void **state)
{
    told *t = *state;
    const handshake_rules rules = {0};

    for (size_t portion = 1; portion < 40; portion += 6) {
        char request[4096], bytes[4096];
        handshake *h = judge(&rules, request, let_in(t, "/", request));
        size_t length = h->answer_length;

        t->hellos = t->clashes = 0;
        memcpy(bytes, h->answer, length);
        length += put_frame(bytes + length, FIN | TEXT, HELLO, sizeof HELLO - 1);
        length += put_frame(bytes + length, FIN | TEXT, CLASH_LINE, sizeof CLASH_LINE - 1);
        deliver(t, bytes, length, portion);
        assert_int_equal(t->hellos, 1);
        assert_int_equal(t->clashes, 1);
        assert_int_equal(t->errors + t->disconnects, 0);
    }
}

static void clashds_refusals_are_told_in_its_words(void **state)
{
    static const char hosts[1][128] = {"http://only.this.example"};
    told *t = *state;
    static token secret = {.text = "0000", .path = "/somewhere/clashd.token"};
    const handshake_rules wants_token = {.token = &secret}, full = {.allowed_origins = hosts, .origin_count = 1};
    char request[4096];
    handshake *h = judge(&wants_token, request, let_in(t, "/", request));

    assert_int_equal(h->verdict, HANDSHAKE_REFUSE);
    deliver(t, h->answer, h->answer_length, 30);
    assert_int_equal(t->disconnects, 1);
    assert_non_null(strstr(t->reason, "refused with 401 Unauthorized: no token: this clashd requires the one in "
                                      "/somewhere/clashd.token"));
    h = judge(&full, request, let_in(t, "/", request));
    assert_int_equal(h->verdict, HANDSHAKE_ADMIT); /* we are no page, and send no Origin */
    handshake_http_full(7, h);
    deliver(t, h->answer, h->answer_length, h->answer_length);
    assert_non_null(strstr(t->reason, "refused with 503 Service Unavailable: socket.max_clients: 7"));
}

/** The connection's end after `answer`; why it ended, as it was told. */
static const char *told_after(told *t, const char *answer, size_t length)
{
    char request[4096];

    let_in(t, "/", request);
    t->disconnects = 0;
    deliver(t, answer, length, 1000);
    close(t->peer);
    t->peer = -1;
    clash_client_dispatch(t->client);
    assert_int_equal(t->disconnects, 1);
    assert_int_equal(t->hellos + t->clashes + t->errors, 0);
    return t->reason;
}

static void others_answers(void **state)
{
#define YES "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    static const char *const rows[][2] = {
        {"", "clashd closed the connection"},
        {"SSH-2.0-OpenSSH_9.2\r\n", "what answers is no WebSocket"},
        {HELLO, "what answers is no WebSocket"},
        {"HTTP/1.1 101 Swit", "has no end"},
        {"HTTP/1.1 404 Not Found\r\n\r\n", "refused with 404 Not Found"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na\x1b[2Jpage", "refused with 200 OK: a"},
        {"HTTP/1.1 1019 No\r\n\r\n", "refused with 1019"},
        {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "does not upgrade"},
        {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "does not upgrade"},
        {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: close, \r\n\r\n", "does not upgrade"},
        {YES "\r\n", "Sec-WebSocket-Accept is wrong"},
        {YES "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n", "Sec-WebSocket-Accept is wrong"},
    };
    told *t = *state;
    char *flood = malloc(20000);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_non_null(strstr(told_after(t, rows[i][0], strlen(rows[i][0])), rows[i][1]));
    memset(flood, 'x', 20000);
    memcpy(flood, YES, sizeof YES - 1);
    assert_non_null(strstr(told_after(t, flood, 20000), "has no end"));
    free(flood);
}

static void what_was_not_offered_is_refused(void **state)
{
    static const char *const headers[] = {"Sec-WebSocket-Extensions: permessage-deflate\r\n",
                                          "Sec-WebSocket-Protocol: chat\r\n"};
    told *t = *state;
    const handshake_rules rules = {0};

    for (size_t i = 0; i < 2; i++) {
        char request[4096], answer[4096];
        handshake *h = judge(&rules, request, let_in(t, "/", request));
        char *protocol = strstr(h->answer, "Sec-WebSocket-Protocol");

        t->disconnects = 0;
        snprintf(answer, sizeof answer, "%.*s%s\r\n", (int)(protocol - h->answer), h->answer, headers[i]);
        deliver(t, answer, strlen(answer), sizeof answer);
        assert_int_equal(t->disconnects, 1);
        assert_non_null(strstr(t->reason, "the answer cannot be used"));
    }
}

static void damage(void **state)
{
    told *t = *state;
    const handshake_rules rules = {0};
    random_state r = {random_seed(7)};

    for (int i = 0; i < 300; i++) {
        char request[4096], bytes[8192];
        handshake *h = judge(&rules, request, let_in(t, "/", request));
        size_t length = h->answer_length, from = i % 3 == 0 ? 0 : length;

        memcpy(bytes, h->answer, length);
        length += put_frame(bytes + length, FIN | TEXT, HELLO, sizeof HELLO - 1);
        length += put_frame(bytes + length, TEXT, CLASH_LINE, 200);
        length += put_frame(bytes + length, FIN | PING, "x", 1);
        length += put_frame(bytes + length, FIN | CONTINUED, &CLASH_LINE[200], sizeof CLASH_LINE - 201);
        for (int n = random_below(&r, 4); n >= 0; n--)
            bytes[from + (size_t)random_below(&r, (int)(length - from))] = (char)random_bits(&r);
        deliver(t, bytes, length, 1 + (size_t)random_below(&r, 1000));
        assert_true(t->disconnects <= (unsigned)i + 1);
    }
}

static void wrong_addresses(void **state)
{
    static const char *const addresses[] = {
        "ws://",         "ws://4718",           "ws://:1",           "ws://127.0.0.1",
        "ws://1.2.3:1/", "ws://127.0.0.1:0",    "ws://clashd.de:1",  "ws://[::1]",
        "ws:///path",    "ws://user@1.2.3.4:5", "ws://127.0.0.1:1?x"};
    told *t = *state;

    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        assert_int_equal(clash_client_connect(t->client, addresses[i]), -1);
        assert_non_null(strstr(clash_client_problem(t->client), "is not an address"));
    }
    assert_int_equal(clash_client_connect(t->client, "wss://127.0.0.1:1"), -1);
    assert_non_null(strstr(clash_client_problem(t->client), "encrypts nothing"));
    assert_int_equal(clash_client_connect(t->client, "ws://127.0.0.1:1/a b"), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_upgrade_shows_the_token),
        TEST(requests_wait_for_the_upgrade),
        TEST(bytes_in_any_portions),
        TEST(clashds_refusals_are_told_in_its_words),
        TEST(others_answers),
        TEST(what_was_not_offered_is_refused),
        TEST(damage),
        TEST(wrong_addresses),
    };

    /* No token beside a default socket that some clashd may have here. */
    setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
