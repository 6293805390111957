/* What players of a room tell each other, from lines: JSON, its schema, then what a schema cannot say. See room_message.h. */
#include "parse.h"
#include "parse_blade.h"
#include "room_line.h"
#include "room_message.h"

#include "names.h"
#include "protocol/schema_check/schema.h"

#include <clash/math.h>

#include <float.h>
#include <math.h>
#include <stdio.h>

#define UNIT_TOLERANCE 0.01
/* Numbers of a sample without a pose, and with one. */
#define NUMBERS_MIN 3
#define NUMBERS_MAX 10

static int take_session(const cJSON *object, const char *key, char out[ROOM_SESSION_MAX], failure *out_failure)
{
    const cJSON *value = parse_at(object, key);

    out[0] = '\0';
    if (!value || parse_copy(value, out, ROOM_SESSION_MAX))
        return 0;
    return fail_int(out_failure, "%s: expected at most %d bytes", key, ROOM_SESSION_MAX - 1);
}

static uint64_t take_count(const cJSON *object, const char *key)
{
    return (uint64_t)parse_int(object, key, 0);
}

/* ---- peer ---- */

static void take_contact(const cJSON *contact, protocol_contact_settings *s)
{
    s->margin = parse_float(contact, "margin", 0.0f);
    s->release_margin = parse_float(contact, "release_margin", 0.0f);
    s->min_closing_speed = parse_float(contact, "min_closing_speed", 0.0f);
    s->hold_rate_hz = parse_float(contact, "hold_rate_hz", 0.0f);
    s->full_intensity_speed = parse_float(contact, "full_intensity_speed", 10.0f);
    s->max_gap_ms = parse_float(contact, "max_gap_ms", 100.0f);
    s->intensity_curve = names_find_intensity_curve(parse_string(contact, "intensity_curve", "linear"));
    s->gap_by_rate = parse_bool(contact, "gap_by_rate", false);
    s->require_tracked = parse_bool(contact, "require_tracked", false);
}

static int take_room(const cJSON *room, clash_pose *out, failure *out_failure)
{
    *out = (clash_pose){.orientation = {.w = 1.0f}};
    if (!room)
        return 0;
    if (!parse_fits_float(parse_at(room, "orientation")))
        return fail_int(out_failure, "room.orientation: a number is out of range");
    *out = (clash_pose){parse_quat(parse_at(room, "orientation")), parse_vec3(parse_at(room, "position"))};
    return clash_quat_is_unit(out->orientation, (float)UNIT_TOLERANCE)
               ? 0
               : fail_int(out_failure, "room.orientation: expected a quaternion of unit length");
}

static int take_blade(const cJSON *object, size_t index, clash_blade_definition *out, failure *out_failure)
{
    failure why = {0};

    if (!parse_copy(parse_at(object, "name"), out->name, sizeof out->name) ||
        !parse_copy(parse_at(object, "device"), out->device, sizeof out->device))
        return fail_int(out_failure, "blades[%zu]: expected a name of at most %zu bytes, a device of at most %zu",
                        index, sizeof out->name - 1, sizeof out->device - 1);
    return parse_blade(object, PROTOCOL_AXES_OPENXR, PARSE_BLADE_OURS, out, &why)
               ? 0
               : fail_int(out_failure, "blades[%zu].%.400s", index, why.text);
}

static int take_peer(const cJSON *object, room_message_peer *out, failure *out_failure)
{
    const cJSON *blade;

    out->version = take_count(object, "version");
    out->from_sample = take_count(object, "from_sample");
    out->is_referee = parse_bool(object, "referee", false);
    out->agrees = parse_bool(object, "agrees", false);
    out->has_contact = parse_at(object, "contact") != NULL;
    take_contact(parse_at(object, "contact"), &out->contact);
    if (take_session(object, "clock", out->clock, out_failure) != 0 ||
        take_room(parse_at(object, "room"), &out->room_from_stage, out_failure) != 0)
        return -1;
    out->blade_count = 0;
    cJSON_ArrayForEach(blade, parse_at(object, "blades"))
    {
        if (out->blade_count == ROOM_MESSAGE_BLADES_MAX)
            break; /* the schema allows no more */
        if (take_blade(blade, out->blade_count, &out->blades[out->blade_count], out_failure) != 0)
            return -1;
        out->blade_count++;
    }
    return 0;
}

/* ---- samples ---- */

static float saturated(double number)
{
    return number > (double)FLT_MAX ? FLT_MAX : number < -(double)FLT_MAX ? -FLT_MAX : (float)number;
}

static size_t take_numbers(const cJSON *array, double out[NUMBERS_MAX])
{
    const cJSON *number;
    size_t count = 0;

    cJSON_ArrayForEach(number, array)
    {
        if (count == NUMBERS_MAX)
            break; /* the schema allows no more */
        out[count++] = number->valuedouble;
    }
    return count;
}

static bool is_whole(double number, double most)
{
    return number >= -most && number <= most && rint(number) == number;
}

static int take_sample(const cJSON *array, size_t device_count, room_message_sample *out, failure *out_failure)
{
    double n[NUMBERS_MAX] = {0};
    const size_t count = take_numbers(array, n);
    uint32_t flags;

    if (!is_whole(n[0], ROOM_MESSAGE_DEVICES_MAX) || n[0] < 0.0 || n[0] >= (double)device_count)
        return fail_int(out_failure, "samples: %g is no place in devices", n[0]);
    if (!is_whole(n[1], 7.0) || n[1] < 0.0)
        return fail_int(out_failure, "samples: flags: expected 0 to 7, got %g", n[1]);
    if (!is_whole(n[2], 9007199254740991.0))
        return fail_int(out_failure, "samples: %g is no time", n[2]);
    flags = (uint32_t)n[1];
    *out = (room_message_sample){.device = (uint32_t)n[0],
                                 .is_valid = (flags & 1u) != 0,
                                 .is_tracked = (flags & 3u) == 3u,
                                 .is_teleport = (flags & 4u) != 0,
                                 .time_ns = (int64_t)n[2]};
    if (!out->is_valid)
        return 0;
    if (count < NUMBERS_MAX)
        return fail_int(out_failure, "samples: expected %d numbers of a valid one, got %zu", NUMBERS_MAX, count);
    out->pose = (clash_pose){.position = {saturated(n[3]), saturated(n[4]), saturated(n[5])},
                             .orientation = {saturated(n[6]), saturated(n[7]), saturated(n[8]), saturated(n[9])}};
    return 0;
}

static int take_devices(const cJSON *array, room_message_samples *out, failure *out_failure)
{
    const cJSON *device;

    out->device_count = 0;
    cJSON_ArrayForEach(device, array)
    {
        if (out->device_count == ROOM_MESSAGE_DEVICES_MAX)
            break; /* the schema allows no more */
        if (!parse_copy(device, out->devices[out->device_count], PROTOCOL_NAME_MAX))
            return fail_int(out_failure, "devices[%zu]: expected at most %d bytes", out->device_count,
                            PROTOCOL_NAME_MAX - 1);
        out->device_count++;
    }
    return 0;
}

static void take_knots(const cJSON *array, room_message_samples *out)
{
    const cJSON *knot;

    out->knot_count = 0;
    cJSON_ArrayForEach(knot, array)
    {
        double n[NUMBERS_MAX] = {0};

        if (out->knot_count == ROOM_MESSAGE_KNOTS_MAX || take_numbers(knot, n) < 2)
            break; /* the schema allows neither */
        out->knots[out->knot_count][0] = (int64_t)n[0];
        out->knots[out->knot_count++][1] = (int64_t)n[1];
    }
}

static int take_samples(const cJSON *object, room_message_samples *out, failure *out_failure)
{
    const cJSON *sample;

    out->version = take_count(object, "version");
    out->error_ns = parse_int(object, "error_ns", 0);
    out->first = take_count(object, "first");
    take_knots(parse_at(object, "knots"), out);
    if (take_session(object, "clock", out->clock, out_failure) != 0 ||
        take_devices(parse_at(object, "devices"), out, out_failure) != 0)
        return -1;
    out->count = 0;
    cJSON_ArrayForEach(sample, parse_at(object, "samples"))
    {
        if (out->count == ROOM_MESSAGE_SAMPLES_MAX)
            break; /* the schema allows no more */
        if (take_sample(sample, out->device_count, &out->samples[out->count], out_failure) != 0)
            return -1;
        out->count++;
    }
    return 0;
}

/* ---- clock ---- */

static int take_clock(const cJSON *object, room_message_clock *out, failure *out_failure)
{
    out->number = take_count(object, "number");
    out->sent_ns = parse_int(object, "sent_ns", 0);
    out->received_ns = parse_int(object, "received_ns", 0);
    out->answered_ns = parse_int(object, "answered_ns", 0);
    return take_session(object, "asked_by", out->asked_by, out_failure) != 0 ||
                   take_session(object, "clock", out->clock, out_failure) != 0
               ? -1
               : 0;
}

/* ---- contact ---- */

static int take_found(const cJSON *object, room_message_contact *out, failure *out_failure)
{
    const cJSON *names = parse_at(object, "blades");

    out->room_id = parse_int(object, "room_id", 0);
    out->room_time_ns = parse_int(object, "room_time_ns", 0);
    for (int i = 0; i < 2; i++)
        if (!parse_copy(cJSON_GetArrayItem(names, i), out->blades[i], CLASH_BLADE_NAME_MAX))
            return fail_int(out_failure, "blades[%d]: expected at most %d bytes", i, CLASH_BLADE_NAME_MAX - 1);
    return take_session(object, "clock", out->clock, out_failure);
}

static int take(const cJSON *object, room_message *out, failure *out_failure)
{
    switch (out->kind) {
    case ROOM_MESSAGE_PEER:
        return take_session(object, "session", out->peer.session, out_failure) == 0
                   ? take_peer(object, &out->peer, out_failure)
                   : -1;
    case ROOM_MESSAGE_SAMPLES:
        return take_session(object, "session", out->samples.session, out_failure) == 0
                   ? take_samples(object, &out->samples, out_failure)
                   : -1;
    case ROOM_MESSAGE_CONTACT:
        return take_session(object, "session", out->contact.session, out_failure) == 0
                   ? take_found(object, &out->contact, out_failure)
                   : -1;
    case ROOM_MESSAGE_CLOCK_ASK:
    case ROOM_MESSAGE_CLOCK_ANSWER:
    case ROOM_MESSAGE_KINDS:
        break;
    }
    return take_session(object, "session", out->clock.session, out_failure) == 0
               ? take_clock(object, &out->clock, out_failure)
               : -1;
}

int room_parse(room_message_kind kind, const char *text, size_t length, room_message *out, failure *out_failure)
{
    static const char *const schemas[ROOM_MESSAGE_KINDS] = {"room/peer", "room/samples", "room/clock_ask",
                                                            "room/clock_answer", "room/contact"};
    cJSON *object;
    int result;

    if (length >= PROTOCOL_LINE_MAX)
        return fail_int(out_failure, "%zu bytes: expected fewer than %d", length, PROTOCOL_LINE_MAX);
    out->kind = kind;
    if (kind == ROOM_MESSAGE_SAMPLES && room_line_read(text, length, &out->samples))
        return 0;
    object = parse_line(text, length, out_failure);
    if (!object)
        return -1;
    result = protocol_schema_validate(protocol_schema_get(schemas[kind]), object, out_failure);
    if (result == 0)
        result = take(object, out, out_failure);
    cJSON_Delete(object);
    return result;
}
