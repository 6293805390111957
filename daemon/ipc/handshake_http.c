/* The WebSocket handshake: an HTTP/1.1 request for the upgrade, or for one of clashd's pages. Parsing is strict. Checks
 * everything that would admit a foreign web page: the Host that the browser used (otherwise DNS rebinding would work),
 * the page's Origin, and the token. Each refusal is plain HTTP and explains what to change. See handshake.h. */
#include "ipc/handshake_private.h"
#include "protocol/messages/websocket_key.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SUBPROTOCOL "clashd.v1"
#define TOKEN_PREFIX "token."

void http_refuse(handshake *h, const char *status, const char *extra, const char *format, ...)
{
    char body[768];
    va_list arguments;
    int length;

    va_start(arguments, format);
    vsnprintf(body, sizeof body, format, arguments);
    va_end(arguments);
    h->verdict = HANDSHAKE_REFUSE;
    snprintf(h->reason, sizeof h->reason, "%.*s", (int)sizeof h->reason - 1, body);
    length = snprintf(h->answer, sizeof h->answer,
                      "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\n" HTTP_GUARDS
                      "Content-Length: %zu\r\nConnection: close\r\n%s\r\n%s\n",
                      status, strlen(body) + 1, extra, body);
    h->answer_length = (size_t)length < sizeof h->answer ? (size_t)length : sizeof h->answer - 1;
}

/* HEAD: omit the body, whatever the Content-Length. */
void http_cut_body(handshake *h)
{
    const char *end = memmem(h->answer, h->answer_length, "\r\n\r\n", 4);

    if (end)
        h->answer_length = (size_t)(end - h->answer) + 4;
}

static bool is_loopback_host(http_text host)
{
    return http_equals(host, "localhost") || http_equals(host, "127.0.0.1") || http_equals(host, "[::1]");
}

/* Strip the port, if there is one. */
static http_text without_port(http_text host)
{
    size_t length = host.length;

    while (length > 0 && host.bytes[length - 1] >= '0' && host.bytes[length - 1] <= '9')
        length--;
    if (length > 0 && host.bytes[length - 1] == ':')
        host.length = length - 1;
    return host;
}

static bool is_in(const char (*list)[128], size_t count, http_text text)
{
    for (size_t i = 0; i < count; i++)
        if (http_equals(text, list[i]))
            return true;
    return false;
}

static bool is_host_allowed(const handshake_rules *rules, http_text host)
{
    http_text name = without_port(host);

    return is_loopback_host(name) || is_in(rules->allowed_hosts, rules->host_count, name);
}

/* Return whether the page came from this server: its Origin equals the Host of the request, which was checked
 * before. */
bool http_is_own_origin(const http_request *r)
{
    const size_t scheme = strlen("http://");

    return r->origin.length == scheme + r->host.length && strncasecmp(r->origin.bytes, "http://", scheme) == 0 &&
           strncasecmp(r->origin.bytes + scheme, r->host.bytes, r->host.length) == 0;
}

static bool is_origin_allowed(const handshake_rules *rules, const http_request *r)
{
    static const char *const schemes[] = {"http://", "https://"};
    const http_text origin = r->origin;

    if (http_is_own_origin(r))
        return true;
    if (rules->origin_count > 0)
        return is_in(rules->allowed_origins, rules->origin_count, origin);
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(schemes[i]);

        if (origin.length > length && memcmp(origin.bytes, schemes[i], length) == 0)
            return is_loopback_host(without_port((http_text){origin.bytes + length, origin.length - length}));
    }
    return false;
}

bool http_check_names(const handshake_rules *rules, const http_request *r, handshake *h)
{
    char shown[128];

    if (!r->host.bytes) {
        http_refuse(h, "400 Bad Request", "", "there is no Host header");
    } else if (!is_host_allowed(rules, r->host)) {
        http_show(r->host, shown, sizeof shown);
        http_refuse(h, "403 Forbidden", "",
                    "Host: %s is not a name of this machine that clashd knows: connect to 127.0.0.1, or add the name, "
                    "without a port, to socket.allowed_hosts in clashd's configuration",
                    shown);
    } else if (r->origin.bytes && !is_origin_allowed(rules, r)) {
        http_show(r->origin, shown, sizeof shown);
        http_refuse(h, "403 Forbidden", "",
                    "Origin: pages of %s may not connect: add it to socket.allowed_origins in clashd's configuration",
                    shown);
    } else {
        return true;
    }
    return false;
}

static bool is_key(http_text key)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    if (key.length != WEBSOCKET_KEY_LENGTH || memcmp(key.bytes + key.length - 2, "==", 2) != 0)
        return false;
    for (size_t i = 0; i < key.length - 2; i++)
        if (!memchr(letters, key.bytes[i], sizeof letters - 1))
            return false;
    return true;
}

static bool check_upgrade(const http_request *r, handshake *h)
{
    if (!r->upgrades || !r->connection_upgrades)
        http_refuse(
            h, "426 Upgrade Required", "Upgrade: websocket\r\n",
            "this is clashd's WebSocket: connect with a WebSocket client, for instance new WebSocket(\"ws://..\")");
    else if (!http_equals(r->version, "13"))
        http_refuse(h, "426 Upgrade Required", "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
                    "Sec-WebSocket-Version: expected 13");
    else if (!is_key(r->key))
        http_refuse(h, "400 Bad Request", "", "Sec-WebSocket-Key: expected 16 bytes in base64");
    else if (r->has_protocols && !r->has_subprotocol)
        http_refuse(h, "400 Bad Request", "",
                    "Sec-WebSocket-Protocol: expected " SUBPROTOCOL " among them, or no such header");
    else
        return true;
    return false;
}

bool http_check_token(const handshake_rules *rules, const http_request *r, handshake *h)
{
    if (!rules->token || (r->token.bytes && token_matches(rules->token, r->token.bytes, r->token.length)))
        return true;
    http_refuse(h, "401 Unauthorized", "WWW-Authenticate: Bearer realm=\"clashd\"\r\n",
                "%s: this clashd requires the one in %.300s, as Sec-WebSocket-Protocol: " SUBPROTOCOL ", " TOKEN_PREFIX
                "HEX, as ?token=HEX, or as Authorization: Bearer HEX; it is a new one whenever clashd starts",
                r->token.bytes ? "wrong token" : "no token", token_place(rules->token));
    return false;
}

static void accept_upgrade(const http_request *r, handshake *h)
{
    char accept[WEBSOCKET_ACCEPT_SIZE];
    int length;

    websocket_accept_of(r->key.bytes, accept);
    h->verdict = HANDSHAKE_ADMIT;
    length = snprintf(h->answer, sizeof h->answer,
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: %s\r\n%s\r\n",
                      accept, r->has_subprotocol ? "Sec-WebSocket-Protocol: " SUBPROTOCOL "\r\n" : "");
    h->answer_length = (size_t)length;
}

/* Methods are case-sensitive: RFC 9110, 9.1. */
bool http_is_method(const http_request *r, const char *name)
{
    return r->method.length == strlen(name) && memcmp(r->method.bytes, name, r->method.length) == 0;
}

/* An incomplete upgrade counts too: its refusal explains what is missing. */
static bool is_upgrade(const http_request *r)
{
    return r->upgrades || r->key.bytes || r->version.bytes || r->has_protocols;
}

static void judge_request(const handshake_rules *rules, const char *bytes, size_t length, handshake *h)
{
    http_request r;
    const char *wrong = http_parse(bytes, length, SUBPROTOCOL, TOKEN_PREFIX, &r);

    if (wrong)
        http_refuse(h, "400 Bad Request", "", "%s", wrong);
    else if (rules->page_count > 0 && !is_upgrade(&r))
        page_judge(rules, &r, h);
    else if (!http_is_method(&r, "GET"))
        http_refuse(h, "405 Method Not Allowed", "Allow: GET\r\n",
                    "only GET with an upgrade to WebSocket is understood");
    else if (http_check_names(rules, &r, h) && check_upgrade(&r, h) && http_check_token(rules, &r, h))
        accept_upgrade(&r, h);
}

size_t handshake_header_end(const char *bytes, size_t length, size_t seen)
{
    const size_t start = seen > 3 ? seen - 3 : 0;
    const char *end = memmem(bytes + start, length - start, "\r\n\r\n", 4);

    return end ? (size_t)(end - bytes) + 4 : 0;
}

void handshake_judge_http(const handshake_rules *rules, const char *bytes, size_t length, bool complete,
                          handshake *out_handshake)
{
    out_handshake->verdict = HANDSHAKE_MORE;
    out_handshake->answer_length = 0;
    out_handshake->page = (page_request){0};
    out_handshake->id[0] = out_handshake->reason[0] = '\0';
    if (length > 0 && (bytes[0] < 'A' || bytes[0] > 'Z'))
        http_refuse(out_handshake, "400 Bad Request", "",
                    "expected HTTP: this is clashd's WebSocket; lines of JSON go to socket.tcp");
    else if (complete)
        judge_request(rules, bytes, length, out_handshake);
    else if (length >= HANDSHAKE_HEADER_MAX && !memchr(bytes, '\n', length))
        http_refuse(out_handshake, "414 URI Too Long", "", "the first line has more than %d bytes",
                    HANDSHAKE_HEADER_MAX);
    else if (length >= HANDSHAKE_HEADER_MAX)
        http_refuse(out_handshake, "431 Request Header Fields Too Large", "",
                    "the header has more than %d bytes: does the browser send cookies here?", HANDSHAKE_HEADER_MAX);
}

void handshake_http_timeout(unsigned wait_ms, handshake *out_handshake)
{
    http_refuse(out_handshake, "408 Request Timeout", "", "no whole request within %u ms", wait_ms);
}

void handshake_http_full(size_t max_clients, handshake *out_handshake)
{
    http_refuse(out_handshake, "503 Service Unavailable", "",
                "socket.max_clients: %zu clients are connected, no more are allowed", max_clients);
}
