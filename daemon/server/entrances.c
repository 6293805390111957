/* The sink's other ways in than the Unix socket: TCP and WebSocket, and the token for both. See socket.h. */
#include "socket_private.h"

#include <stdio.h>

static size_t count_clients(void *context)
{
    return socket_sink_clients(context);
}

static void make_page(void *context, entrance_page *out_page)
{
    socket_reply reply;

    socket_ask_owner(context, SOCKET_ASK_PAGE, NULL, &reply);
    *out_page = reply.page;
}

static int make_token(socket_sink *s, char *out_error, size_t error_size)
{
    char path[PATH_MAX];

    if (token_path_for(s->settings.path, path, sizeof path) == 0)
        return token_create(&s->token, path, out_error, error_size);
    snprintf(out_error, error_size, "cannot place a token beside %s: the path is too long", s->settings.path);
    return -1;
}

static listener_result open_entrance(socket_sink *s, entrance_kind kind, char *out_error, size_t error_size)
{
    entrance_settings settings = {.loop = s->settings.loop,
                                  .kind = kind,
                                  .address = s->settings.addresses[kind],
                                  .passed = s->settings.passed[kind],
                                  .rules = s->settings.rules,
                                  .wait_ms = s->settings.wait_ms,
                                  .max_clients = s->settings.max_clients,
                                  .log = s->settings.log,
                                  .context = s,
                                  .clients = count_clients,
                                  .admitted = socket_on_admitted,
                                  .page = kind == ENTRANCE_WEBSOCKET && s->settings.has_page ? make_page : NULL};

    if (!settings.address && !settings.passed)
        return LISTENER_OK;
    if (s->settings.require_token && !s->token.inode && make_token(s, out_error, error_size) != 0)
        return LISTENER_ERROR;
    if (settings.page)
        settings.rules.page = SOCKET_SINK_PAGE;
    settings.rules.token = s->settings.require_token ? &s->token : NULL;
    return entrance_open(&settings, &s->entrances[kind], out_error, error_size);
}

/* After the Unix socket, whose lock makes sure that the token's file is ours. */
listener_result socket_open_entrances(socket_sink *s, char *out_error, size_t error_size)
{
    listener_result result = open_entrance(s, ENTRANCE_TCP, out_error, error_size);

    return result == LISTENER_OK ? open_entrance(s, ENTRANCE_WEBSOCKET, out_error, error_size) : result;
}

void socket_close_entrances(socket_sink *s)
{
    for (size_t i = 0; i < SOCKET_SINK_ENTRANCES; i++) {
        entrance_close(s->entrances[i]);
        s->entrances[i] = NULL;
    }
    token_remove(&s->token);
}

void socket_sink_describe(const socket_sink *s, entrance_kind kind, char *out_text, size_t size)
{
    const char *what = kind == ENTRANCE_WEBSOCKET ? "WebSocket" : "TCP";

    out_text[0] = '\0';
    if (s->entrances[kind] && s->token.inode)
        snprintf(out_text, size, "%s (%s; its token is in %s)", entrance_address(s->entrances[kind]), what,
                 s->token.path);
    else if (s->entrances[kind])
        snprintf(out_text, size, "%s (%s, no token)", entrance_address(s->entrances[kind]), what);
}

entrance_counters socket_sum_entrances(const socket_sink *s)
{
    entrance_counters sum = {0};

    for (size_t i = 0; i < SOCKET_SINK_ENTRANCES; i++) {
        const entrance_counters none = {0}, *one = s->entrances[i] ? entrance_get_counters(s->entrances[i]) : &none;

        sum.pages += one->pages;
        sum.admitted += one->admitted;
        sum.refused += one->refused;
        sum.refused_full += one->refused_full;
        sum.accept_errors += one->accept_errors;
    }
    return sum;
}

size_t socket_count_pending(const socket_sink *s)
{
    size_t count = 0;

    for (size_t i = 0; i < SOCKET_SINK_ENTRANCES; i++)
        count += s->entrances[i] ? entrance_doors(s->entrances[i]) : 0;
    return count;
}
