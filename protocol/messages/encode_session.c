/* Everything about the session as lines: hello, status, the recording's header, and the replies. */
#include <inttypes.h>
#include <stdio.h>

#include "encode.h"
#include "names.h"

/** An absolute time as a string: JSON numbers are doubles, which hold nanoseconds of 104 days only. */
static void put_time_string(json_writer *w, const char *key, int64_t ns)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, ns);
    encode_key_string(w, key, text);
}

static void put_blade(json_writer *w, const clash_blade *b)
{
    json_object_begin(w);
    encode_blade(w, b, true);
    json_object_end(w);
}

size_t protocol_encode_recorded_blade(char *out, size_t size, int64_t time_ns, const clash_blade *blade)
{
    json_writer w;

    encode_begin(&w, out, size, "blade");
    encode_key_int(&w, "time_ns", time_ns);
    encode_blade(&w, blade, true);
    return encode_end(&w);
}

size_t protocol_encode_recorded_removal(char *out, size_t size, int64_t time_ns, const char *blade, const char *device)
{
    json_writer w;

    encode_begin(&w, out, size, "remove");
    encode_key_int(&w, "time_ns", time_ns);
    if (blade)
        encode_key_string(&w, "blade", blade);
    if (device)
        encode_key_string(&w, "device", device);
    return encode_end(&w);
}

static void put_scene(json_writer *w, const char *space, const clash_blade *blades, size_t count)
{
    encode_key_string(w, "space", space);
    encode_key_string(w, "axes", "openxr");
    json_array_begin_at(w, "blades");
    for (size_t i = 0; i < count; i++)
        put_blade(w, &blades[i]);
    json_array_end(w);
}

static void put_session(json_writer *w, const protocol_session *s)
{
    put_time_string(w, "epoch_monotonic_ns", s->epoch_monotonic_ns);
    put_time_string(w, "epoch_unix_ns", s->epoch_unix_ns);
    put_scene(w, s->space, s->blades, s->blade_count);
}

/* Leave the list out if it is empty. A header has no targets: they are lines of the recording. */
static void put_targets(json_writer *w, const protocol_session *s)
{
    if (s->target_count == 0)
        return;
    json_array_begin_at(w, "targets");
    for (size_t i = 0; i < s->target_count; i++)
        encode_target_listed(w, s->targets[i]);
    json_array_end(w);
}

static void put_devices(json_writer *w, const protocol_status_device *devices, size_t count)
{
    json_array_begin_at(w, "devices");
    for (size_t i = 0; i < count; i++) {
        json_object_begin(w);
        encode_key_string(w, "device", devices[i].device);
        encode_key_bool(w, "tracked", devices[i].tracked);
        if (!devices[i].tracked)
            encode_key_string(w, "reason", names_tracking_reason(devices[i].reason));
        if (devices[i].lost_ns != 0)
            encode_key_int(w, "lost_ns", devices[i].lost_ns);
        encode_source(w, devices[i].source);
        if (devices[i].space)
            encode_key_string(w, "space", devices[i].space);
        if (devices[i].stage) {
            json_object_begin_at(w, "stage");
            encode_key_vec3(w, "position", devices[i].stage->position);
            encode_key_quat(w, "orientation", devices[i].stage->orientation);
            json_object_end(w);
        }
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_set_aside(json_writer *w, const protocol_session *s)
{
    if (s->set_aside_count == 0)
        return;
    json_array_begin_at(w, "set_aside");
    for (size_t i = 0; i < s->set_aside_count; i++)
        json_string(w, s->set_aside[i]);
    json_array_end(w);
}

size_t protocol_encode_hello(char *out, size_t size, const char *id, const protocol_session *session)
{
    static const char *const capabilities[] = {"subscribe",      "blades",         "min_closing_speed",
                                               "poses",          "status",         "ping",
                                               "axes",           "since_seq",      "push",
                                               "parts",          "record",         "targets",
                                               "resolved_poses", "min_peak_speed", "min_apart_ms",
                                               "feed",           "haptic",         "config",
                                               "reload",         "hello",          "outlines"};
    json_writer w;

    encode_begin(&w, out, size, "hello");
    encode_id(&w, id);
    encode_key_int(&w, "protocol", PROTOCOL_VERSION);
    encode_key_string(&w, "version", session->version);
    encode_key_string(&w, "session", session->session);
    encode_key_int(&w, "time_ns", session->time_ns);
    put_session(&w, session);
    put_targets(&w, session);
    if (session->device_count > 0)
        put_devices(&w, session->devices, session->device_count);
    put_set_aside(&w, session);
    json_object_begin_at(&w, "units");
    encode_key_string(&w, "length", "m");
    encode_key_string(&w, "angle", "rad");
    encode_key_string(&w, "speed", "m/s");
    encode_key_string(&w, "time", "ns");
    json_object_end(&w);
    json_array_begin_at(&w, "capabilities");
    for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++)
        json_string(&w, capabilities[i]);
    if (session->is_replay)
        json_string(&w, "replay");
    json_array_end(&w);
    return encode_end(&w);
}

size_t protocol_encode_hello_that_fits(char *out, size_t size, const char *id, const protocol_session *session)
{
    protocol_session fitting = *session;
    size_t length = protocol_encode_hello(out, size, id, &fitting);

    while (length == 0 && fitting.blade_count + fitting.target_count + fitting.device_count > 0) {
        if (fitting.device_count > 0)
            fitting.device_count /= 2;
        else if (fitting.target_count > 0)
            fitting.target_count /= 2;
        else
            fitting.blade_count /= 2;
        length = protocol_encode_hello(out, size, id, &fitting);
    }
    return length;
}

void encode_contact_settings(json_writer *w, const protocol_contact_settings *settings)
{
    json_object_begin_at(w, "contact");
    encode_key_float(w, "margin", settings->margin);
    encode_key_float(w, "release_margin", settings->release_margin);
    encode_key_float(w, "min_closing_speed", settings->min_closing_speed);
    encode_key_float(w, "hold_rate_hz", settings->hold_rate_hz);
    encode_key_float(w, "max_gap_ms", settings->max_gap_ms);
    encode_key_bool(w, "require_tracked", settings->require_tracked);
    encode_key_float(w, "full_intensity_speed", settings->full_intensity_speed);
    if (settings->gap_by_rate)
        encode_key_bool(w, "gap_by_rate", true);
    encode_key_string(w, "intensity_curve", names_intensity_curve(settings->intensity_curve));
    json_object_end(w);
}

size_t protocol_encode_recording_header(char *out, size_t size, const protocol_session *session,
                                        const protocol_contact_settings *settings)
{
    json_writer w;

    encode_begin(&w, out, size, "recording");
    encode_key_int(&w, "version", 1);
    encode_key_string(&w, "clashd", session->version);
    encode_key_string(&w, "session", session->session);
    encode_key_int(&w, "rules", PROTOCOL_RULES);
    put_session(&w, session);
    encode_equipment(&w, &session->equipment);
    if (session->is_later) {
        encode_key_uint(&w, "seq", session->seq);
        encode_key_uint(&w, "open_contacts", session->open_contacts);
    }
    encode_contact_settings(&w, settings);
    return encode_end(&w);
}

size_t protocol_encode_imported_header(char *out, size_t size, const char *space, const clash_blade *blades,
                                       size_t blade_count, const char *note)
{
    json_writer w;

    encode_begin(&w, out, size, "recording");
    encode_key_int(&w, "version", 1);
    put_scene(&w, space, blades, blade_count);
    encode_key_string(&w, "note", note);
    return encode_end(&w);
}

static void put_histogram(json_writer *w, const char *key, const protocol_histogram *h)
{
    uint64_t count = 0;

    for (size_t i = 0; i <= PROTOCOL_HISTOGRAM_BOUNDS; i++)
        count += h->counts[i];
    json_object_begin_at(w, key);
    encode_key_uint(w, "count", count);
    encode_key_uint(w, "sum_ns", h->sum_ns);
    json_array_begin_at(w, "counts");
    for (size_t i = 0; i <= PROTOCOL_HISTOGRAM_BOUNDS; i++)
        json_uint(w, h->counts[i]);
    json_array_end(w);
    json_object_end(w);
}

static void put_latency(json_writer *w, const protocol_latency *latency)
{
    json_object_begin_at(w, "latency");
    json_array_begin_at(w, "bounds_ns");
    for (size_t i = 0; i < PROTOCOL_HISTOGRAM_BOUNDS; i++)
        json_int(w, latency->bounds_ns[i]);
    json_array_end(w);
    put_histogram(w, "sample_to_queue", latency->sample_to_queue);
    put_histogram(w, "sample_to_write", latency->sample_to_write);
    json_object_end(w);
}

static void put_players(json_writer *w, const protocol_status_player *players, size_t count)
{
    json_array_begin_at(w, "players");
    for (size_t i = 0; i < count; i++) {
        const protocol_status_player *p = &players[i];

        json_object_begin(w);
        encode_key_string(w, "player", p->player);
        encode_key_bool(w, "here", p->is_here);
        encode_key_bool(w, "muted", p->is_muted);
        if (p->is_placed) {
            encode_key_int(w, "clock_offset_ns", p->clock_offset_ns);
            encode_key_int(w, "clock_drift_ppb", p->clock_drift_ppb);
            encode_key_int(w, "clock_error_ns", p->clock_error_ns);
        }
        if (p->delay_ns >= 0)
            encode_key_int(w, "delay_ns", p->delay_ns);
        encode_key_uint(w, "samples", p->samples);
        encode_key_uint(w, "repeated", p->repeated);
        encode_key_uint(w, "lost", p->lost);
        encode_key_uint(w, "late", p->late);
        encode_key_uint(w, "refused", p->refused);
        json_object_end(w);
    }
    json_array_end(w);
}

static size_t encode_status(char *out, size_t size, const char *id, const protocol_status *status, size_t devices)
{
    json_writer w;

    encode_begin(&w, out, size, "status");
    encode_id(&w, id);
    encode_key_int(&w, "time_ns", status->time_ns);
    encode_key_string(&w, "source", status->source);
    encode_key_string(&w, "state", status->state);
    encode_key_string(&w, "runtime", status->runtime);
    encode_key_string(&w, "detail", status->detail);
    if (status->clock_error_ns != 0)
        encode_key_int(&w, "clock_error_ns", status->clock_error_ns);
    if (status->replay) {
        json_object_begin_at(&w, "replay");
        encode_replay(&w, status->replay);
        json_object_end(&w);
    }
    put_devices(&w, status->devices, devices);
    if (status->players)
        put_players(&w, status->players, status->player_count);
    encode_key_uint(&w, "clients", status->clients);
    if (status->websocket)
        encode_key_string(&w, "websocket", status->websocket);
    if (status->websocket && status->page_missing)
        encode_key_string(&w, "page_missing", status->page_missing);
    if (status->latency)
        put_latency(&w, status->latency);
    json_object_begin_at(&w, "counters");
    for (size_t i = 0; i < status->counter_count; i++)
        encode_key_uint(&w, status->counters[i].name, status->counters[i].value);
    json_object_end(&w);
    return encode_end(&w);
}

/* If not all devices fit, the first ones. */
size_t protocol_encode_status(char *out, size_t size, const char *id, const protocol_status *status)
{
    size_t length = encode_status(out, size, id, status, status->device_count);
    size_t fits = 0, too_many = status->device_count;

    if (length > 0)
        return length;
    while (too_many > fits + 1) {
        const size_t middle = fits + (too_many - fits) / 2;

        if (encode_status(out, size, id, status, middle) > 0)
            fits = middle;
        else
            too_many = middle;
    }
    return encode_status(out, size, id, status, fits);
}

size_t protocol_encode_lagged(char *out, size_t size, uint64_t from_seq, uint64_t to_seq, uint64_t missed)
{
    json_writer w;

    encode_begin(&w, out, size, "lagged");
    encode_key_uint(&w, "from_seq", from_seq);
    encode_key_uint(&w, "to_seq", to_seq);
    encode_key_uint(&w, "missed", missed);
    return encode_end(&w);
}

size_t protocol_encode_subscribed(char *out, size_t size, const char *id, int64_t time_ns, uint64_t seq,
                                  const protocol_subscribe *wanted)
{
    json_writer w;

    encode_begin(&w, out, size, "ok");
    encode_id(&w, id);
    encode_key_int(&w, "time_ns", time_ns);
    encode_key_uint(&w, "seq", seq);
    if (wanted->ignored_count > 0) {
        json_array_begin_at(&w, "ignored");
        for (size_t i = 0; i < wanted->ignored_count; i++)
            json_string(&w, wanted->ignored[i]);
        json_array_end(&w);
    }
    return encode_end(&w);
}

size_t protocol_encode_ok(char *out, size_t size, const char *id, int64_t time_ns)
{
    json_writer w;

    encode_begin(&w, out, size, "ok");
    encode_id(&w, id);
    encode_key_int(&w, "time_ns", time_ns);
    return encode_end(&w);
}

size_t protocol_encode_fed(char *out, size_t size, const char *id, int64_t time_ns, double max_gap_ms)
{
    json_writer w;

    encode_begin(&w, out, size, "ok");
    encode_id(&w, id);
    encode_key_int(&w, "time_ns", time_ns);
    encode_key_float(&w, "max_gap_ms", (float)max_gap_ms);
    return encode_end(&w);
}

size_t protocol_encode_error(char *out, size_t size, const char *id, const protocol_error *error)
{
    json_writer w;

    encode_begin(&w, out, size, "error");
    encode_id(&w, id);
    encode_key_string(&w, "code", names_error_code(error->code));
    encode_key_string(&w, "message", error->message);
    return encode_end(&w);
}
