/* Lines out of a byte stream, however it is cut: the same bytes in pieces of any size give the same lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/messages/framing.h"

#define LIMIT 16

/** What came, as text: each line in brackets, "!" for one that was too long. */
typedef struct heard {
    char text[4096];
    size_t length;
    int stop_after; /* calls until false is returned; negative: never */
} heard;

static void add(heard *h, const char *bytes, size_t length)
{
    assert_true(h->length + length < sizeof h->text);
    memcpy(h->text + h->length, bytes, length);
    h->length += length;
    h->text[h->length] = '\0';
}

static bool on_line(void *context, const char *line, size_t length)
{
    heard *h = context;

    add(h, "[", 1);
    add(h, line, length);
    add(h, "]", 1);
    return h->stop_after < 0 || --h->stop_after > 0;
}

static bool on_too_long(void *context)
{
    heard *h = context;

    add(h, "!", 1);
    return h->stop_after < 0 || --h->stop_after > 0;
}

static framing_listener listen_to(heard *h)
{
    *h = (heard){.stop_after = -1};
    return (framing_listener){.context = h, .line = on_line, .too_long = on_too_long};
}

/** Pushes the bytes in pieces of `step`, each a copy of exactly its own size, so that reading beyond it is seen. */
static size_t push_in_steps(framing *f, const char *bytes, size_t length, size_t step, const framing_listener *listener)
{
    for (size_t i = 0; i < length; i += step) {
        size_t size = length - i < step ? length - i : step;
        char *piece = malloc(size);

        assert_non_null(piece);
        memcpy(piece, bytes + i, size);
        framing_push(f, piece, size, listener);
        free(piece);
    }
    return framing_finish(f, listener);
}

static void every_cut_gives_the_same_lines(void **state)
{
    static const struct {
        const char *bytes, *heard;
    } cases[] = {
        {"", ""},
        {"\n", "[]"},
        {"a\nbc\n\nd\n", "[a][bc][][d]"},
        {"a\r\n\r\nb\rc\r\n", "[a][][b\rc]"},
        {"no end", "[no end]"},
        {"a\nno end\r", "[a][no end]"},
        {"123456789012345\n", "[123456789012345]"}, /* with its newline exactly the limit */
        {"123456789012345", "[123456789012345]"},
        {"1234567890123456", "!"},
        {"1234567890123456\nx\n", "![x]"},
        {"1234567890123456789012345678901234567890\nx\n", "![x]"},
        {"x\n1234567890123456789012345678901234567890", "[x]!"},
        {"1234567890123456\n1234567890123456\n\nx", "!![][x]"},
        {"12345678901234\r\n", "[12345678901234]"},
        {"\xff\xfe\n\x01\n", "[\xff\xfe][\x01]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t step = 1; step <= 64; step++) {
            framing *f = framing_create(LIMIT);
            heard h;
            const framing_listener listener = listen_to(&h);

            push_in_steps(f, cases[i].bytes, strlen(cases[i].bytes), step, &listener);
            assert_string_equal(h.text, cases[i].heard);
            framing_destroy(f);
        }
    }
}

static void zero_bytes_are_bytes(void **state)
{
    framing *f = framing_create(LIMIT);
    heard h;
    const framing_listener listener = listen_to(&h);

    (void)state;
    framing_push(f, "a\0b\n\0\n", 6, &listener);
    assert_int_equal(h.length, 3 + 2 + 1 + 2);
    assert_memory_equal(h.text, "[a\0b][\0]", 8);
    framing_destroy(f);
}

static void a_listener_stops_it_at_once(void **state)
{
    framing *f = framing_create(LIMIT);
    heard h;
    const framing_listener listener = listen_to(&h);

    (void)state;
    h.stop_after = 2;
    framing_push(f, "a\nb\nc\nd", 7, &listener);
    assert_string_equal(h.text, "[a][b]");
    framing_destroy(f);

    f = framing_create(LIMIT);
    listen_to(&h);
    h.stop_after = 1;
    framing_push(f, "1234567890123456\nb\n", 19, &listener);
    assert_string_equal(h.text, "!");
    framing_destroy(f);
}

static void finish_gives_the_rest_once(void **state)
{
    framing *f = framing_create(LIMIT);
    heard h;
    const framing_listener listener = listen_to(&h);

    (void)state;
    framing_push(f, "a\nrest", 6, &listener);
    assert_int_equal(framing_finish(f, &listener), 4);
    assert_int_equal(framing_finish(f, &listener), 0);
    assert_string_equal(h.text, "[a][rest]");
    /* and what comes later begins a line of its own, after a line that was too long, too */
    framing_push(f, "12345678901234567", 17, &listener);
    assert_int_equal(framing_finish(f, &listener), 0);
    framing_push(f, "b\n", 2, &listener);
    assert_string_equal(h.text, "[a][rest]![b]");
    framing_destroy(f);
    framing_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_gives_the_same_lines),
        cmocka_unit_test(zero_bytes_are_bytes),
        cmocka_unit_test(a_listener_stops_it_at_once),
        cmocka_unit_test(finish_gives_the_rest_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
