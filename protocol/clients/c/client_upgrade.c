/* See client_upgrade.h. Whoever answers may be no clashd: nothing of the answer is trusted, and what is shown of it has no
 * control characters. */
#include "client_upgrade.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#define SUBPROTOCOL "clashd.v1"

/** Of the answer, up to `length` bytes: not terminated. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

static bool is_one_word(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text == 127)
            return false;
    return true;
}

size_t client_upgrade_ask(client_upgrade *u, const char *host, const char *path, const char *token,
                          char out[CLIENT_REQUEST_MAX])
{
    uint8_t random[WEBSOCKET_KEY_BYTES];
    char key[BASE64_SIZE(sizeof random)];
    int length;

    u->length = 0;
    if (!is_one_word(host) || !is_one_word(path) || !is_one_word(token) ||
        getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return 0;
    base64_of(random, sizeof random, key);
    websocket_accept_of(key, u->accept);
    length = snprintf(out, CLIENT_REQUEST_MAX,
                      "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Protocol: " SUBPROTOCOL "%s%s\r\n\r\n",
                      path, host, key, token[0] ? ", token." : "", token);
    return length < CLIENT_REQUEST_MAX ? (size_t)length : 0;
}

static bool is_text(piece p, const char *text)
{
    return p.length == strlen(text) && strncasecmp(p.text, text, p.length) == 0;
}

/** Return whether one of the comma-separated words is `word`. */
static bool has_word(piece list, const char *word)
{
    const char *at = list.text, *end = list.length > 0 ? list.text + list.length : at;

    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *last = comma ? comma : end;

        while (at < last && (*at == ' ' || *at == '\t'))
            at++;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if (is_text((piece){at, (size_t)(last - at)}, word))
            return true;
        at = comma ? comma + 1 : end;
    }
    return false;
}

/** The first header of that name; no text if there is none. */
static piece find_header(piece head, const char *name)
{
    const char *at = memchr(head.text, '\n', head.length), *end = head.text + head.length;
    size_t length = strlen(name);

    while (at && ++at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at)), *last = next ? next : end;

        if ((size_t)(last - at) > length && at[length] == ':' && strncasecmp(at, name, length) == 0) {
            at += length + 1;
            while (at < last && (*at == ' ' || *at == '\t'))
                at++;
            while (last > at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'))
                last--;
            return (piece){at, (size_t)(last - at)};
        }
        at = next;
    }
    return (piece){NULL, 0};
}

/** NULL, or what is wrong with an answer that says yes. */
static const char *judge(const client_upgrade *u, piece head)
{
    piece accept = find_header(head, "Sec-WebSocket-Accept"), protocol = find_header(head, "Sec-WebSocket-Protocol");

    if (!is_text(find_header(head, "Upgrade"), "websocket") || !has_word(find_header(head, "Connection"), "upgrade"))
        return "it does not upgrade to WebSocket";
    if (!accept.text || accept.length != strlen(u->accept) || memcmp(accept.text, u->accept, accept.length) != 0)
        return "its Sec-WebSocket-Accept is wrong";
    if (find_header(head, "Sec-WebSocket-Extensions").text)
        return "it wants extensions that nobody offered";
    if (protocol.text && !is_text(protocol, SUBPROTOCOL))
        return "its Sec-WebSocket-Protocol is not " SUBPROTOCOL;
    return NULL;
}

/** A line's worth of `from`, in printable ASCII. */
static int show(piece from, char *out, size_t size)
{
    size_t length = 0;

    for (; length < from.length && length + 1 < size && (unsigned char)from.text[length] >= ' '; length++)
        out[length] = (unsigned char)from.text[length] < 127 ? from.text[length] : '?';
    out[length] = '\0';
    return (int)length;
}

/** The status, and the body's first line, which is where clashd says what to change. */
static void tell_refusal(piece head, piece body, char *out_why, size_t size)
{
    const char *space = memchr(head.text, ' ', head.length);
    size_t after = space ? (size_t)(space + 1 - head.text) : 0;
    char status[64], said[400];

    show((piece){head.text + after, head.length - after}, status, sizeof status);
    if (show(body, said, sizeof said) > 0)
        snprintf(out_why, size, "refused with %s: %s", status, said);
    else
        snprintf(out_why, size, "refused with %s", status);
}

/** Return how long the body says that it is; SIZE_MAX if it does not: it lasts as long as the connection. */
static size_t read_body_length(piece head)
{
    piece length = find_header(head, "Content-Length");
    char digits[12];

    if (!length.text || length.length >= sizeof digits)
        return SIZE_MAX;
    memcpy(digits, length.text, length.length);
    digits[length.length] = '\0';
    return strspn(digits, "0123456789") == length.length ? strtoul(digits, NULL, 10) : SIZE_MAX;
}

static bool is_yes(piece head)
{
    static const char yes[] = "HTTP/1.1 101";

    return head.length > sizeof yes - 1 && memcmp(head.text, yes, sizeof yes - 1) == 0 &&
           (head.text[sizeof yes - 1] == ' ' || head.text[sizeof yes - 1] == '\r');
}

/** Look at what there is; at its end nothing comes any more. */
static client_upgrade_verdict look(const client_upgrade *u, bool is_end, size_t *out_head, char *out_why, size_t size)
{
    const char *end = memmem(u->answer, u->length, "\r\n\r\n", 4), *wrong;
    piece head, body;

    *out_head = u->length;
    if (u->length > 0 && memcmp(u->answer, "HTTP/1.1 ", u->length < 9 ? u->length : 9) != 0) {
        snprintf(out_why, size, "what answers is no WebSocket");
        return CLIENT_UPGRADE_REFUSED;
    }
    if (!end) {
        snprintf(out_why, size, "the answer to the request has no end");
        return is_end || u->length == CLIENT_ANSWER_MAX ? CLIENT_UPGRADE_REFUSED : CLIENT_UPGRADE_MORE;
    }
    head = (piece){u->answer, (size_t)(end - u->answer) + 2};
    body = (piece){end + 4, u->length - head.length - 2};
    *out_head = head.length + 2;
    if (is_yes(head)) {
        wrong = judge(u, head);
        snprintf(out_why, size, "the answer cannot be used: %s", wrong ? wrong : "");
        return wrong ? CLIENT_UPGRADE_REFUSED : CLIENT_UPGRADE_DONE;
    }
    tell_refusal(head, body, out_why, size);
    is_end = is_end || u->length == CLIENT_ANSWER_MAX || body.length >= read_body_length(head);
    return is_end ? CLIENT_UPGRADE_REFUSED : CLIENT_UPGRADE_MORE;
}

client_upgrade_verdict client_upgrade_take(client_upgrade *u, const char *bytes, size_t length, size_t *out_used,
                                           char *out_why, size_t size)
{
    size_t before = u->length, room = CLIENT_ANSWER_MAX - u->length, head;
    client_upgrade_verdict verdict;

    length = length < room ? length : room;
    memcpy(u->answer + u->length, bytes, length);
    u->length += length;
    verdict = look(u, false, &head, out_why, size);
    *out_used = verdict == CLIENT_UPGRADE_DONE ? head - before : length;
    return verdict;
}

void client_upgrade_end(client_upgrade *u, char *out_why, size_t size)
{
    size_t head;

    if (u->length == 0)
        snprintf(out_why, size, "clashd closed the connection");
    else
        look(u, true, &head, out_why, size);
}
