/* A page larger than any socket's buffers, from memory and from a file: who reads it gets all of it, others are served in between, who
 * does not read is cut off in time; a file that shrinks ends early; an answer may come later or never; where there is no memory for it
 * the answer says so. */
#include "support/endpoint_fixture.h"
#include "support/fresh.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/address.h"

#define PAGE_BYTES (16u << 20)
#define REQUEST "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define SIZE (PAGE_BYTES + 4096)

static page_answer *asked; /* by the last request, where it is answered later */
static int file = -1;      /* that is the page; -1: memory is */
static int told_gone;

static const page_head head = {.content_type = "text/plain", .cache = "no-store", .length = PAGE_BYTES};

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

static char *make_page(void)
{
    char *bytes = malloc(PAGE_BYTES);

    assert_non_null(bytes);
    for (size_t i = 0; i < PAGE_BYTES; i++)
        bytes[i] = (char)('a' + i % 26);
    return bytes;
}

static void on_page(void *context, page_answer *a, const page_request *request)
{
    assert_string_equal(request->route->path, "/page");
    if (file >= 0)
        page_answer_file(a, &head, dup(file));
    else
        page_answer_heap(a, &head, ((fixture *)context)->out_of_memory ? NULL : make_page());
}

static void on_gone(void *context)
{
    asked = NULL;
    *(int *)context += 1;
}

static void on_page_later(void *context, page_answer *a, const page_request *request)
{
    (void)context, (void)request;
    asked = a;
    page_answer_later(a, on_gone, &told_gone);
}

static int connect_to(fixture *f)
{
    failure error = {0};
    address a;
    int fd;

    assert_int_equal(address_parse(endpoint_address(f->endpoint), &a, fresh(&error)), 0);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){4096}, sizeof(int)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a.storage, a.length), 0);
    assert_int_equal(send(fd, REQUEST, strlen(REQUEST), 0), (ssize_t)strlen(REQUEST));
    return fd;
}

/* A connection that has asked for the page. */
static int ask(fixture *f, uint32_t wait_ms, void (*page)(void *context, page_answer *a, const page_request *request))
{
    static const page_route route = {.path = "/page", .access = PAGE_PUBLIC};
    const endpoint_settings settings = {.loop = &f->loop,
                                        .kind = ENDPOINT_WEBSOCKET,
                                        .address = "127.0.0.1:0",
                                        .rules = {.pages = &route, .page_count = 1},
                                        .wait_ms = wait_ms,
                                        .max_clients = 1,
                                        .context = f,
                                        .clients = count_clients,
                                        .admitted = on_admitted,
                                        .page = page};
    failure error = {0};

    assert_int_equal(endpoint_open(&settings, &f->endpoint, fresh(&error)), LISTENER_OK);
    return connect_to(f);
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

static void expect_all(fixture *f, int fd)
{
    char *text = calloc(1, SIZE), *body;
    size_t length;

    assert_non_null(text);
    length = read_all(f, fd, text, SIZE);
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

static void who_reads_gets_all(void **state)
{
    fixture *f = *state;

    expect_all(f, ask(f, 250000, on_page));
}

/* Longer than anybody may wait who reads nothing: what counts is that it goes on. */
static void who_reads_slowly_gets_all(void **state)
{
    fixture *f = *state;
    int fd = ask(f, 1000, on_page);
    size_t length = 0;
    ssize_t count;
    char *piece = malloc(PAGE_BYTES / 16);

    assert_non_null(piece);
    for (size_t next = PAGE_BYTES / 64;;) {
        uv_run(&f->loop, UV_RUN_NOWAIT);
        count = recv(fd, piece, PAGE_BYTES / 16, MSG_DONTWAIT);
        if (count == 0)
            break;
        length += count > 0 ? (size_t)count : 0;
        if (length >= next) {
            next += PAGE_BYTES / 64;
            usleep(20000);
        }
    }
    assert_true(length > PAGE_BYTES);
    assert_int_equal(endpoint_get_counters(f->endpoint)->pages, 1);
    free(piece);
    close(fd);
}

static void open_file(void)
{
    FILE *made = tmpfile();
    char *bytes = make_page();

    assert_non_null(made);
    assert_int_equal(fwrite(bytes, 1, PAGE_BYTES, made), PAGE_BYTES);
    assert_int_equal(fflush(made), 0);
    file = dup(fileno(made));
    assert_true(file >= 0);
    fclose(made);
    free(bytes);
}

static void close_file(void)
{
    close(file);
    file = -1;
}

static void who_reads_gets_all_of_a_file(void **state)
{
    fixture *f = *state;

    open_file();
    expect_all(f, ask(f, 250000, on_page));
    close_file();
}

/* It is no shorter than was said, so it is cut off: whoever reads it sees that something is missing. */
static void a_file_that_shrinks_ends_early(void **state)
{
    fixture *f = *state;
    char *text = calloc(1, SIZE);
    size_t length;
    int fd;

    assert_non_null(text);
    open_file();
    fd = ask(f, 250000, on_page);
    while (recv(fd, text, 1, MSG_DONTWAIT | MSG_PEEK) != 1)
        uv_run(&f->loop, UV_RUN_NOWAIT);
    assert_int_equal(ftruncate(file, 1000), 0);
    length = read_all(f, fd, text, SIZE);
    assert_non_null(strstr(text, "\r\nContent-Length: 16777216\r\n"));
    assert_true(length < PAGE_BYTES);
    assert_int_equal(endpoint_get_counters(f->endpoint)->pages, 0);
    assert_int_equal(endpoint_pending_count(f->endpoint), 0);
    close_file();
    free(text);
    close(fd);
}

static void until_cut_off(fixture *f)
{
    do
        uv_run(&f->loop, UV_RUN_ONCE);
    while (endpoint_get_counters(f->endpoint)->pages == 0 && endpoint_pending_count(f->endpoint) != 0);
    assert_int_equal(endpoint_get_counters(f->endpoint)->pages, 0);
    assert_int_equal(endpoint_pending_count(f->endpoint), 0);
}

static void who_does_not_is_cut_off(void **state)
{
    fixture *f = *state;
    int fd = ask(f, 100, on_page);

    f->clients = 1; /* all there may be: the page is there all the same */
    until_cut_off(f);
    close(fd);
}

static void who_does_not_read_a_file_is_cut_off(void **state)
{
    fixture *f = *state;
    int fd;

    open_file();
    fd = ask(f, 100, on_page);
    until_cut_off(f);
    close_file();
    close(fd);
}

/* The endpoint goes while a piece is being read; the fixture's loop then has nothing left open. */
static void it_ends_in_the_middle_of_a_file(void **state)
{
    fixture *f = *state;
    char byte;
    int fd;

    open_file();
    fd = ask(f, 250000, on_page);
    while (recv(fd, &byte, 1, MSG_DONTWAIT) != 1)
        uv_run(&f->loop, UV_RUN_NOWAIT);
    endpoint_close(f->endpoint);
    f->endpoint = NULL;
    close_file();
    close(fd);
}

static void where_there_is_no_memory(void **state)
{
    fixture *f = *state;
    char text[4096] = "";
    int fd;

    f->out_of_memory = true;
    fd = ask(f, 250000, on_page);
    read_all(f, fd, text, sizeof text - 1);
    assert_memory_equal(text, "HTTP/1.1 503 ", 13);
    assert_int_equal(endpoint_get_counters(f->endpoint)->refused, 1);
    close(fd);
}

static void an_answer_comes_later(void **state)
{
    fixture *f = *state;
    char text[4096] = "";
    int fd;

    told_gone = 0;
    fd = ask(f, 250000, on_page_later);
    while (!asked)
        uv_run(&f->loop, UV_RUN_ONCE);
    page_answer_static(asked, &(page_head){.content_type = "text/plain", .cache = "no-store", .length = 4}, "late");
    read_all(f, fd, text, sizeof text - 1);
    assert_memory_equal(text, "HTTP/1.1 200 ", 13);
    assert_non_null(strstr(text, "\r\n\r\nlate"));
    assert_int_equal(told_gone, 0);
    asked = NULL;
    close(fd);
}

static void an_answer_never_comes(void **state)
{
    fixture *f = *state;
    char text[4096] = "";
    int fd;

    told_gone = 0;
    fd = ask(f, 100, on_page_later);
    read_all(f, fd, text, sizeof text - 1);
    assert_memory_equal(text, "HTTP/1.1 503 ", 13);
    assert_int_equal(told_gone, 1);
    assert_int_equal(endpoint_pending_count(f->endpoint), 0);
    close(fd);
}

static void it_ends_before_the_answer(void **state)
{
    fixture *f = *state;
    int fd;

    told_gone = 0;
    fd = ask(f, 250000, on_page_later);
    while (!asked)
        uv_run(&f->loop, UV_RUN_ONCE);
    endpoint_close(f->endpoint);
    f->endpoint = NULL;
    assert_int_equal(told_gone, 1);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_reads_gets_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_reads_slowly_gets_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_reads_gets_all_of_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_shrinks_ends_early, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_does_not_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_does_not_read_a_file_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_ends_in_the_middle_of_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_there_is_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_answer_comes_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_answer_never_comes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_ends_before_the_answer, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
