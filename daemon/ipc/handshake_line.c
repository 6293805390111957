/* The TCP handshake: the first line must be an `auth` with the right token. A connection whose first byte cannot begin
 * a line of JSON, such as an HTTP request that a web page made a browser send, is dropped at that byte. See
 * handshake.h. */
#include "ipc/handshake.h"
#include "protocol/messages/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void refuse(handshake *h, const char *id, protocol_error_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void refuse(handshake *h, const char *id, protocol_error_code code, const char *format, ...)
{
    protocol_error error = {.code = code};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    h->verdict = HANDSHAKE_REFUSE;
    snprintf(h->reason, sizeof h->reason, "%.*s", (int)sizeof h->reason - 1, error.message);
    h->answer_length = protocol_encode_error(h->answer, sizeof h->answer, id, &error);
}

/* Return where the first non-empty line begins, within the bytes received so far. */
static size_t find_line(const char *bytes, size_t length)
{
    const char *line = bytes, *end = bytes + length, *newline;

    while ((newline = memchr(line, '\n', (size_t)(end - line))) != NULL &&
           parse_is_blank(line, (size_t)(newline - line)))
        line = newline + 1;
    return (size_t)(line - bytes);
}

/* Search from the beginning each time, 4 KiB at most: empty lines may precede the first line. */
size_t handshake_line_end(const char *bytes, size_t length, size_t seen)
{
    const size_t line = find_line(bytes, length), from = seen > line ? seen : line;
    const char *newline = memchr(bytes + from, '\n', length - from);

    return newline ? (size_t)(newline - bytes) + 1 : 0;
}

bool handshake_can_begin_line(char c)
{
    return c == '{' || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\xef';
}

/* `request` is static because it is large; all handshakes run on one thread. */
static void judge_request(const handshake_rules *rules, const char *line, size_t length, handshake *h)
{
    static protocol_request request;
    protocol_error error = {0};

    if (protocol_parse_request(line, length, &request, &error) != 0)
        refuse(h, request.id, error.code, "%.400s", error.message);
    else if (request.type != PROTOCOL_REQUEST_AUTH)
        refuse(h, request.id, PROTOCOL_ERROR_UNAUTHORIZED,
               "no token: this clashd requires the one in %.300s; a client shows it in its first line, "
               "{\"type\":\"auth\",\"token\":\"..\"}",
               token_place(rules->token));
    else if (!token_matches(rules->token, request.token, strlen(request.token)))
        refuse(h, request.id, PROTOCOL_ERROR_UNAUTHORIZED,
               "wrong token: this clashd requires the one in %.300s, which is a new one whenever clashd starts",
               token_place(rules->token));
    else {
        h->verdict = HANDSHAKE_ADMIT;
        snprintf(h->id, sizeof h->id, "%s", request.id);
    }
}

void handshake_judge_line(const handshake_rules *rules, const char *bytes, size_t length, bool complete,
                          handshake *out_handshake)
{
    out_handshake->verdict = HANDSHAKE_MORE;
    out_handshake->answer_length = 0;
    out_handshake->id[0] = out_handshake->reason[0] = '\0';
    if (length == 0)
        return;
    if (!handshake_can_begin_line(bytes[0])) {
        out_handshake->verdict = HANDSHAKE_DROP;
        snprintf(out_handshake->reason, sizeof out_handshake->reason, "its first byte, 0x%02x, begins no message",
                 (unsigned char)bytes[0]);
    } else if (complete) {
        const size_t line = find_line(bytes, length - 1);

        judge_request(rules, bytes + line, length - 1 - line, out_handshake);
    } else if (length >= HANDSHAKE_LINE_MAX) {
        refuse(out_handshake, "", PROTOCOL_ERROR_LINE_TOO_LONG, "the first line was longer than %d bytes",
               HANDSHAKE_LINE_MAX);
    }
}

void handshake_line_timeout(const handshake_rules *rules, unsigned wait_ms, handshake *out_handshake)
{
    refuse(out_handshake, "", PROTOCOL_ERROR_UNAUTHORIZED,
           "no {\"type\":\"auth\",\"token\":\"..\"} within %u ms; the token is in %.300s", wait_ms,
           token_place(rules->token));
}

void handshake_line_full(size_t max_clients, handshake *out_handshake)
{
    refuse(out_handshake, "", PROTOCOL_ERROR_LIMIT, "max_clients: %zu clients are connected, no more are allowed",
           max_clients);
}
