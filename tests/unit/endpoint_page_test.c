/* A page larger than any socket's buffers: who reads it gets all of it, who does not is cut off in time, and where there is no
 * memory for it the answer says so. */
#include "support/endpoint_fixture.h"
#include "support/fresh.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/address.h"

#define PAGE_BYTES (16u << 20)
#define REQUEST "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n"

static size_t count_clients(void *context)
{
    return ((fixture *)context)->clients;
}

static void on_admitted(void *context, endpoint_kind kind, int fd, const char *id)
{
    (void)context, (void)kind, (void)id;
    close(fd);
    fail();
}

static void make_page(void *context, endpoint_page *out_page)
{
    if (((fixture *)context)->out_of_memory)
        return;
    *out_page = (endpoint_page){.bytes = malloc(PAGE_BYTES), .length = PAGE_BYTES, .content_type = "text/plain"};
    assert_non_null(out_page->bytes);
    for (size_t i = 0; i < PAGE_BYTES; i++)
        out_page->bytes[i] = (char)('a' + i % 26);
}

/* A connection that has asked for the page. */
static int ask(fixture *f, uint32_t wait_ms)
{
    const endpoint_settings settings = {.loop = &f->loop,
                                        .kind = ENDPOINT_WEBSOCKET,
                                        .address = "127.0.0.1:0",
                                        .rules = {.page = "/page"},
                                        .wait_ms = wait_ms,
                                        .max_clients = 1,
                                        .context = f,
                                        .clients = count_clients,
                                        .admitted = on_admitted,
                                        .page = make_page};
    failure error = {0};
    address a;
    int fd;

    assert_int_equal(endpoint_open(&settings, &f->endpoint, fresh(&error)), LISTENER_OK);
    assert_int_equal(address_parse(endpoint_address(f->endpoint), &a, fresh(&error)), 0);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){4096}, sizeof(int)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a.storage, a.length), 0);
    assert_int_equal(send(fd, REQUEST, strlen(REQUEST), 0), (ssize_t)strlen(REQUEST));
    return fd;
}

/* What comes until the connection ends, which lets the loop go on meanwhile. */
static size_t read_all(fixture *f, int fd, char *out, size_t size)
{
    size_t length = 0;

    for (;;) {
        ssize_t count = recv(fd, out + length, size - length, MSG_DONTWAIT);

        if (count == 0)
            return length;
        if (count > 0)
            length += (size_t)count;
        else
            uv_run(&f->loop, UV_RUN_NOWAIT);
    }
}

static void who_reads_gets_all(void **state)
{
    fixture *f = *state;
    const size_t size = PAGE_BYTES + 4096;
    char *text = calloc(1, size), *body;
    size_t length;
    int fd = ask(f, 250000);

    assert_non_null(text);
    length = read_all(f, fd, text, size);
    body = strstr(text, "\r\n\r\n");
    assert_memory_equal(text, "HTTP/1.1 200 OK\r\n", 17);
    assert_non_null(strstr(text, "\r\nContent-Length: 16777216\r\n"));
    assert_non_null(body);
    assert_int_equal(text + length - (body + 4), PAGE_BYTES);
    for (size_t i = 0; i < PAGE_BYTES; i++)
        assert_int_equal(body[4 + i], 'a' + (char)(i % 26));
    assert_int_equal(endpoint_get_counters(f->endpoint)->pages, 1);
    assert_int_equal(endpoint_pending_count(f->endpoint), 0);
    free(text);
    close(fd);
}

static void who_does_not_is_cut_off(void **state)
{
    fixture *f = *state;
    int fd = ask(f, 100);

    f->clients = 1; /* all there may be: the page is there all the same */
    do
        uv_run(&f->loop, UV_RUN_ONCE);
    while (endpoint_get_counters(f->endpoint)->pages == 0 && endpoint_pending_count(f->endpoint) != 0);
    assert_int_equal(endpoint_get_counters(f->endpoint)->pages, 0);
    assert_int_equal(endpoint_pending_count(f->endpoint), 0);
    close(fd);
}

static void where_there_is_no_memory(void **state)
{
    fixture *f = *state;
    char text[4096] = "";
    int fd;

    f->out_of_memory = true;
    fd = ask(f, 250000);
    read_all(f, fd, text, sizeof text - 1);
    assert_memory_equal(text, "HTTP/1.1 503 ", 13);
    assert_int_equal(endpoint_get_counters(f->endpoint)->refused, 1);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_reads_gets_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_does_not_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_there_is_no_memory, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
