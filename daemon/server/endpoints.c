/* The server's endpoints besides the Unix socket: TCP and WebSocket, and the token for both. See server.h. */
#include "server_private.h"

#include <stdio.h>

static size_t count_clients(void *context)
{
    return server_clients(context);
}

static int make_token(server *s, failure *out_failure)
{
    char path[PATH_MAX];

    if (token_path_for(s->settings.path, path, sizeof path) == 0)
        return s->settings.token_file ? token_create_kept(&s->token, s->settings.token_file, path, out_failure)
                                      : token_create(&s->token, path, out_failure);
    return fail_int(out_failure, "cannot place a token beside %s: the path is too long", s->settings.path);
}

static listener_result open_endpoint(server *s, endpoint_kind kind, failure *out_failure)
{
    endpoint_settings settings = {.loop = s->settings.loop,
                                  .kind = kind,
                                  .address = s->settings.addresses[kind],
                                  .passed = s->settings.passed[kind],
                                  .rules = s->settings.rules,
                                  .wait_ms = s->settings.wait_ms,
                                  .max_clients = s->settings.max_clients,
                                  .log = s->settings.log,
                                  .context = s,
                                  .clients = count_clients,
                                  .admitted = server_on_admitted,
                                  .page = NULL};

    if (!settings.address && !settings.passed)
        return LISTENER_OK;
    if (s->settings.require_token && !s->token.inode && make_token(s, out_failure) != 0)
        return LISTENER_ERROR;
    if (kind == ENDPOINT_WEBSOCKET && s->settings.has_pages && server_open_pages(s, &settings, out_failure) != 0)
        return LISTENER_ERROR;
    settings.rules.token = s->settings.require_token ? &s->token : NULL;
    return endpoint_open(&settings, &s->endpoints[kind], out_failure);
}

/* Call after the Unix socket is open: its lock makes sure that the token's file is ours. */
listener_result server_open_endpoints(server *s, failure *out_failure)
{
    listener_result result = open_endpoint(s, ENDPOINT_TCP, out_failure);

    return result == LISTENER_OK ? open_endpoint(s, ENDPOINT_WEBSOCKET, out_failure) : result;
}

void server_close_endpoints(server *s)
{
    for (size_t i = 0; i < SERVER_ENDPOINTS; i++) {
        endpoint_close(s->endpoints[i]);
        s->endpoints[i] = NULL;
    }
    token_remove(&s->token);
}

void server_describe(const server *s, endpoint_kind kind, char *out_text, size_t size)
{
    const char *what = kind == ENDPOINT_WEBSOCKET ? "WebSocket" : "TCP";

    out_text[0] = '\0';
    if (s->endpoints[kind] && s->token.inode)
        snprintf(out_text, size, "%s (%s; its token is in %s)", endpoint_address(s->endpoints[kind]), what,
                 token_place(&s->token));
    else if (s->endpoints[kind])
        snprintf(out_text, size, "%s (%s, no token)", endpoint_address(s->endpoints[kind]), what);
}

endpoint_counters server_sum_endpoints(const server *s)
{
    endpoint_counters sum = {0};

    for (size_t i = 0; i < SERVER_ENDPOINTS; i++) {
        const endpoint_counters none = {0}, *one = s->endpoints[i] ? endpoint_get_counters(s->endpoints[i]) : &none;

        sum.pages += one->pages;
        sum.admitted += one->admitted;
        sum.refused += one->refused;
        sum.refused_full += one->refused_full;
        sum.accept_errors += one->accept_errors;
    }
    return sum;
}

size_t server_count_pending(const server *s)
{
    size_t count = 0;

    for (size_t i = 0; i < SERVER_ENDPOINTS; i++)
        count += s->endpoints[i] ? endpoint_pending_count(s->endpoints[i]) : 0;
    return count;
}
