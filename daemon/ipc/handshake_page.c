/* Plain HTTP requests: which page they ask for, whether the client may get it, and the head of the answer. See
 * handshake.h. */
#include "ipc/handshake_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Load, run and connect to nothing but this server; scripts may compile WebAssembly. */
#define POLICY                                                                                                      \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; "      \
    "font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src " \
    "'self'"

static bool fits(const page_route *route, http_text path)
{
    const size_t length = strlen(route->path);
    const bool stands_for_more = length > 1 && route->path[length - 1] == '/';

    return (stands_for_more ? path.length > length : path.length == length) &&
           memcmp(path.bytes, route->path, length) == 0;
}

static const page_route *find_route(const handshake_rules *rules, http_text path)
{
    for (size_t i = 0; i < rules->page_count; i++)
        if (fits(&rules->pages[i], path))
            return &rules->pages[i];
    return NULL;
}

/* Browsers identify a foreign page in either header; other programs send neither. */
static bool check_own(const handshake_rules *rules, const http_request *r, handshake *h)
{
    if ((r->origin.bytes && !http_is_own_origin(r)) ||
        (r->fetch_site.bytes && !http_equals(r->fetch_site, "same-origin") && !http_equals(r->fetch_site, "none")))
        http_refuse(h, "403 Forbidden", "", "this is for clashd's own page, and for programs, and for no other page");
    else if (!rules->token)
        http_refuse(h, "403 Forbidden", "",
                    "this is only for who shows a token, and socket.require_token is false in clashd's configuration");
    else
        return true;
    return false;
}

static bool check_access(const handshake_rules *rules, const http_request *r, page_access access, handshake *h)
{
    return access == PAGE_PUBLIC || ((access != PAGE_OWN || check_own(rules, r, h)) && http_check_token(rules, r, h));
}

void page_judge(const handshake_rules *rules, const http_request *r, handshake *h)
{
    const http_text path = http_path(r);
    const page_route *route = find_route(rules, path);
    char shown[128];

    h->page = (page_request){route, path, r->host, r->none_match, http_is_method(r, "HEAD")};
    http_show(path, shown, sizeof shown);
    if (!h->page.head_only && !http_is_method(r, "GET")) {
        http_refuse(h, "405 Method Not Allowed", "Allow: GET, HEAD\r\n",
                    "only GET and HEAD are understood here, and an upgrade to WebSocket");
    } else if (http_check_names(rules, r, h)) {
        if (!route)
            http_refuse(h, "404 Not Found", "",
                        "there is no %s here: clashd's page is at /, and its WebSocket wants a WebSocket client",
                        shown);
        else if (check_access(rules, r, route->access, h))
            h->verdict = HANDSHAKE_PAGE;
    }
    if (h->page.head_only && h->verdict == HANDSHAKE_REFUSE)
        http_cut_body(h);
}

/* Weak comparison as in RFC 9110, 13.1.2. clashd's own tags never contain a comma or a quote. */
static bool has_tag(http_text list, const char *etag)
{
    const size_t length = strlen(etag);
    const char *found;

    if (list.length == 1 && list.bytes[0] == '*')
        return true;
    found = list.length > 0 ? memmem(list.bytes, list.length, etag, length) : NULL;
    return found != NULL;
}

/* Some browsers do not match ws: with 'self'. A policy cannot contain an IPv6 address. */
static void name_websocket(http_text host, char *out_text, size_t size)
{
    out_text[0] = '\0';
    if (host.length > 0 && host.bytes[0] != '[')
        snprintf(out_text, size, " ws://%.*s", (int)host.length, host.bytes);
}

bool handshake_page_head(const page_head *head, const page_request *request, handshake *h)
{
    const bool is_there = head->etag && has_tag(request->none_match, head->etag);
    char websocket[160], length[64] = "";
    int count;

    name_websocket(request->host, websocket, sizeof websocket);
    if (!is_there)
        snprintf(length, sizeof length, "Content-Length: %" PRIu64 "\r\n", head->length);
    count = snprintf(h->answer, sizeof h->answer,
                     "HTTP/1.1 %s\r\nContent-Type: %s\r\n%sCache-Control: %s\r\n%s%s%s" HTTP_GUARDS
                     "Content-Security-Policy: " POLICY "%s\r\nConnection: close\r\n\r\n",
                     is_there ? "304 Not Modified" : "200 OK", head->content_type, length, head->cache,
                     head->etag ? "ETag: " : "", head->etag ? head->etag : "", head->etag ? "\r\n" : "", websocket);
    h->answer_length = (size_t)count < sizeof h->answer ? (size_t)count : sizeof h->answer - 1;
    return !is_there && !request->head_only;
}

void handshake_page_refuse(const char *status, const char *text, const page_request *request, handshake *out_handshake)
{
    http_refuse(out_handshake, status, "", "%s", text);
    if (request->head_only)
        http_cut_body(out_handshake);
}
