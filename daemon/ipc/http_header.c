/* Parses the header of one request by RFC 9112. See http_header.h. */
#include "ipc/http_header.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool http_equals(http_text text, const char *expected)
{
    return text.bytes && text.length == strlen(expected) && strncasecmp(text.bytes, expected, text.length) == 0;
}

void http_show(http_text text, char *out_text, size_t size)
{
    size_t length = text.length < size - 1 ? text.length : size - 1;

    for (size_t i = 0; i < length; i++)
        out_text[i] = (char)(text.bytes[i] >= ' ' && text.bytes[i] <= '~' ? text.bytes[i] : '?');
    out_text[length] = '\0';
}

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static http_text take_until(http_text *rest, char end)
{
    const char *found = memchr(rest->bytes, end, rest->length);
    http_text part = {rest->bytes, found ? (size_t)(found - rest->bytes) : rest->length};
    size_t taken = part.length + (found != NULL);

    rest->bytes += taken;
    rest->length -= taken;
    return part;
}

static http_text trim(http_text text)
{
    while (text.length > 0 && (text.bytes[0] == ' ' || text.bytes[0] == '\t')) {
        text.bytes++;
        text.length--;
    }
    while (text.length > 0 && (text.bytes[text.length - 1] == ' ' || text.bytes[text.length - 1] == '\t'))
        text.length--;
    return text;
}

static bool is_method(http_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!is_token_char(text.bytes[i]))
            return false;
    return text.length > 0;
}

static bool is_visible(http_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] <= ' ' || text.bytes[i] > '~')
            return false;
    return true;
}

http_text http_path(const http_request *request)
{
    http_text query = request->target;

    return take_until(&query, '?');
}

/* Refuse two tokens: a proxy may have checked the one that clashd would ignore. */
static const char *take_token(http_request *r, http_text token)
{
    if (r->token.bytes)
        return "there are two tokens, expected one";
    r->token = token;
    return NULL;
}

static const char *take_query_token(http_request *r)
{
    http_text query = r->target;
    const char *wrong = NULL;

    take_until(&query, '?');
    while (query.length > 0 && !wrong) {
        http_text part = take_until(&query, '&');
        http_text name = take_until(&part, '=');

        if (name.length == 5 && memcmp(name.bytes, "token", 5) == 0)
            wrong = take_token(r, part);
    }
    return wrong;
}

static const char *parse_request_line(http_text line, http_request *r)
{
    r->method = take_until(&line, ' ');
    r->target = take_until(&line, ' ');
    if (!is_method(r->method) || r->target.length == 0 || r->target.bytes[0] != '/' || !is_visible(r->target) ||
        line.length != strlen("HTTP/1.1") || memcmp(line.bytes, "HTTP/1.1", line.length) != 0)
        return "expected a request like GET / HTTP/1.1";
    return take_query_token(r);
}

static bool list_has(http_text list, const char *word)
{
    while (list.length > 0)
        if (http_equals(trim(take_until(&list, ',')), word))
            return true;
    return false;
}

static const char *take_protocols(http_text list, const char *subprotocol, const char *token_prefix, http_request *r)
{
    size_t prefix = strlen(token_prefix);
    const char *wrong = NULL;

    r->has_protocols = true;
    while (list.length > 0 && !wrong) {
        http_text word = trim(take_until(&list, ','));

        if (word.length == strlen(subprotocol) && memcmp(word.bytes, subprotocol, word.length) == 0)
            r->has_subprotocol = true;
        else if (word.length > prefix && memcmp(word.bytes, token_prefix, prefix) == 0)
            wrong = take_token(r, (http_text){word.bytes + prefix, word.length - prefix});
    }
    return wrong;
}

static const char *set_once(http_text *out, http_text value, const char *twice)
{
    if (out->bytes)
        return twice;
    *out = value;
    return NULL;
}

/* RFC 6750: the scheme's name, case-insensitive, then the token. */
static const char *take_bearer(http_request *r)
{
    http_text rest = r->authorization, scheme = take_until(&rest, ' ');

    return http_equals(scheme, "bearer") ? take_token(r, trim(rest)) : NULL;
}

static const char *take_header(http_text name, http_text value, const char *subprotocol, const char *token_prefix,
                               http_request *r)
{
    if (http_equals(name, "host"))
        return set_once(&r->host, value, "there are two Host headers");
    if (http_equals(name, "origin"))
        return set_once(&r->origin, value, "there are two Origin headers");
    if (http_equals(name, "sec-websocket-key"))
        return set_once(&r->key, value, "there are two Sec-WebSocket-Key headers");
    if (http_equals(name, "sec-websocket-version"))
        return set_once(&r->version, value, "there are two Sec-WebSocket-Version headers");
    if (http_equals(name, "authorization"))
        return set_once(&r->authorization, value, "there are two Authorization headers");
    if (http_equals(name, "if-none-match"))
        return set_once(&r->none_match, value, "there are two If-None-Match headers");
    if (http_equals(name, "sec-fetch-site"))
        return set_once(&r->fetch_site, value, "there are two Sec-Fetch-Site headers");
    if (http_equals(name, "upgrade"))
        r->upgrades = r->upgrades || list_has(value, "websocket");
    else if (http_equals(name, "connection"))
        r->connection_upgrades = r->connection_upgrades || list_has(value, "upgrade");
    else if (http_equals(name, "sec-websocket-protocol"))
        return take_protocols(value, subprotocol, token_prefix, r);
    else if (http_equals(name, "transfer-encoding") ||
             (http_equals(name, "content-length") && !http_equals(value, "0")))
        return "a request with a body is not understood";
    return NULL;
}

static bool is_value(http_text value)
{
    for (size_t i = 0; i < value.length; i++)
        if ((unsigned char)value.bytes[i] < ' ' ? value.bytes[i] != '\t' : value.bytes[i] == 0x7f)
            return false;
    return true;
}

/* Take one line, without its end. */
static bool take_line(http_text *rest, http_text *out_line)
{
    *out_line = take_until(rest, '\n');
    if (out_line->length == 0 || out_line->bytes[out_line->length - 1] != '\r')
        return false;
    out_line->length--;
    return true;
}

const char *http_parse(const char *bytes, size_t length, const char *subprotocol, const char *token_prefix,
                       http_request *out_request)
{
    static const char bad_line[] = "a line of the header is not as HTTP/1.1 has it";
    http_text rest = {bytes, length}, line;
    const char *wrong;

    *out_request = (http_request){0};
    if (!take_line(&rest, &line))
        return bad_line;
    wrong = parse_request_line(line, out_request);
    while (!wrong && take_line(&rest, &line) && line.length > 0) {
        http_text value = line, name = take_until(&value, ':');

        if (name.length == line.length || !is_method(name) || !is_value(value))
            return bad_line;
        wrong = take_header(name, trim(value), subprotocol, token_prefix, out_request);
    }
    if (!wrong && (line.length > 0 || rest.length > 0))
        return bad_line;
    if (!wrong && out_request->authorization.bytes)
        wrong = take_bearer(out_request);
    return wrong;
}
