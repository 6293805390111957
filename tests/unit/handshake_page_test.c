/* Plain requests of HTTP at the port of the WebSocket: which page they ask for, who may have it, and what its answer says. */
#include "ipc/handshake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What a plain request gets; with the token "a" where there is one. */
static const handshake *asked(const handshake_rules *rules, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const handshake *asked(const handshake_rules *rules, const char *format, ...)
{
    static handshake h;
    char request[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    handshake_judge_http(rules, request, strlen(request), true, &h);
    return &h;
}

static void assert_refused(const handshake *h, const char *status, bool with_body)
{
    const char *end = strstr(h->answer, "\r\n\r\n");

    assert_int_equal(h->verdict, HANDSHAKE_REFUSE);
    assert_memory_equal(h->answer + 9, status, 3);
    assert_non_null(end);
    assert_int_equal(end + 4 < h->answer + h->answer_length, with_body);
}

static const page_route metrics[] = {{.path = "/metrics", .access = PAGE_TOKEN}};
static const page_route pages[] = {
    {.path = "/", .access = PAGE_PUBLIC},
    {.path = "/page.js", .access = PAGE_PUBLIC},
    {.path = "/logs", .access = PAGE_OWN},
    {.path = "/logs/", .access = PAGE_OWN},
};
enum { PAGES = sizeof pages / sizeof pages[0] };

static void the_page_is_for_plain_requests(void **state)
{
    const handshake_rules rules = {.pages = metrics, .page_count = 1}, none = {0};
    const handshake *h;

    (void)state;
    h = asked(&rules, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_int_equal(h->verdict, HANDSHAKE_PAGE);
    assert_false(h->page.head_only);
    assert_int_equal(asked(&rules, "GET /metrics?a=b HTTP/1.1\r\nHost: [::1]:1\r\n\r\n")->verdict, HANDSHAKE_PAGE);
    h = asked(&rules, "HEAD /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    assert_int_equal(h->verdict, HANDSHAKE_PAGE);
    assert_true(h->page.head_only);
    assert_refused(asked(&rules, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403", true);
    assert_refused(asked(&rules, "HEAD /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403", false);
    assert_refused(asked(&rules, "GET /metrics HTTP/1.1\r\n\r\n"), "400", true);
    assert_refused(asked(&rules, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: http://x.y\r\n\r\n"), "403",
                   true);
    assert_refused(asked(&rules, "GET /metric HTTP/1.1\r\nHost: localhost\r\n\r\n"), "404", true);
    assert_refused(asked(&rules, "GET /metrics/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), "404", true);
    assert_refused(asked(&none, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), "426", true);
    for (const char *method = "POST\0PUT\0DELETE\0Get\0OPTIONS\0"; *method; method += strlen(method) + 1) {
        h = asked(&rules, "%s /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", method);
        assert_refused(h, "405", true);
        assert_non_null(strstr(h->answer, "\r\nAllow: GET, HEAD\r\n"));
    }
}

static void the_page_wants_the_token_too(void **state)
{
    static token t;
    const handshake_rules rules = {.pages = metrics, .page_count = 1, .token = &t};

    (void)state;
    memset(t.text, 'a', TOKEN_LENGTH);
    snprintf(t.path, sizeof t.path, "/run/x.token");
#define HEAD "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
    assert_refused(asked(&rules, HEAD "\r\n"), "401", true);
    for (const char *scheme = "Bearer\0bearer\0BEARER \0"; *scheme; scheme += strlen(scheme) + 1)
        assert_int_equal(asked(&rules, HEAD "Authorization: %s %s\r\n\r\n", scheme, t.text)->verdict, HANDSHAKE_PAGE);
    assert_refused(asked(&rules, HEAD "Authorization: Basic %s\r\n\r\n", t.text), "401", true);
    assert_refused(asked(&rules, HEAD "Authorization: Bearer %sa\r\n\r\n", t.text), "401", true);
    assert_refused(asked(&rules, HEAD "Authorization: Bearer\r\n\r\n"), "401", true);
    assert_refused(asked(&rules, HEAD "Authorization: Bearer %s\r\nAuthorization: Bearer %s\r\n\r\n", t.text, t.text),
                   "400", true);
    assert_int_equal(asked(&rules, "GET /metrics?token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", t.text)->verdict,
                     HANDSHAKE_PAGE);
#undef HEAD
}

/* Which page a path is, and what is not quite one. */
static void a_page_is_found_by_its_whole_path(void **state)
{
    static token t;
    const handshake_rules rules = {.pages = pages, .page_count = PAGES, .token = &t};
    static const struct {
        const char *path;
        int page; /* -1: none */
    } rows[] = {{"/", 0},         {"/?x", 0},         {"/page.js", 1},    {"/page.js?v=1", 1},
                {"/logs", 2},     {"/logs/x", 3},     {"/logs/%2e", 3},   {"/logs/", -1},
                {"/page.j", -1},  {"/page.jss", -1},  {"/page.js/", -1},  {"//", -1},
                {"/PAGE.JS", -1}, {"/page%2ejs", -1}, {"/./page.js", -1}, {"/../page.js", -1}};

    (void)state;
    memset(t.text, 'a', TOKEN_LENGTH);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const handshake *h = asked(&rules, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n",
                                   rows[i].path, t.text);

        if (rows[i].page < 0) {
            assert_refused(h, "404", true);
            continue;
        }
        assert_int_equal(h->verdict, HANDSHAKE_PAGE);
        assert_ptr_equal(h->page.route, &pages[rows[i].page]);
    }
}

/* A page without a secret needs no token, but a Host; one that is for our own page alone needs the token in any case. */
static void who_may_see_which_page(void **state)
{
    static token t;
    const handshake_rules rules = {.pages = pages, .page_count = PAGES, .token = &t};
    const handshake_rules waived = {.pages = pages, .page_count = PAGES};

    (void)state;
    memset(t.text, 'a', TOKEN_LENGTH);
#define PUBLIC "GET /page.js HTTP/1.1\r\nHost: localhost:1\r\n"
#define OWN "GET /logs/x HTTP/1.1\r\nHost: localhost:1\r\nAuthorization: Bearer %s\r\n"
    assert_int_equal(asked(&rules, PUBLIC "\r\n")->verdict, HANDSHAKE_PAGE);
    assert_refused(asked(&rules, PUBLIC "Origin: http://evil.example\r\n\r\n"), "403", true);
    assert_refused(asked(&rules, "GET /page.js HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403", true);
    assert_refused(asked(&rules, "GET /none HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403", true);
    assert_refused(asked(&rules, "GET /logs/x HTTP/1.1\r\nHost: localhost:1\r\n\r\n"), "401", true);
    assert_refused(asked(&waived, "GET /logs/x HTTP/1.1\r\nHost: localhost:1\r\n\r\n"), "403", true);
    assert_int_equal(asked(&rules, OWN "\r\n", t.text)->verdict, HANDSHAKE_PAGE);
    assert_int_equal(asked(&rules, OWN "Origin: http://localhost:1\r\n\r\n", t.text)->verdict, HANDSHAKE_PAGE);
    assert_refused(asked(&rules, OWN "Origin: http://localhost:2\r\n\r\n", t.text), "403", true);
    assert_refused(asked(&rules, OWN "Origin: https://localhost:1\r\n\r\n", t.text), "403", true);
    assert_int_equal(asked(&rules, OWN "Sec-Fetch-Site: same-origin\r\n\r\n", t.text)->verdict, HANDSHAKE_PAGE);
    assert_refused(asked(&rules, OWN "Sec-Fetch-Site: same-site\r\n\r\n", t.text), "403", true);
    assert_refused(asked(&rules, OWN "Sec-Fetch-Site: cross-site\r\n\r\n", t.text), "403", true);
#undef PUBLIC
#undef OWN
}

/* Our own page may connect under each name that is allowed, whatever other origins the settings name; nothing that only looks like
 * it may. */
static void our_own_page_may_connect(void **state)
{
    static const char hosts[][128] = {"pc.local"}, origins[][128] = {"https://game.example"};
    const handshake_rules rules = {
        .allowed_hosts = hosts, .host_count = 1, .allowed_origins = origins, .origin_count = 1};
    static const struct {
        const char *host, *origin;
        bool may;
    } rows[] = {{"pc.local:4718", "http://pc.local:4718", true},
                {"pc.local:4718", "http://PC.local:4718", true},
                {"localhost:4718", "http://localhost:4718", true},
                {"localhost:4718", "http://localhost:4719", false},
                {"pc.local:4718", "http://pc.local", false},
                {"pc.local:4718", "http://pc.local:4718.evil.example", false},
                {"pc.local:4718", "https://pc.local:4718", false},
                {"evil.example", "http://evil.example", false},
                {"pc.local:4718", "null", false},
                {"pc.local:4718", "https://game.example", true}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const handshake *h =
            asked(&rules,
                  "GET / HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                  rows[i].host, rows[i].origin);

        assert_int_equal(h->verdict, rows[i].may ? HANDSHAKE_ADMIT : HANDSHAKE_REFUSE);
    }
}

static bool has_line(const handshake *h, const char *line)
{
    char wanted[256];

    snprintf(wanted, sizeof wanted, "\r\n%s\r\n", line);
    return memmem(h->answer, h->answer_length, wanted, strlen(wanted)) != NULL;
}

/* What is there already is not sent again, and what a browser may do with a page stands in each answer. */
static void the_head_of_a_page(void **state)
{
    const page_head head = {.content_type = "text/html", .cache = "no-cache", .etag = "\"abc\"", .length = 5};
    static const struct {
        const char *none_match;
        bool is_there;
    } rows[] = {{"\"abc\"", true}, {"W/\"abc\"", true}, {"\"x\", \"abc\"", true}, {"*", true}, {"\"abcd\"", false},
                {"abc", false},    {"", false}};
    page_request request = {.host = {"localhost:1", 11}};
    static handshake h;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        request.none_match = (http_text){rows[i].none_match, strlen(rows[i].none_match)};
        assert_int_equal(handshake_page_head(&head, &request, &h), !rows[i].is_there);
        assert_memory_equal(h.answer, rows[i].is_there ? "HTTP/1.1 304 " : "HTTP/1.1 200 ", 13);
        assert_int_equal(has_line(&h, "Content-Length: 5"), !rows[i].is_there);
        assert_true(has_line(&h, "ETag: \"abc\""));
    }
    request.none_match = (http_text){NULL, 0};
    assert_true(handshake_page_head(&head, &request, &h));
    assert_true(has_line(&h, "X-Content-Type-Options: nosniff") && has_line(&h, "X-Frame-Options: DENY"));
    assert_non_null(memmem(h.answer, h.answer_length, "\r\nContent-Security-Policy: default-src 'none'; ", 46));
    assert_non_null(memmem(h.answer, h.answer_length, "connect-src 'self' ws://localhost:1\r\n", 37));
    request = (page_request){.host = {"[::1]:1", 7}, .head_only = true};
    assert_false(handshake_page_head(&head, &request, &h));
    assert_true(has_line(&h, "Content-Length: 5"));
    assert_non_null(memmem(h.answer, h.answer_length, "connect-src 'self'\r\n", 20));
    handshake_page_refuse("404 Not Found", "no", &request, &h);
    assert_refused(&h, "404", false);
}

static void begin_with(char *bytes, const char *text)
{
    for (size_t i = 0; text[i]; i++)
        bytes[i] = text[i];
}

/* Half an upgrade is no page: it is told what is missing. One line too long is not the headers' fault. */
static void neither_page_nor_upgrade(void **state)
{
    const handshake_rules rules = {.pages = pages, .page_count = PAGES};
    static char bytes[HANDSHAKE_HEADER_MAX];
    static handshake h;

    (void)state;
    assert_refused(asked(&rules, "GET / HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Version: 13\r\n\r\n"), "426",
                   true);
    assert_refused(asked(&rules, "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n"), "426", true);
    memset(bytes, 'a', sizeof bytes);
    begin_with(bytes, "GET /");
    handshake_judge_http(&rules, bytes, sizeof bytes, false, &h);
    assert_refused(&h, "414", true);
    begin_with(bytes, "GET / HTTP/1.1\r\n");
    handshake_judge_http(&rules, bytes, sizeof bytes, false, &h);
    assert_refused(&h, "431", true);
}

/* Whoever shows two may have had the second one put behind the first by somebody else: neither counts. */
static void two_tokens_are_none(void **state)
{
    static token t;
    const handshake_rules rules = {.pages = metrics, .page_count = 1, .token = &t};
    static const char *const requests[] = {
        "GET /metrics?token=x&token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /metrics?token=%s&token=x HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /metrics?token&token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /metrics?token=%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Protocol: clashd.v1, token.x, token.%s\r\n\r\n",
        ("GET / HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Protocol: clashd.v1, token.x\r\n"
         "Sec-WebSocket-Protocol: token.%s\r\n\r\n"),
        "GET /?token=%s HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Protocol: clashd.v1, token.x\r\n\r\n",
    };

    (void)state;
    memset(t.text, 'a', TOKEN_LENGTH);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        char request[512];
        const char *mark = strstr(requests[i], "%s");

        snprintf(request, sizeof request, "%.*s%s%s", (int)(mark - requests[i]), requests[i], t.text, mark + 2);
        const handshake *h = asked(&rules, "%s", request);
        assert_refused(h, "400", true);
        assert_non_null(strstr(h->answer, "there are two tokens"));
    }
    assert_int_equal(asked(&rules,
                           "GET /metrics?token=%s&tokens=x HTTP/1.1\r\nHost: localhost\r\n"
                           "Authorization: Basic x\r\n\r\n",
                           t.text)
                         ->verdict,
                     HANDSHAKE_PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_for_plain_requests),    cmocka_unit_test(the_page_wants_the_token_too),
        cmocka_unit_test(a_page_is_found_by_its_whole_path), cmocka_unit_test(who_may_see_which_page),
        cmocka_unit_test(our_own_page_may_connect),          cmocka_unit_test(the_head_of_a_page),
        cmocka_unit_test(neither_page_nor_upgrade),          cmocka_unit_test(two_tokens_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
