/* Requests as lines. Each is written whole before a byte of it is queued. */
#include "client_private.h"
#include "protocol/json/json_text.h"
#include "protocol/messages/encode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void client_begin_request(json_writer *w, char *out, size_t size, const char *type, const char *id)
{
    encode_begin(w, out, size, type);
    if (id)
        encode_key_string(w, "id", id);
}

/** A whole line, with its newline. */
static int queue_line(clash_client *c, const char *line, size_t length)
{
    if (c->fd < 0)
        return client_fail(c, "not connected");
    if (client_stream_put(c, line, length) != 0)
        return -1;
    /* A broken connection is dispatch's to tell; the request is then as lost as one that was on its way. */
    client_flush(c);
    return 0;
}

int client_send_line(clash_client *c, const char *line, size_t length)
{
    if (length == 0)
        return client_fail(c, "the request does not fit into a line of %d bytes", CLIENT_LINE_MAX);
    return queue_line(c, line, length);
}

int client_end_request(clash_client *c, json_writer *w)
{
    size_t length = encode_end(w);

    return client_send_line(c, w->out, length);
}

static const char *const event_names[] = {"clash", "hold", "release", "tracking", "space_changed", "poses"};
#define EVENT_COUNT (sizeof event_names / sizeof event_names[0])

clash_client_subscription clash_client_subscription_default(void)
{
    return (clash_client_subscription){.events = CLASH_CLIENT_CLASH | CLASH_CLIENT_HOLD | CLASH_CLIENT_RELEASE |
                                                 CLASH_CLIENT_TRACKING | CLASH_CLIENT_SPACE_CHANGED};
}

static void put_subscription(json_writer *w, const clash_client_subscription *s)
{
    json_key(w, "events");
    json_array_begin(w);
    for (size_t i = 0; i < EVENT_COUNT; i++)
        if (s->events & (1u << i))
            json_string(w, event_names[i]);
    json_array_end(w);
    if (s->blade_count > 0) {
        json_key(w, "blades");
        json_array_begin(w);
        for (size_t i = 0; i < s->blade_count; i++)
            json_string(w, s->blades[i]);
        json_array_end(w);
    }
    encode_key_float(w, "min_closing_speed", s->min_closing_speed);
    encode_key_float(w, "pose_rate_hz", s->pose_rate_hz);
    if (s->axes)
        encode_key_string(w, "axes", s->axes);
    if (s->resolved_poses)
        encode_key_bool(w, "resolved_poses", true);
    if (s->min_peak_speed != 0.0f)
        encode_key_float(w, "min_peak_speed", s->min_peak_speed);
    if (s->min_apart_ms != 0.0f)
        encode_key_float(w, "min_apart_ms", s->min_apart_ms);
    if (s->has_since_seq)
        encode_key_uint(w, "since_seq", s->since_seq);
    if (s->has_since_seq && s->since_late != 0)
        encode_key_uint(w, "since_late", s->since_late);
}

int clash_client_subscribe(clash_client *client, const char *id, const clash_client_subscription *subscription)
{
    clash_client_subscription all = clash_client_subscription_default();
    const clash_client_subscription *s = subscription ? subscription : &all;
    char line[CLIENT_LINE_MAX];
    json_writer w;

    if (s->events >> EVENT_COUNT)
        return client_fail(client, "events: 0x%x has bits that stand for no event", s->events);
    if (!isfinite(s->min_closing_speed) || !isfinite(s->pose_rate_hz) || !isfinite(s->min_peak_speed) ||
        !isfinite(s->min_apart_ms))
        return client_fail(client, "min_closing_speed, min_peak_speed, min_apart_ms and pose_rate_hz must be finite");
    client_begin_request(&w, line, sizeof line, "subscribe", id);
    put_subscription(&w, s);
    return client_end_request(client, &w);
}

int clash_client_ping(clash_client *client, const char *id)
{
    char line[2048];
    json_writer w;

    client_begin_request(&w, line, sizeof line, "ping", id);
    return client_end_request(client, &w);
}

int clash_client_send(clash_client *client, const char *json)
{
    size_t length = strlen(json);
    char line[CLIENT_LINE_MAX + 1];
    failure why = {0};

    if (length >= CLIENT_LINE_MAX)
        return client_fail(client, "the request does not fit into a line of %d bytes", CLIENT_LINE_MAX);
    if (strchr(json, '\n') || !json_text_check(json, length, &why))
        return client_fail(client, "the request is not one line of JSON%s%s", strchr(json, '\n') ? "" : ": ",
                           strchr(json, '\n') ? "" : why.text);
    snprintf(line, sizeof line, "%s\n", json);
    return queue_line(client, line, length + 1);
}

int client_show_token(clash_client *c, const char *token)
{
    char line[2048];
    json_writer w;

    client_begin_request(&w, line, sizeof line, "auth", NULL);
    encode_key_string(&w, "token", token);
    return client_end_request(c, &w);
}
