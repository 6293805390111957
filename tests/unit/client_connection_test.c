/* The C client's connection: bytes in any portions, more than fits, ends of all kinds, and being called from its own
 * callbacks. */
#include "support/client_pair.h"
#include "support/temporary.h"

#include "protocol/messages/codec.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static void short_reads(void **state)
{
    told *t = *state;
    const char text[] = HELLO CLASH_LINE;

    for (size_t i = 0; i + 1 < sizeof text; i++) {
        pair_send_bytes(t, text + i, 1);
        assert_int_equal(t->clashes, i + 2 == sizeof text);
    }
    assert_int_equal(t->hellos, 1);
    assert_int_equal(t->errors + t->disconnects, 0);
}

static void many_lines_at_once(void **state)
{
    told *t = *state;
    char *text = malloc(200 * sizeof CLASH_LINE);
    size_t length = 0;

    pair_send(t, HELLO);
    for (int i = 0; i < 200; i++, length += sizeof CLASH_LINE - 1)
        memcpy(text + length, CLASH_LINE, sizeof CLASH_LINE - 1);
    pair_send_bytes(t, text, length);
    free(text);
    assert_int_equal(t->clashes, 200);
}

static void an_overlong_line_costs_only_itself(void **state)
{
    told *t = *state;
    size_t length = 200000;
    char *text = malloc(length);

    memset(text, 'x', length);
    text[length - 1] = '\n';
    pair_send(t, HELLO);
    pair_send_bytes(t, text, length);
    free(text);
    assert_int_equal(t->errors, 1);
    assert_string_equal(t->code, "bad_line");
    pair_send(t, CLASH_LINE);
    assert_int_equal(t->clashes, 1);
}

static void a_disconnect_is_told_once(void **state)
{
    told *t = *state;

    pair_send(t, HELLO);
    assert_int_equal(write(t->peer, CLASH_LINE, sizeof CLASH_LINE - 1), (ssize_t)(sizeof CLASH_LINE - 1));
    close(t->peer);
    t->peer = -1;
    assert_int_equal(clash_client_dispatch(t->client), -1);
    assert_int_equal(t->clashes, 1); /* said before the end */
    assert_int_equal(t->disconnects, 1);
    assert_string_equal(t->reason, "clashd closed the connection");
    assert_int_equal(clash_client_problem_cause(t->client), CLASH_CLIENT_CAUSE_ENDED);
    assert_int_equal(clash_client_fd(t->client), -1);
    assert_int_equal(clash_client_wants(t->client), 0);
    assert_int_equal(clash_client_dispatch(t->client), -1);
    assert_int_equal(t->disconnects, 1);
    assert_int_equal(clash_client_ping(t->client, NULL), -1);
    assert_string_equal(clash_client_problem(t->client), "not connected");
}

/** Only in the place of hello: later it is an answer to a request. */
static void a_refused_token_ends_it(void **state)
{
    static const char refusal[] = "{\"type\":\"error\",\"code\":\"unauthorized\",\"message\":\"not the right one\"}\n";
    told *t = *state;

    pair_send(t, HELLO);
    pair_send(t, refusal);
    assert_int_equal(t->errors, 1);
    assert_int_equal(clash_client_problem_cause(t->client), CLASH_CLIENT_CAUSE_NONE);
    assert_int_equal(t->disconnects, 0);
    pair_teardown(state);
    pair_setup(state);
    t = *state;
    assert_int_equal(write(t->peer, refusal, sizeof refusal - 1), (ssize_t)(sizeof refusal - 1));
    assert_int_equal(clash_client_dispatch(t->client), -1);
    assert_int_equal(t->errors, 1);
    assert_int_equal(t->disconnects, 1);
    assert_string_equal(t->reason, "not the right one");
    assert_int_equal(clash_client_problem_cause(t->client), CLASH_CLIENT_CAUSE_TOKEN);
}

static void half_a_line_at_the_end_is_no_line(void **state)
{
    told *t = *state;

    pair_send(t, HELLO);
    pair_send_bytes(t, CLASH_LINE, sizeof CLASH_LINE - 2);
    close(t->peer);
    t->peer = -1;
    clash_client_dispatch(t->client);
    assert_int_equal(t->clashes, 0);
    assert_int_equal(t->disconnects, 1);
    /* And it does not begin the next connection. */
    pair_connect(t);
    pair_send(t, HELLO CLASH_LINE);
    assert_int_equal(t->clashes, 1);
    assert_int_equal(t->errors, 0);
}

static void requests_wait_for_a_slow_reader(void **state)
{
    told *t = *state;
    char *bytes = malloc(1 << 20);
    size_t sent = 0, received = 0, lines = 0;

    while (clash_client_ping(t->client, "0123456789") == 0)
        sent++;
    assert_non_null(strstr(clash_client_problem(t->client), "does not read"));
    assert_int_equal(clash_client_wants(t->client), CLASH_CLIENT_READ | CLASH_CLIENT_WRITE);
    for (int quiet = 0; quiet < 2;) {
        ssize_t length = recv(t->peer, bytes, 777, MSG_DONTWAIT); /* never a line's length */

        if (length <= 0) {
            quiet++;
            assert_int_equal(clash_client_dispatch(t->client), 0);
            continue;
        }
        quiet = 0;
        for (ssize_t i = 0; i < length; i++)
            lines += bytes[i] == '\n';
        received += (size_t)length;
    }
    free(bytes);
    assert_true(sent > 1000);
    assert_int_equal(lines, sent);
    assert_int_equal(received, sent * strlen("{\"type\":\"ping\",\"id\":\"0123456789\"}\n"));
    assert_int_equal(clash_client_wants(t->client), CLASH_CLIENT_READ);
}

static void callbacks_may_close_and_ask(void **state)
{
    told *t = *state;
    char heard[1024];
    protocol_request request;
    protocol_error error;

    t->subscribe_on_hello = true;
    t->close_on_clash = true;
    pair_send(t, HELLO);
    pair_receive(t, heard, sizeof heard);
    assert_int_equal(protocol_parse_request(heard, strlen(heard) - 1, &request, &error), 0);
    assert_int_equal(request.type, PROTOCOL_REQUEST_SUBSCRIBE);
    assert_int_equal(request.subscribe.events, PROTOCOL_EVENTS_DEFAULT);
    pair_send(t, CLASH_LINE CLASH_LINE CLASH_LINE);
    assert_int_equal(t->clashes, 1);
    assert_int_equal(t->disconnects, 0);
    assert_int_equal(clash_client_fd(t->client), -1);
}

static void what_a_subscription_asks_for(void **state)
{
    told *t = *state;
    const char *blades[] = {"left", "with \"quotes\""};
    clash_client_subscription s = {.events = CLASH_CLIENT_CLASH | CLASH_CLIENT_POSES,
                                   .blades = blades,
                                   .blade_count = 2,
                                   .min_closing_speed = 1.5f,
                                   .pose_rate_hz = 90.0f,
                                   .axes = "unity",
                                   .has_since_seq = true,
                                   .since_seq = 41,
                                   .min_peak_speed = 2.5f,
                                   .min_apart_ms = 50.0f,
                                   .since_late = 17};
    char heard[1024];
    protocol_request request;
    protocol_error error;

    assert_int_equal(clash_client_subscribe(t->client, "mine", &s), 0);
    pair_receive(t, heard, sizeof heard);
    assert_int_equal(protocol_parse_request(heard, strlen(heard) - 1, &request, &error), 0);
    assert_string_equal(request.id, "\"mine\"");
    assert_int_equal(request.subscribe.events, PROTOCOL_EVENT_CLASH | PROTOCOL_EVENT_POSES);
    assert_int_equal(request.subscribe.blade_count, 2);
    assert_string_equal(request.subscribe.blades[1], blades[1]);
    assert_true(request.subscribe.min_closing_speed == 1.5f && request.subscribe.min_peak_speed == 2.5f);
    assert_true(request.subscribe.min_apart_ns == 50000000 && request.subscribe.since_late == 17);
    assert_int_equal(request.subscribe.ignored_count, 0);
    assert_true(request.subscribe.pose_rate_hz == 90.0f);
    assert_int_equal(request.subscribe.axes, PROTOCOL_AXES_UNITY);
    assert_true(request.subscribe.has_since_seq && request.subscribe.since_seq == 41);
    s.events = 1u << 6;
    assert_int_equal(clash_client_subscribe(t->client, NULL, &s), -1);
    s.events = 0;
    s.pose_rate_hz = 1.0f / 0.0f;
    assert_int_equal(clash_client_subscribe(t->client, NULL, &s), -1);
    assert_string_equal(pair_receive(t, heard, sizeof heard), "");
}

static void lines_and_requests_of_any_kind(void **state)
{
    static const char *const refused[] = {"", "{", "{\"type\":\"ping\"}\n", "{\"a\":\"\033\"}"};
    told *t = *state;
    char heard[256], *longest = malloc(65537);

    assert_int_equal(clash_client_send(t->client, "{\"type\":\"status\",\"id\":\"s\"}"), 0);
    assert_string_equal(pair_receive(t, heard, sizeof heard), "{\"type\":\"status\",\"id\":\"s\"}\n");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_int_equal(clash_client_send(t->client, refused[i]), -1);
    assert_non_null(strstr(clash_client_problem(t->client), "a control character"));
    memset(longest, ' ', 65536);
    longest[0] = '1';
    longest[65536] = '\0';
    assert_int_equal(clash_client_send(t->client, longest), -1);
    assert_string_equal(pair_receive(t, heard, sizeof heard), "");
    longest[65535] = '\0';
    assert_int_equal(clash_client_send(t->client, longest), 0);
    free(longest);

    pair_send(t, "{\"type\":\"status\",\"clients\":1}\n");
    assert_string_equal(t->line, "{\"type\":\"status\",\"clients\":1}");
    t->wanted = "release";
    pair_send(t, HELLO CLASH_LINE "{\"type\":\"release\"}\n[1]\n{\"a\":\"\033\"}\n");
    assert_int_equal(t->clashes + t->hellos, 2);
    assert_string_equal(t->line, "{\"type\":\"release\"}"); /* dealt with: not read, so no error */
    assert_int_equal(t->errors, 2);                         /* what is no object, and what is no JSON */
    assert_string_equal(t->message, "not JSON: a control character in a string at byte 6");
    clash_client_close(t->client);
    assert_int_equal(clash_client_send(t->client, "{}"), -1);
    assert_string_equal(clash_client_problem(t->client), "not connected");
}

static void connecting(void **state)
{
    told *t = *state;
    char directory[] = "/tmp/clash-client-" TEMPORARY, path[64], inside[80];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_non_null(mkdtemp(directory));
    assert_int_equal(clash_client_connect(t->client, "/nowhere/at/all"), -1);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(clash_client_problem(t->client), "nothing listens at /nowhere/at/all");
    assert_int_equal(clash_client_problem_cause(t->client), CLASH_CLIENT_CAUSE_UNREACHABLE);
    assert_int_equal(clash_client_connect(t->client, "unix:/nowhere/else"), -1);
    assert_string_equal(clash_client_problem(t->client), "nothing listens at unix:/nowhere/else");
    assert_int_equal(t->disconnects, 0);
    snprintf(inside, sizeof inside, "%s/clashd", directory);
    assert_int_equal(mkdir(inside, 0700), 0);
    snprintf(path, sizeof path, "%s/clashd/clashd.sock", directory);
    memcpy(address.sun_path, path, strlen(path) + 1);
    assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server, 4), 0);
    setenv("XDG_RUNTIME_DIR", directory, 1);
    for (int i = 0; i < 2; i++) { /* by its path, and where it is by default */
        assert_int_equal(clash_client_connect(t->client, i == 0 ? path : NULL), 0);
        assert_true(clash_client_wants(t->client) & CLASH_CLIENT_WRITE);
        assert_int_equal(clash_client_ping(t->client, "early"), 0);
        assert_int_equal(clash_client_dispatch(t->client), 0);
        close(t->peer);
        t->peer = accept(server, NULL, NULL);
        assert_string_equal(pair_receive(t, inside, sizeof inside), "{\"type\":\"ping\",\"id\":\"early\"}\n");
        assert_int_equal(clash_client_wants(t->client), CLASH_CLIENT_READ);
    }
    close(server);
    unlink(path);
    snprintf(inside, sizeof inside, "%s/clashd", directory);
    rmdir(inside);
    rmdir(directory);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

/** A listening TCP socket on loopback and its client address. */
static int listen_tcp(char *out_address, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server, 4), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&address, &length), 0);
    snprintf(out_address, size, "tcp:localhost:%u", (unsigned)ntohs(address.sin_port));
    return server;
}

static void wait_for(told *t)
{
    unsigned wants = clash_client_wants(t->client);
    struct pollfd ready = {.fd = clash_client_fd(t->client),
                           .events = (short)(wants & CLASH_CLIENT_WRITE ? POLLOUT : POLLIN)};

    assert_int_equal(poll(&ready, 1, 60000), 1);
}

static void tcp_shows_the_token_first(void **state)
{
    told *t = *state;
    char address[64], file[] = "/tmp/clash-token-" TEMPORARY, heard[256];
    int server = listen_tcp(address, sizeof address), written = mkstemp(file);

    assert_int_equal(write(written, "abc\"123\n", 8), 8);
    close(written);
    assert_int_equal(clash_client_set_token_file(t->client, file), 0);
    assert_int_equal(clash_client_connect(t->client, address), 0);
    assert_int_equal(clash_client_ping(t->client, NULL), 0);
    wait_for(t);
    assert_int_equal(clash_client_dispatch(t->client), 0);
    close(t->peer);
    t->peer = accept(server, NULL, NULL);
    assert_int_equal(poll(&(struct pollfd){.fd = t->peer, .events = POLLIN}, 1, 60000), 1);
    assert_string_equal(pair_receive(t, heard, sizeof heard),
                        "{\"type\":\"auth\",\"token\":\"abc\\\"123\"}\n{\"type\":\"ping\"}\n");
    unlink(file);
    assert_int_equal(clash_client_connect(t->client, address), -1);
    assert_non_null(strstr(clash_client_problem(t->client), file));
    assert_int_equal(clash_client_fd(t->client), -1);
    close(server);
    /* Nobody is there any more. */
    setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
    assert_int_equal(clash_client_set_token_file(t->client, NULL), 0);
    if (clash_client_connect(t->client, address) == 0) {
        wait_for(t);
        assert_int_equal(clash_client_dispatch(t->client), -1);
        assert_int_equal(t->disconnects, 1);
    }
    assert_non_null(strstr(clash_client_problem(t->client), "nothing listens at tcp:localhost:"));
    assert_int_equal(clash_client_problem_cause(t->client), CLASH_CLIENT_CAUSE_UNREACHABLE);
}

#ifdef CLIENT_ALONE
static void websocket_is_refused_in_words(void **state)
{
    told *t = *state;

    assert_int_equal(clash_client_connect(t->client, "ws://127.0.0.1:4718"), -1);
    assert_non_null(strstr(clash_client_problem(t->client), "expected a path or tcp:HOST:PORT"));
    assert_int_equal(clash_client_fd(t->client), -1);
}
#endif

/** A socket of another name: its token is beside it. */
static void a_sockets_path_names_the_token_file(void **state)
{
    told *t = *state;
    char address[64], directory[] = "/tmp/clash-token-" TEMPORARY, path[64], heard[256];
    int server = listen_tcp(address, sizeof address);

    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/my.sock", directory);
    assert_int_equal(clash_client_set_token_file(t->client, path), 0);
    assert_int_equal(clash_client_connect(t->client, address), -1);
    assert_non_null(strstr(clash_client_problem(t->client), "my.token"));
    close(accept(server, NULL, NULL)); /* it had begun already */
    snprintf(path, sizeof path, "%s/my.token", directory);
    write_file(path, "beside\n");
    assert_int_equal(clash_client_connect(t->client, address), 0);
    wait_for(t);
    assert_int_equal(clash_client_dispatch(t->client), 0);
    close(t->peer);
    t->peer = accept(server, NULL, NULL);
    assert_int_equal(poll(&(struct pollfd){.fd = t->peer, .events = POLLIN}, 1, 60000), 1);
    assert_string_equal(pair_receive(t, heard, sizeof heard), "{\"type\":\"auth\",\"token\":\"beside\"}\n");
    close(server);
    unlink(path);
    rmdir(directory);
}

static void wrong_tcp_addresses(void **state)
{
    static const char *const addresses[] = {"tcp:",        "tcp:65536",       "tcp::1",         "tcp:127.0.0.1",
                                            "tcp:1.2.3:1", "tcp:127.0.0.1:0", "tcp:[::1]",      "tcp:127.0.0.1:65536",
                                            "tcp:::1:5",   "tcp:clashd.de:1", "tcp:[::1]:1x",   "tcp:127.0.0.1:-1",
                                            "tcp:[]:5",    "tcp:[:5",         "tcp:localhost:", "tcp:]:5",
                                            "unix:",       "udp:1:2",         "127.0.0.1:5",    "http://localhost:5/"};
    told *t = *state;

    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        assert_int_equal(clash_client_connect(t->client, addresses[i]), -1);
        assert_non_null(strstr(clash_client_problem(t->client), "is not an address"));
    }
}

/* Listens there as that user, and says so by a byte; ended by its parent. */
static pid_t listen_as(uid_t user, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int ready[2], fd;
    char byte = 'x';
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    memcpy(address.sun_path, path, strlen(path) + 1);
    child = fork();
    if (child == 0) {
        umask(0);
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (setuid(user) == 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 4) == 0 &&
            write(ready[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

/* Below /tmp, where clashd is to be, anybody may have been quicker. */
static void who_listens_is_somebody_else(void **state)
{
    told *t = *state;
    char root[] = "/tmp/clashd-who-" TEMPORARY, path[64];
    pid_t child;

    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0777), 0);
    snprintf(path, sizeof path, "%s/s.sock", root);
    child = listen_as(65534, path);
    clash_client_close(t->client);
    assert_int_equal(clash_client_connect(t->client, path), -1);
    assert_int_equal(errno, 0);
    assert_non_null(strstr(clash_client_problem(t->client), "user 65534 is listening on /tmp/clashd-who-"));
    assert_non_null(strstr(clash_client_problem(t->client), "expected user 0 or root"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(root), 0);
}

static void an_impossible_path_is_refused(void **state)
{
    told *t = *state;
    char path[300];

    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(clash_client_connect(t->client, path), -1);
    assert_int_equal(clash_client_connect(t->client, ""), -1);
    assert_int_equal(clash_client_adopt(t->client, -1), -1);
    clash_client_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(short_reads, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(many_lines_at_once, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(an_overlong_line_costs_only_itself, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(a_disconnect_is_told_once, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(a_refused_token_ends_it, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(half_a_line_at_the_end_is_no_line, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(requests_wait_for_a_slow_reader, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(callbacks_may_close_and_ask, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(what_a_subscription_asks_for, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(lines_and_requests_of_any_kind, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(connecting, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(tcp_shows_the_token_first, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(a_sockets_path_names_the_token_file, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(wrong_tcp_addresses, pair_setup, pair_teardown),
#ifdef CLIENT_ALONE
        cmocka_unit_test_setup_teardown(websocket_is_refused_in_words, pair_setup, pair_teardown),
#endif
        cmocka_unit_test_setup_teardown(an_impossible_path_is_refused, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(who_listens_is_somebody_else, pair_setup, pair_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
