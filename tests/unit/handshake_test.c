/* The upgrade to WebSocket and its frames, as pure functions: what RFC 6455 and 3174 give as examples, requests cut at
 * every byte, and frames in pieces of any size. */
#include "ipc/handshake.h"
#include "ipc/websocket.h"
#include "ipc/wire_line.h"
#include "protocol/messages/websocket_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REQUEST                                                                                   \
    "GET /chat HTTP/1.1\r\nHost: localhost:4717\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: chat, "               \
    "clashd.v1\r\nSec-WebSocket-Version: "                                                        \
    "13\r\nOrigin: http://localhost\r\n\r\n"

/** "Hello", masked: RFC 6455, 5.7. */
static const char masked_hello[] = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";

/** RFC 4648, 10. */
static void base64_is_that_of_the_rfc(void **state)
{
    static const char *const texts[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    char text[BASE64_SIZE(6)];

    (void)state;
    for (size_t length = 0; length <= 6; length++) {
        base64_of((const uint8_t *)"foobar", length, text);
        assert_string_equal(text, texts[length]);
    }
}

static void the_example_of_the_rfc_is_accepted(void **state)
{
    const handshake_rules rules = {0};
    static handshake h;

    (void)state;
    assert_int_equal(handshake_header_end(REQUEST, strlen(REQUEST), 0), strlen(REQUEST));
    handshake_judge_http(&rules, REQUEST, strlen(REQUEST), true, &h);
    assert_int_equal(h.verdict, HANDSHAKE_ADMIT);
    assert_non_null(strstr(h.answer, "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    assert_non_null(strstr(h.answer, "\r\nSec-WebSocket-Protocol: clashd.v1\r\n"));
    assert_int_equal(h.answer_length, strlen(h.answer));
}

/* Of a request that is cut short nothing is said yet; one with any byte changed is answered somehow, within bounds. */
static void requests_cut_and_changed(void **state)
{
    const handshake_rules rules = {0};
    static handshake h;
    const size_t whole = sizeof REQUEST - 1;
    size_t admitted = 0, refused = 0;

    (void)state;
    for (size_t length = 1; length < whole; length++) {
        char *part = malloc(length);
        assert_non_null(part);
        memcpy(part, REQUEST, length);
        assert_int_equal(handshake_header_end(part, length, length / 2), 0);
        handshake_judge_http(&rules, part, length, false, &h);
        assert_int_equal(h.verdict, HANDSHAKE_MORE);
        free(part);
    }
    for (size_t i = 0; i < whole - 4; i++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            char *changed = malloc(whole);
            assert_non_null(changed);
            memcpy(changed, REQUEST, whole);
            changed[i] = (char)byte;
            handshake_judge_http(&rules, changed, whole, true, &h);
            assert_true(h.verdict == HANDSHAKE_ADMIT || h.verdict == HANDSHAKE_REFUSE);
            assert_true(h.answer_length > 0 && h.answer_length < sizeof h.answer);
            admitted += h.verdict == HANDSHAKE_ADMIT;
            refused += h.verdict == HANDSHAKE_REFUSE;
            free(changed);
        }
    }
    assert_true(admitted > 256 && refused > 256);
}

typedef struct heard {
    char text[256];
    size_t length, answers_length;
    char answers[256];
} heard;

static void on_message(void *context, const char *text, size_t length)
{
    heard *h = context;

    h->length += (size_t)snprintf(h->text + h->length, sizeof h->text - h->length, "[%.*s]", (int)length, text);
}

static void on_answer(void *context, const char *frame, size_t length)
{
    heard *h = context;

    assert_true(h->answers_length + length <= sizeof h->answers);
    memcpy(h->answers + h->answers_length, frame, length);
    h->answers_length += length;
}

static bool push_in_steps(heard *h, const char *bytes, size_t length, size_t step)
{
    const websocket_listener listener = {.context = h, .message = on_message, .answer = on_answer};
    websocket *w = websocket_create(16);
    bool open = true;

    assert_non_null(w);
    *h = (heard){.length = 0};
    for (size_t i = 0; open && i < length; i += step) {
        size_t size = length - i < step ? length - i : step;
        char *piece = malloc(size);

        assert_non_null(piece);
        memcpy(piece, bytes + i, size);
        open = websocket_push(w, piece, size, &listener);
        free(piece);
    }
    websocket_destroy(w);
    return open;
}

static void frames_in_pieces_of_any_size(void **state)
{
    /* "Hello", a ping in the middle of "Hel" and "lo", and a close of 1000; masks of zero but for the first */
    static const char rest[] = "\x01\x83\0\0\0\0Hel\x89\x81\0\0\0\0p\x80\x82\0\0\0\0lo\x88\x82\0\0\0\0\x03\xe8";
    char bytes[sizeof masked_hello + sizeof rest];
    const size_t first = sizeof masked_hello - 1, length = first + sizeof rest - 1;
    heard h;

    (void)state;
    memcpy(bytes, masked_hello, first);
    memcpy(bytes + first, rest, sizeof rest - 1);
    for (size_t step = 1; step <= length; step++) {
        assert_false(push_in_steps(&h, bytes, length, step));
        assert_string_equal(h.text, "[Hello][Hello]");
        /* who has asked to close may get no pong any more */
        const size_t close = 4, pong = h.answers_length - close;
        assert_true(step == 1 ? pong == 3 : pong == 3 || pong == 0);
        assert_memory_equal(h.answers, "\x8a\x01p", pong);
        assert_memory_equal(h.answers + pong, "\x88\x02\x03\xe8", close);
    }
}

static void broken_frames_have_their_codes(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        unsigned code;
    } rows[] = {
        {"\x81\x05Hello", 7, 1002},
        {"\x82\x81\0\0\0\0x", 7, 1003},
        {"\x81\x81\0\0\0\0\xff", 7, 1007},
        {"\x81\x91\0\0\0\0xxxxxxxxxxxxxxxxx", 23, 1009},
        {"\x01\x89\0\0\0\0xxxxxxxxx\x80\x88\0\0\0\0yyyyyyyy", 29, 1009},
        {"\xc1\x81\0\0\0\0x", 7, 1002},
        {"\x83\x81\0\0\0\0x", 7, 1002},
        {"\x80\x81\0\0\0\0x", 7, 1002},
        {"\x09\x81\0\0\0\0x", 7, 1002},
        {"\x01\x81\0\0\0\0x\x81\x81\0\0\0\0x", 14, 1002},
        {"\x88\x81\0\0\0\0\x03", 7, 1002},
    };
    heard h;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t step = 1; step <= rows[i].length; step++) {
            assert_false(push_in_steps(&h, rows[i].bytes, rows[i].length, step));
            assert_int_equal(h.length, 0);
            assert_int_equal(h.answers_length, 4);
            assert_int_equal((unsigned)(uint8_t)h.answers[2] << 8 | (uint8_t)h.answers[3], rows[i].code);
        }
    }
}

static void a_close_has_its_code_in_pieces_too(void **state)
{
    static const char bye[] = "\x88\x85\0\0\0\0\x03\xe8"
                              "bye",
                      none[] = "\x88\x85\0\0\0\0\x03\xed"
                               "bye";
    heard h;

    (void)state;
    for (size_t step = 1; step < sizeof bye; step++) {
        assert_false(push_in_steps(&h, bye, sizeof bye - 1, step));
        assert_int_equal((unsigned)(uint8_t)h.answers[2] << 8 | (uint8_t)h.answers[3], 1000);
        assert_false(push_in_steps(&h, none, sizeof none - 1, step));
        assert_int_equal((unsigned)(uint8_t)h.answers[2] << 8 | (uint8_t)h.answers[3], 1002);
    }
}

static void lines_become_frames(void **state)
{
    static const size_t lengths[] = {0, 1, 125, 126, 255, 256, 65535};
    static char text[65536];

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t length = lengths[i], header = length <= 125 ? 2 : 4;

        memset(text, 'x', length);
        text[length] = '\n';
        wire_line *line = wire_line_create(text, length + 1);
        assert_non_null(line);
        wire_span plain = wire_line_span(line, false), frame = wire_line_span(line, true);
        assert_int_equal(plain.length, length + 1);
        assert_int_equal(frame.length, length + header);
        assert_int_equal((uint8_t)frame.bytes[0], 0x81);
        assert_int_equal((uint8_t)frame.bytes[1], header == 2 ? length : 126);
        if (header == 4)
            assert_int_equal((size_t)(uint8_t)frame.bytes[2] << 8 | (uint8_t)frame.bytes[3], length);
        assert_ptr_equal(frame.bytes + header, plain.bytes);
        wire_line_release(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_that_of_the_rfc),
        cmocka_unit_test(the_example_of_the_rfc_is_accepted),
        cmocka_unit_test(requests_cut_and_changed),
        cmocka_unit_test(frames_in_pieces_of_any_size),
        cmocka_unit_test(broken_frames_have_their_codes),
        cmocka_unit_test(a_close_has_its_code_in_pieces_too),
        cmocka_unit_test(lines_become_frames),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
