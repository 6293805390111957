/* Addresses where clients cannot be let in: which of them are a mistake in the settings, which are somebody else's, and what
 * is said; and connections still in their handshake when the endpoint closes. */
#include "support/connect_to.h"
#include "support/endpoint_fixture.h"
#include "support/fresh.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t count_clients(void *context)
{
    (void)context;
    return 0;
}

static void on_admitted(void *context, endpoint_kind kind, int fd, const char *id)
{
    (void)context, (void)kind, (void)id;
    close(fd);
    fail();
}

static listener_result open_at(fixture *f, const char *where, endpoint **out)
{
    const endpoint_settings settings = {.loop = &f->loop,
                                        .kind = ENDPOINT_WEBSOCKET,
                                        .address = where,
                                        .wait_ms = 250000,
                                        .max_clients = 4,
                                        .context = f,
                                        .clients = count_clients,
                                        .admitted = on_admitted};

    *out = NULL;
    return endpoint_open(&settings, out, fresh(&f->error));
}

static void what_is_no_address_is_refused(void **state)
{
    fixture *f = *state;

    assert_int_equal(open_at(f, "here:and:there", &f->endpoint), LISTENER_BAD);
    assert_null(f->endpoint);
    assert_non_null(strstr(f->error.text, "'here:and:there' is no address to listen on"));
    assert_non_null(strstr(f->error.text, "expected HOST:PORT or PORT"));
}

/* One that documents are written with: RFC 5737. */
static void an_address_of_no_interface_is_a_mistake(void **state)
{
    fixture *f = *state;

    assert_int_equal(open_at(f, "192.0.2.1:4717", &f->endpoint), LISTENER_BAD);
    assert_null(f->endpoint);
    assert_non_null(strstr(f->error.text, "cannot listen on 192.0.2.1:4717: "));
}

static void a_port_that_is_taken_is_named(void **state)
{
    fixture *f = *state;
    char where[ADDRESS_TEXT_MAX], expected[160];
    endpoint *second;

    assert_int_equal(open_at(f, "127.0.0.1:0", &f->endpoint), LISTENER_OK);
    snprintf(where, sizeof where, "%s", endpoint_address(f->endpoint));
    snprintf(expected, sizeof expected, "cannot listen on %s: another program listens there", where);
    assert_int_equal(open_at(f, where, &second), LISTENER_BUSY);
    assert_null(second);
    assert_non_null(strstr(f->error.text, expected));
}

static void pending_ones_close_with_their_endpoint(void **state)
{
    fixture *f = *state;
    int fds[3];
    char byte;

    assert_int_equal(open_at(f, "127.0.0.1:0", &f->endpoint), LISTENER_OK);
    for (size_t i = 0; i < 3; i++) {
        fds[i] = connect_to(endpoint_address(f->endpoint));
        while (endpoint_pending_count(f->endpoint) <= i)
            uv_run(&f->loop, UV_RUN_ONCE);
    }
    assert_int_equal(send(fds[1], "GET / HT", 8, 0), 8); /* in the middle of its handshake */
    close(fds[2]);                                       /* gone without a word */
    while (endpoint_pending_count(f->endpoint) == 3)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_int_equal(endpoint_get_counters(f->endpoint)->refused, 1);
    endpoint_close(f->endpoint);
    f->endpoint = NULL;
    uv_run(&f->loop, UV_RUN_DEFAULT);
    for (size_t i = 0; i < 2; i++) {
        assert_true(recv(fds[i], &byte, 1, 0) <= 0);
        close(fds[i]);
    }
}

int main(void)
{
#define WITH_LOOP(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_LOOP(what_is_no_address_is_refused),
        WITH_LOOP(an_address_of_no_interface_is_a_mistake),
        WITH_LOOP(a_port_that_is_taken_is_named),
        WITH_LOOP(pending_ones_close_with_their_endpoint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
