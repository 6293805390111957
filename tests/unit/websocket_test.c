/* Frames of clients by hand: messages come whole whatever the cut, controls are answered, and each broken rule ends the
 * connection with its code. */
#include "ipc/websocket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 1000

enum { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10, LAST = 0x80 };

typedef struct heard {
    char messages[8192]; /* each with a newline behind it */
    char answers[16384];
    size_t messages_length, answers_length;
} heard;

static void on_message(void *context, const char *text, size_t length)
{
    heard *h = context;

    h->messages_length += (size_t)snprintf(h->messages + h->messages_length, sizeof h->messages - h->messages_length,
                                           "%.*s\n", (int)length, text);
}

static void on_answer(void *context, const char *frame, size_t length)
{
    heard *h = context;

    assert_true(h->answers_length + length <= sizeof h->answers);
    memcpy(h->answers + h->answers_length, frame, length);
    h->answers_length += length;
}

/* A masked frame; returns its length. */
static size_t make_frame(char *out, int first, const char *payload, size_t length)
{
    static const char mask[] = {0x12, 0x34, 0x56, 0x78};
    size_t at = 0;

    out[at++] = (char)first;
    out[at++] = (char)(0x80 | (length < 126 ? (int)length : 126));
    if (length >= 126) {
        out[at++] = (char)(length >> 8);
        out[at++] = (char)(length & 255);
    }
    memcpy(out + at, mask, sizeof mask);
    at += sizeof mask;
    for (size_t i = 0; i < length; i++)
        out[at++] = (char)(payload[i] ^ mask[i % sizeof mask]);
    return at;
}

static bool push(websocket *w, heard *h, const char *bytes, size_t length)
{
    const websocket_listener listener = {.context = h, .message = on_message, .answer = on_answer};

    return websocket_push(w, bytes, length, &listener);
}

static websocket *start(heard *h)
{
    websocket *w = websocket_create(LIMIT);

    assert_non_null(w);
    *h = (heard){.messages_length = 0};
    return w;
}

static void messages_are_whole_whatever_the_cut(void **state)
{
    char bytes[256];
    size_t length = make_frame(bytes, LAST | TEXT, "{\"a\":1}", 7);

    (void)state;
    length += make_frame(bytes + length, TEXT, "{\"b\"", 4);
    length += make_frame(bytes + length, LAST | PING, "?", 1); /* which may stand between the parts of a message */
    length += make_frame(bytes + length, CONTINUATION, "", 0);
    length += make_frame(bytes + length, LAST | CONTINUATION, ":2}", 3);
    length += make_frame(bytes + length, LAST | PONG, "unasked", 7);
    length += make_frame(bytes + length, LAST | TEXT, "", 0);
    for (size_t step = 1; step <= length; step++) {
        heard h;
        websocket *w = start(&h);

        for (size_t at = 0; at < length; at += step)
            assert_true(push(w, &h, bytes + at, step < length - at ? step : length - at));
        assert_string_equal(h.messages, "{\"a\":1}\n{\"b\":2}\n\n");
        assert_int_equal(h.answers_length, 3);
        assert_memory_equal(h.answers, "\x8a\x01?", 3);
        websocket_destroy(w);
    }
}

/* More than what answers gather in at once. */
static void every_ping_has_its_pong(void **state)
{
    enum { PINGS = 60, PAYLOAD = 125 };
    static char bytes[PINGS * (PAYLOAD + 6)];
    char payload[PAYLOAD];
    size_t length = 0;
    heard h;
    websocket *w = start(&h);

    (void)state;
    for (int i = 0; i < PINGS; i++) {
        memset(payload, 'a' + i % 26, sizeof payload);
        length += make_frame(bytes + length, LAST | PING, payload, sizeof payload);
    }
    assert_true(push(w, &h, bytes, length));
    assert_int_equal(h.answers_length, PINGS * (PAYLOAD + 2));
    for (int i = 0; i < PINGS; i++) {
        const char *pong = h.answers + (size_t)i * (PAYLOAD + 2);

        memset(payload, 'a' + i % 26, sizeof payload);
        assert_memory_equal(pong, "\x8a\x7d", 2);
        assert_memory_equal(pong + 2, payload, sizeof payload);
    }
    websocket_destroy(w);
}

static void assert_ends(const char *bytes, size_t length, unsigned code)
{
    char expected[] = {(char)0x88, 2, (char)(code >> 8), (char)(code & 255)};
    heard h;
    websocket *w = start(&h);

    assert_false(push(w, &h, bytes, length));
    assert_int_equal(h.messages_length, 0);
    assert_int_equal(h.answers_length, sizeof expected);
    assert_memory_equal(h.answers, expected, sizeof expected);
    websocket_destroy(w);
}

static void a_broken_rule_ends_with_its_code(void **state)
{
    static char text[LIMIT + 1], bytes[2 * LIMIT];
    static const char unmasked[] = "\x81\x02{}", reserved[] = "\xc1\x82\x12\x34\x56\x78\x69\x49";
    size_t length;

    (void)state;
    memset(text, 'x', sizeof text);
    length = make_frame(bytes, LAST | BINARY, "{}", 2);
    assert_ends(bytes, length, WEBSOCKET_UNSUPPORTED);
    length = make_frame(bytes, LAST | BINARY, "", 0);
    length += make_frame(bytes + length, LAST | TEXT, "{}", 2); /* nothing that comes after counts */
    assert_ends(bytes, length, WEBSOCKET_UNSUPPORTED);
    length = make_frame(bytes, LAST | TEXT, text, LIMIT + 1);
    assert_ends(bytes, length, WEBSOCKET_TOO_BIG);
    length = make_frame(bytes, TEXT, text, LIMIT / 2 + 1);
    length += make_frame(bytes + length, LAST | CONTINUATION, text, LIMIT / 2);
    assert_ends(bytes, length, WEBSOCKET_TOO_BIG);
    length = make_frame(bytes, LAST | TEXT, "\xc3(", 2);
    assert_ends(bytes, length, WEBSOCKET_BAD_UTF8);
    length = make_frame(bytes, LAST | CONTINUATION, "{}", 2);
    assert_ends(bytes, length, WEBSOCKET_PROTOCOL_ERROR);
    length = make_frame(bytes, PING, "", 0); /* in parts, which a control frame may not be */
    assert_ends(bytes, length, WEBSOCKET_PROTOCOL_ERROR);
    length = make_frame(bytes, LAST | PING, text, 126);
    assert_ends(bytes, length, WEBSOCKET_PROTOCOL_ERROR);
    length = make_frame(bytes, LAST | CLOSE, "\x03", 1); /* half a code */
    assert_ends(bytes, length, WEBSOCKET_PROTOCOL_ERROR);
    length = make_frame(bytes, LAST | CLOSE, "\x03\xed", 2); /* 1005 stands for none, and never in a frame */
    assert_ends(bytes, length, WEBSOCKET_PROTOCOL_ERROR);
    assert_ends(unmasked, sizeof unmasked - 1, WEBSOCKET_PROTOCOL_ERROR);
    assert_ends(reserved, sizeof reserved - 1, WEBSOCKET_PROTOCOL_ERROR);
}

static void the_longest_message_is_taken(void **state)
{
    static char text[LIMIT], bytes[2 * LIMIT];
    heard h;
    websocket *w = start(&h);

    (void)state;
    memset(text, 'x', sizeof text);
    assert_true(push(w, &h, bytes, make_frame(bytes, LAST | TEXT, text, LIMIT)));
    assert_int_equal(h.messages_length, LIMIT + 1);
    websocket_destroy(w);
}

static void a_close_is_answered_with_its_code(void **state)
{
    char bytes[64];
    heard h;
    websocket *w = start(&h);

    (void)state;
    assert_false(push(w, &h, bytes, make_frame(bytes, LAST | CLOSE, "\x03\xe8", 2)));
    assert_memory_equal(h.answers, "\x88\x02\x03\xe8", 4);
    assert_int_equal(h.answers_length, 4);
    websocket_destroy(w);
    websocket_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_whole_whatever_the_cut), cmocka_unit_test(every_ping_has_its_pong),
        cmocka_unit_test(a_broken_rule_ends_with_its_code),    cmocka_unit_test(the_longest_message_is_taken),
        cmocka_unit_test(a_close_is_answered_with_its_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
