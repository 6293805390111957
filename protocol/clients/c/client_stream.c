/* Between the connection's bytes and its lines: lines as they are, or the messages of WebSocket, which begins with an
 * upgrade of HTTP. Requests that are made before its answer has come wait behind our own. Whatever clashd sends, and
 * whenever a callback closes, nothing that a callback is within is freed. */
#include "client_private.h"

#include <stdlib.h>
#include <string.h>

static bool on_line(void *context, const char *line, size_t length)
{
    clash_client *c = context;

    client_take_line(c, line, length);
    return c->fd >= 0;
}

static bool on_too_long(void *context)
{
    clash_client *c = context;

    client_bad_line(c, "a line has more than 65536 bytes");
    return c->fd >= 0;
}

static bool on_dropped(void *context, const char *why)
{
    clash_client *c = context;

    client_bad_line(c, why);
    return c->fd >= 0;
}

/* Of a request it has been asked whether there is room; of an answer of WebSocket's own it has not. */
static bool on_frame_bytes(void *context, const void *bytes, size_t length)
{
    clash_client *c = context;

    if (c->fd < 0 || client_reserve(c, length, CLIENT_OUT_MAX + CLIENT_CONTROL_MAX) != 0)
        return false;
    client_queue(c, bytes, length);
    return true;
}

void client_stream_end(clash_client *c)
{
    framing_destroy(c->lines);
    client_frames_destroy(c->frames);
    free(c->upgrade);
    c->lines = NULL;
    c->frames = NULL;
    c->upgrade = NULL;
}

/** Queue the request. Return 0, or -1, problem noted. */
static int ask(clash_client *c, const char *url, const char *token)
{
    char host[80], request[CLIENT_REQUEST_MAX];
    const char *path;
    size_t length = 0;

    if (client_split_url(url, host, &path))
        length = client_upgrade_ask(c->upgrade, host, path, token, request);
    if (length == 0)
        return client_fail(c, "'%.80s', or the token for it, cannot stand in a request", url);
    if (client_reserve(c, length, CLIENT_OUT_MAX) != 0)
        return -1;
    client_queue(c, request, length);
    c->request_left = length;
    return 0;
}

int client_stream_begin(clash_client *c, const char *url, const char *token)
{
    const client_frames_listener listener = {
        .context = c, .message = on_line, .dropped = on_dropped, .send = on_frame_bytes};

    client_stream_end(c);
    if (url) {
        c->upgrade = calloc(1, sizeof *c->upgrade);
        c->frames = client_frames_create(CLIENT_LINE_MAX - 1, &listener);
    } else {
        c->lines = framing_create(CLIENT_LINE_MAX);
    }
    if (url ? !c->upgrade || !c->frames : !c->lines)
        return client_fail(c, "out of memory");
    return url ? ask(c, url, token) : 0;
}

/** Bytes of the answer to the upgrade; `out_used` of them are that. 1 when it is whole, 0 when not, -1 when it is a no. */
static int take_answer(clash_client *c, const char *bytes, size_t length, size_t *out_used)
{
    char why[sizeof c->problem];

    switch (client_upgrade_take(c->upgrade, bytes, length, out_used, why, sizeof why)) {
    case CLIENT_UPGRADE_MORE:
        return 0;
    case CLIENT_UPGRADE_REFUSED:
        if (strncmp(c->upgrade->answer, "HTTP/1.1 401", strlen("HTTP/1.1 401")) == 0)
            c->cause = CLASH_CLIENT_CAUSE_TOKEN;
        return client_fail(c, "%s", why);
    case CLIENT_UPGRADE_DONE:
        break;
    }
    free(c->upgrade);
    c->upgrade = NULL;
    return 1;
}

int client_stream_take(clash_client *c, const char *bytes, size_t length)
{
    const framing_listener listener = {.context = c, .line = on_line, .too_long = on_too_long};
    const char *why;
    size_t used = 0;
    int done = c->upgrade ? take_answer(c, bytes, length, &used) : 1;

    if (done <= 0)
        return done;
    if (!c->frames) {
        framing_push(c->lines, bytes, length, &listener);
        return 0;
    }
    why = client_frames_push(c->frames, bytes + used, length - used);
    if (!why)
        return 0;
    client_flush(c); /* our side of the close, as far as it goes */
    return client_fail(c, "%s", why);
}

int client_stream_over(clash_client *c)
{
    char why[sizeof c->problem] = "clashd closed the connection";

    if (c->upgrade)
        client_upgrade_end(c->upgrade, why, sizeof why);
    return client_fail(c, "%s", why);
}

int client_stream_put(clash_client *c, const char *line, size_t length)
{
    if (client_reserve(c, length + CLIENT_FRAME_MAX, CLIENT_OUT_MAX) != 0)
        return -1;
    if (!c->frames) {
        client_queue(c, line, length);
        return 0;
    }
    return client_frames_text(c->frames, line, length - 1) ? 0 : client_fail(c, "out of memory");
}
