/* The first bytes of a connection over TCP or WebSocket, and the frames after an upgrade. However the bytes arrive, the
 * verdict and the messages are the same; who is let in has shown the token, under a name and from a page that the rules
 * allow, which is looked up here in another way; who is not gets one line that says why, and never the token. The first
 * byte says which rules, the second how the bytes are cut. */
#include <stdbool.h>
#include <strings.h>

#include "cli/utf8.h"
#include "fuzz/fuzz.h"
#include "ipc/handshake.h"
#include "ipc/websocket.h"
#include "support/bits.h"

enum { MESSAGE_MAX = 4096, STREAM_MAX = 32768 };

enum { RULE_TOKEN = 1, RULE_ORIGINS = 2, RULE_HOSTS = 4, RULE_LINE = 8, RULE_PAGES = 16 };

static const token secret = {.text = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                             .path = "/run/user/1000/clashd/clashd.token"};
static const char origins[][128] = {"https://game.example"};
static const char hosts[][128] = {"pc.local"};

static const page_route pages[] = {
    {.path = "/", .access = PAGE_PUBLIC},
    {.path = "/metrics", .access = PAGE_TOKEN},
    {.path = "/logs/", .access = PAGE_OWN},
};

/* ---- the handshake ---- */

typedef struct seen {
    handshake answer;
    size_t length; /* of the handshake in the stream */
} seen;

static size_t find_end(bool line, const char *bytes, size_t length, size_t before)
{
    return line ? handshake_line_end(bytes, length, before) : handshake_header_end(bytes, length, before);
}

static void judge(const handshake_rules *rules, bool line, const char *bytes, size_t length, bool complete, seen *out)
{
    memset(&out->answer, '#', sizeof out->answer);
    if (line)
        handshake_judge_line(rules, bytes, length, complete, &out->answer);
    else
        handshake_judge_http(rules, bytes, length, complete, &out->answer);
    out->length = length;
}

/* As an endpoint does: what has come is looked at, up to the end of the handshake or the most that it may be. */
static void open_pending(const handshake_rules *rules, bool line, const char *bytes, size_t size, size_t step,
                         seen *out)
{
    size_t most = line ? HANDSHAKE_LINE_MAX : HANDSHAKE_HEADER_MAX, length = 0;

    size = size < most ? size : most;
    judge(rules, line, bytes, 0, false, out);
    while (out->answer.verdict == HANDSHAKE_MORE && length < size) {
        size_t before = length, end;

        length = size - length < step ? size : length + step;
        end = find_end(line, bytes, length, before);
        FUZZ_CHECK(end <= length && (end == 0 || end > before));
        length = end > 0 ? end : length;
        judge(rules, line, bytes, length, end > 0, out);
    }
    FUZZ_CHECK(size < most || out->answer.verdict != HANDSHAKE_MORE);
}

/* The value of a header, its white space off; NULL where there is none. `out` has room for any. */
static const char *header_of(const char *bytes, size_t length, const char *name, char *out)
{
    const size_t size = strlen(name);
    const char *at = bytes, *end = bytes + length;

    while ((at = memmem(at, (size_t)(end - at), "\r\n", 2))) {
        at += 2;
        if ((size_t)(end - at) <= size || strncasecmp(at, name, size) != 0 || at[size] != ':')
            continue;
        const char *last = memmem(at, (size_t)(end - at), "\r\n", 2);
        size_t count = 0;

        for (at += size + 1; at < last; at++)
            if (*at != ' ' && *at != '\t')
                out[count++] = *at;
        out[count] = '\0';
        return out;
    }
    return NULL;
}

/* One of the names, and behind it nothing or a port. */
static bool is_named(const char *text, const char *const *names)
{
    for (; *names; names++) {
        size_t length = strlen(*names);

        if (strncasecmp(text, *names, length) != 0)
            continue;
        text += length;
        return text[0] == '\0' || (text[0] == ':' && strspn(text + 1, "0123456789") == strlen(text + 1));
    }
    return false;
}

static bool may_come_in(const handshake_rules *rules, const char *bytes, size_t length)
{
    static const char *const ours[] = {"localhost", "127.0.0.1", "[::1]", NULL};
    static const char *const more[] = {"localhost", "127.0.0.1", "[::1]", "pc.local", NULL};
    static char text[HANDSHAKE_HEADER_MAX], own[HANDSHAKE_HEADER_MAX + sizeof "http://"];
    const char *host = header_of(bytes, length, "host", text);

    if (!host || !is_named(host, rules->host_count > 0 ? more : ours))
        return false;
    snprintf(own, sizeof own, "http://%s", host);
    const char *origin = header_of(bytes, length, "origin", text);
    if (origin && strcasecmp(origin, own) == 0)
        return true; /* a page that has come from here */
    if (origin && rules->origin_count > 0)
        return strcasecmp(origin, origins[0]) == 0;
    if (origin)
        return (strncmp(origin, "http://", 7) == 0 && is_named(origin + 7, ours)) ||
               (strncmp(origin, "https://", 8) == 0 && is_named(origin + 8, ours));
    return true;
}

static void check_admitted(const handshake_rules *rules, bool line, const char *bytes, const seen *s)
{
    static const char upgraded[] = "HTTP/1.1 101 ";
    const handshake *h = &s->answer;

    FUZZ_CHECK(!rules->token || memmem(bytes, s->length, secret.text, TOKEN_LENGTH));
    if (line) {
        FUZZ_CHECK(h->answer_length == 0 && memchr(h->id, '\0', sizeof h->id));
        return;
    }
    FUZZ_CHECK(may_come_in(rules, bytes, s->length));
    FUZZ_CHECK(h->answer_length > 4 && memcmp(h->answer, upgraded, sizeof upgraded - 1) == 0);
    FUZZ_CHECK(memcmp(h->answer + h->answer_length - 4, "\r\n\r\n", 4) == 0);
}

/* A page that may be seen, and the head of its answer, which is whole, and in which nothing of the request but the Host is. */
static void check_page(const handshake_rules *rules, const char *bytes, const seen *s)
{
    const page_head head = {.content_type = "text/plain", .cache = "no-store", .etag = "\"abc\"", .length = 3};
    const page_request *request = &s->answer.page;
    static handshake h;

    FUZZ_CHECK(rules->page_count > 0 && request->route >= pages && request->route < pages + rules->page_count);
    FUZZ_CHECK(may_come_in(rules, bytes, s->length));
    FUZZ_CHECK(request->path.bytes >= bytes && request->path.bytes + request->path.length <= bytes + s->length);
    FUZZ_CHECK(strncmp(request->path.bytes, request->route->path, strlen(request->route->path)) == 0);
    FUZZ_CHECK(request->route->access == PAGE_PUBLIC || !rules->token ||
               memmem(bytes, s->length, secret.text, TOKEN_LENGTH));
    FUZZ_CHECK(request->route->access != PAGE_OWN || rules->token);
    FUZZ_CHECK(!handshake_page_head(&head, request, &h) || !request->head_only);
    FUZZ_CHECK(h.answer_length > 4 && h.answer_length < sizeof h.answer);
    FUZZ_CHECK(memmem(h.answer, h.answer_length, "\r\n\r\n", 4) == h.answer + h.answer_length - 4);
}

/* Whoever does not know the token does not learn it. An answer to HEAD has no body. */
static void check_refused(const handshake_rules *rules, bool line, const char *bytes, const seen *s)
{
    const bool knows = memmem(bytes, s->length, secret.text, TOKEN_LENGTH) != NULL;
    const handshake *h = &s->answer;
    const char *body = line ? h->answer : memmem(h->answer, h->answer_length, "\r\n\r\n", 4);
    const char *end = h->answer + h->answer_length, *at = body + (line ? 0 : 4);

    FUZZ_CHECK(h->answer_length > 1 && h->answer_length < sizeof h->answer && h->reason[0] && body);
    FUZZ_CHECK(line || memcmp(h->answer, "HTTP/1.1 4", 10) == 0);
    FUZZ_CHECK(knows || !memmem(h->answer, h->answer_length, secret.text, TOKEN_LENGTH));
    FUZZ_CHECK(knows || !strstr(h->reason, secret.text));
    if (!line && at == end && rules->page_count > 0 && memcmp(bytes, "HEAD ", 5) == 0)
        return;
    FUZZ_CHECK(memchr(at, '\n', (size_t)(end - at)) == end - 1);
    for (; !line && at < end - 1; at++)
        FUZZ_CHECK(*at >= ' ' && *at <= '~');
}

/* ---- frames ---- */

typedef struct heard {
    uint64_t messages; /* a hash of all, in order */
    size_t count;
    bool open;
    unsigned code; /* of the close frame that it was answered with */
} heard;

static void on_message(void *context, const char *text, size_t length)
{
    heard *h = context;

    FUZZ_CHECK(length <= MESSAGE_MAX && h->code == 0);
    for (size_t at = 0, size; at < length; at += size) {
        size = utf8_length(text + at, length - at);
        FUZZ_CHECK(size > 0);
    }
    h->messages = bits_hash(bits_hash(h->messages, text, length), &length, sizeof length);
    h->count++;
}

/* Whole control frames, without a mask, and none after a close. */
static void on_answer(void *context, const char *frame, size_t length)
{
    const uint8_t *at = (const uint8_t *)frame, *end = at + length;
    heard *h = context;

    while (at < end) {
        FUZZ_CHECK(h->code == 0 && end - at >= 2 && (at[0] == 0x88 || at[0] == 0x8a));
        FUZZ_CHECK(at[1] <= 125 && end - at >= 2 + at[1]);
        if (at[0] == 0x88)
            h->code = at[1] >= 2 ? (unsigned)at[2] << 8 | at[3] : 1005;
        at += 2 + at[1];
    }
}

static heard push_frames(const char *bytes, size_t size, size_t step)
{
    heard h = {.messages = BITS_HASH_EMPTY, .open = true};
    const websocket_listener listener = {.context = &h, .message = on_message, .answer = on_answer};
    websocket *w = websocket_create(MESSAGE_MAX);

    if (!w)
        exit(3);
    for (size_t at = 0; h.open && at < size; at += step)
        h.open = websocket_push(w, bytes + at, size - at < step ? size - at : step, &listener);
    FUZZ_CHECK(h.open == (h.code == 0));
    websocket_destroy(w);
    return h;
}

/* Whether the stream ends within the payload of a close frame; of frames that break no rule of length or mask. */
static bool ends_in_close(const char *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes, *end = at + size;

    while (end - at >= 6) {
        const size_t code = at[1] & 127, header = code == 126 ? 8 : 6;
        size_t length = code;

        if (code == 127 || (size_t)(end - at) < header)
            return false;
        if (code == 126)
            length = (size_t)at[2] << 8 | at[3];
        if ((size_t)(end - at) - header < length)
            return (at[0] & 15) == 8;
        at += header + length;
    }
    return false;
}

/* Of a code only whether there is one: where a frame is wrong twice over, which mistake is met first depends on the cut.
 * A close frame's reason is looked at before it is all there, but for the first two bytes of each piece (libwslay 1.1.1
 * takes those of every piece for the code): so one that never ends may close the connection or leave it waiting. */
static void check_frames(const char *bytes, size_t size, size_t step)
{
    heard whole = push_frames(bytes, size, STREAM_MAX), pieces = push_frames(bytes, size, step);

    FUZZ_CHECK(whole.open == pieces.open || ends_in_close(bytes, size));
    FUZZ_CHECK(whole.count == pieces.count && whole.messages == pieces.messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const uint8_t chosen = fuzz_byte(&in);
    const size_t step = 1 + (size_t)fuzz_byte(&in);
    const bool line = (chosen & RULE_LINE) != 0;
    const handshake_rules rules = {.token = line || (chosen & RULE_TOKEN) ? &secret : NULL,
                                   .allowed_origins = origins,
                                   .origin_count = (chosen & RULE_ORIGINS) != 0,
                                   .allowed_hosts = hosts,
                                   .host_count = (chosen & RULE_HOSTS) != 0,
                                   .pages = pages,
                                   .page_count = chosen & RULE_PAGES ? sizeof pages / sizeof pages[0] : 0};
    const char *bytes = (const char *)in.data;
    static seen whole, pieces;

    if (in.size > STREAM_MAX)
        return 0;
    open_pending(&rules, line, bytes, in.size, STREAM_MAX, &whole);
    open_pending(&rules, line, bytes, in.size, step, &pieces);
    FUZZ_CHECK(whole.answer.verdict == pieces.answer.verdict);
    if (whole.answer.verdict == HANDSHAKE_ADMIT) {
        FUZZ_CHECK(whole.length == pieces.length);
        check_admitted(&rules, line, bytes, &whole);
        check_admitted(&rules, line, bytes, &pieces);
    } else if (whole.answer.verdict == HANDSHAKE_PAGE) {
        check_page(&rules, bytes, &whole);
        check_page(&rules, bytes, &pieces);
    } else if (whole.answer.verdict == HANDSHAKE_REFUSE) {
        check_refused(&rules, line, bytes, &whole);
        check_refused(&rules, line, bytes, &pieces);
    }
    if (whole.answer.verdict == HANDSHAKE_ADMIT && !line)
        check_frames(bytes + whole.length, in.size - whole.length, step);
    return 0;
}
