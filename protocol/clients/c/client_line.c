/* Lines of clashd to calls of the listener. Nothing is trusted: a line that lacks what its type always has, or has it in
 * another form, is told as an error and otherwise passed over. Unknown types and fields are ignored, so that a newer
 * clashd may say more. Strings are the parsed line's own: nothing is copied. */
#include "client_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_read.h"
#include "protocol/messages/names.h"

void client_bad_line(clash_client *c, const char *why)
{
    if (c->listener.error)
        c->listener.error(c->listener.context,
                          &(clash_client_reply){.id = "", .code = "bad_line", .message = why, .seq = -1});
}

/** Session time to CLOCK_MONOTONIC. */
static int64_t read_time(clash_client *c, reading *r)
{
    int64_t time_ns = read_int(r, "time_ns"), sum = 0;

    if (!c->greeted)
        read_wrong(r, "it comes before hello", "");
    else if (__builtin_add_overflow(c->epoch_ns, time_ns, &sum))
        read_wrong(r, "out of range: ", "time_ns");
    return sum;
}

static void tell(clash_client *c, void (*callback)(void *, const clash_event *), const clash_event *event)
{
    if (callback)
        callback(c->listener.context, event);
}

static clash_event read_event(clash_client *c, reading *r, clash_event_kind kind)
{
    return (clash_event){.kind = kind, .seq = read_count(r, "seq"), .time_ns = read_time(c, r)};
}

/** Only contacts of two players have them. */
static clash_event_room read_room(const reading *r)
{
    clash_event_room room = {.id = parse_int(r->object, "room_id", 0),
                             .time_ns = parse_int(r->object, "room_time_ns", 0),
                             .clock_error_ns = parse_int(r->object, "clock_error_ns", 0)};

    if (cJSON_HasObjectItem(r->object, "agreed"))
        room.agreed = parse_bool(r->object, "agreed", false) ? CLASH_AGREEMENT_YES : CLASH_AGREEMENT_NO;
    return room;
}

static clash_event read_contact(clash_client *c, reading *r, clash_event_kind kind)
{
    clash_event e = read_event(c, r, kind);

    e.id = read_count(r, "id");
    read_names(r, "blades", e.blades);
    e.has_target = cJSON_HasObjectItem(r->object, "target");
    e.room = read_room(r);
    if (kind != CLASH_EVENT_CLASH)
        e.duration_ns = read_int(r, "duration_ns");
    return e;
}

#define READ_int64_t parse_int
#define READ_float parse_float

static void read_geometry(reading *r, clash_event *event)
{
    clash_event_clash *out = &event->as.clash;

    read_surface(r, event);
    read_parts(r, out->parts);
    out->contact.fraction = (double)read_float(r, "fraction");
    out->contact.distance = read_float(r, "distance");
    out->contact.midpoint = read_vec3(r, "midpoint");
    read_two_vec3(r, "points", out->contact.points);
    out->contact.normal = read_vec3(r, "normal");
    read_floats(r, "along", 2, out->contact.along);
    read_two_vec3(r, "velocities", out->velocities);
    out->closing_speed = read_float(r, "closing_speed");
    out->slide_speed = read_float(r, "slide_speed");
    out->crossing_angle = read_float(r, "crossing_angle");
    read_edges(r, out->has_edge, out->edge_alignment);
    out->intensity = read_float(r, "intensity");
    out->tracked = read_bool(r, "tracked");
#define READ(type, member, none) out->member = READ_##type(r->object, #member, none);
    CLASH_EVENT_FIELDS(READ)
#undef READ
}

/** `resolved` is there to be asked for during the call only. A client may end its connection in it, but not itself. */
static void tell_touch(clash_client *c, reading *r, void (*callback)(void *, const clash_event *),
                       const clash_event *event)
{
    clash_client_resolved resolved[2];
    bool has_resolved = read_resolved_pair(r, resolved);

    if (r->wrong)
        return;
    c->resolved = has_resolved ? resolved : NULL;
    tell(c, callback, event);
    c->resolved = NULL;
}

static void take_clash(clash_client *c, reading *r)
{
    clash_event e = read_contact(c, r, CLASH_EVENT_CLASH);

    read_geometry(r, &e);
    e.as.clash.late = parse_bool(r->object, "late", false);
    e.as.clash.resumed = parse_bool(r->object, "resumed", false);
    e.start_closing_speed = e.as.clash.late ? 0.0f : e.as.clash.closing_speed;
    e.as.clash.has_since_release = cJSON_HasObjectItem(r->object, "since_release_ns");
    e.as.clash.since_release_ns = parse_int(r->object, "since_release_ns", 0);
    tell_touch(c, r, c->listener.clash, &e);
}

static void take_hold(clash_client *c, reading *r)
{
    clash_event e = read_contact(c, r, CLASH_EVENT_HOLD);

    read_geometry(r, &e);
    tell_touch(c, r, c->listener.hold, &e);
}

static void take_release(clash_client *c, reading *r)
{
    clash_event e = read_contact(c, r, CLASH_EVENT_RELEASE);

    e.as.release.min_distance = read_float(r, "min_distance");
    e.as.release.peak_closing_speed = read_float(r, "peak_closing_speed");
    if (!names_find_release_reason(read_string(r, "reason"), &e.as.release.reason))
        read_wrong(r, "an unknown word: ", "reason");
    if (!r->wrong)
        tell(c, c->listener.release, &e);
}

static void take_tracking(clash_client *c, reading *r)
{
    clash_event e = read_event(c, r, CLASH_EVENT_TRACKING);

    e.as.tracking.device = read_string(r, "device");
    e.as.tracking.tracked = read_bool(r, "tracked");
    /* A reason that is not known yet must not hide that tracking was lost. */
    if (!names_find_tracking_reason(read_string(r, "reason"), &e.as.tracking.reason))
        e.as.tracking.reason = e.as.tracking.tracked ? CLASH_TRACKING_OK : CLASH_TRACKING_LOST;
    e.as.tracking.source = names_find_source(parse_string(r->object, "source", ""));
    if (!r->wrong)
        tell(c, c->listener.tracking, &e);
}

static void take_space_changed(clash_client *c, reading *r)
{
    clash_event e = read_event(c, r, CLASH_EVENT_SPACE_CHANGED);

    e.as.space_changed.source = names_find_source(parse_string(r->object, "source", ""));
    if (!r->wrong)
        tell(c, c->listener.space_changed, &e);
}

static void take_lagged(clash_client *c, reading *r)
{
    clash_client_lagged lagged = {
        .from_seq = read_count(r, "from_seq"), .to_seq = read_count(r, "to_seq"), .missed = read_count(r, "missed")};

    if (!r->wrong && c->listener.lagged)
        c->listener.lagged(c->listener.context, &lagged);
}

static void take_poses(clash_client *c, reading *r)
{
    int64_t time_ns = read_time(c, r);
    size_t count = read_array(r, "poses"), i = 0;
    clash_client_pose *poses = calloc(count + 1, sizeof *poses);
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(r->object, "poses"), *item;

    if (!poses) {
        read_wrong(r, "out of memory", "");
        return;
    }
    if (r->wrong)
        array = NULL;
    cJSON_ArrayForEach(item, array)
    {
        reading one = {.object = item};

        poses[i] = (clash_client_pose){.device = read_string(&one, "device"),
                                       .pose = {read_quat(&one, "orientation"), read_vec3(&one, "position")},
                                       .tracked = read_bool(&one, "tracked"),
                                       .valid = parse_bool(item, "valid", true),
                                       .teleport = parse_bool(item, "teleport", false),
                                       .source = names_find_source(parse_string(item, "source", ""))};
        poses[i].sinks = read_resolved(&one, &poses[i].resolved);
        i++;
        read_join(r, &one);
    }
    if (!r->wrong && c->listener.poses)
        c->listener.poses(c->listener.context, time_ns, poses, count);
    free(poses);
}

/** A request's id, which we always send as text; a number is somebody else's. */
static void take_reply(clash_client *c, reading *r)
{
    clash_client_reply reply = {
        .id = parse_string(r->object, "id", ""), .code = "", .message = "", .seq = parse_int(r->object, "seq", -1)};

    if (c->listener.ok)
        c->listener.ok(c->listener.context, &reply);
}

static void take_error(clash_client *c, reading *r)
{
    clash_client_reply reply = {
        .id = parse_string(r->object, "id", ""), .code = read_string(r, "code"), .message = read_string(r, "message")};

    if (!r->wrong && c->listener.error)
        c->listener.error(c->listener.context, &reply);
}

/* What goes to somebody's motors is not clamped but refused: a clashd that says so is none. */
static void take_haptic(clash_client *c, reading *r)
{
    clash_client_haptic haptic = {.device = read_string(r, "device"),
                                  .amplitude = read_float(r, "amplitude"),
                                  .duration_ns = read_int(r, "duration_ns")};

    if (!(haptic.amplitude >= 0.0f && haptic.amplitude <= 1.0f))
        read_wrong(r, "out of range: ", "amplitude");
    if (haptic.duration_ns < 1 || haptic.duration_ns > PROTOCOL_HAPTIC_MAX_NS)
        read_wrong(r, "out of range: ", "duration_ns");
    if (!r->wrong && c->listener.haptic)
        c->listener.haptic(c->listener.context, &haptic);
}

static void take_feed_free(clash_client *c, reading *r)
{
    (void)r;
    if (c->listener.feed_free)
        c->listener.feed_free(c->listener.context);
}

static const struct {
    const char *type;
    void (*take)(clash_client *c, reading *r);
} types[] = {
    {"hello", client_take_hello}, {"clash", take_clash},       {"hold", take_hold},
    {"release", take_release},    {"tracking", take_tracking}, {"space_changed", take_space_changed},
    {"poses", take_poses},        {"lagged", take_lagged},     {"ok", take_reply},
    {"error", take_error},        {"haptic", take_haptic},     {"feed_free", take_feed_free},
};

static void take_object(clash_client *c, const cJSON *object)
{
    reading r = {.object = object};
    const char *type = read_string(&r, "type");
    char why[160];

    for (size_t i = 0; i < sizeof types / sizeof types[0] && !r.wrong; i++) {
        if (strcmp(type, types[i].type) == 0) {
            types[i].take(c, &r);
            break;
        }
    }
    if (r.wrong) {
        snprintf(why, sizeof why, "a line of type '%.40s' cannot be used: %s%s", type, r.wrong, r.key);
        client_bad_line(c, why);
    }
}

/** Return whether the listener wants no more of it than the line as it is. */
static bool is_dealt_with(const clash_client *c, const char *line, size_t length)
{
    char text[CLIENT_LINE_MAX + 1];

    if (!c->listener.line)
        return false;
    memcpy(text, line, length);
    text[length] = '\0';
    return c->listener.line(c->listener.context, text, length) || c->fd < 0;
}

/** Over TCP clashd refuses a token by an error in the place of `hello`, and then closes. */
static void note_refusal(clash_client *c, const cJSON *object)
{
    const bool is_first = !c->answered;
    reading r = {.object = object};

    c->answered = true;
    if (!is_first || strcmp(parse_string(object, "type", ""), "error") != 0 ||
        strcmp(read_string(&r, "code"), "unauthorized") != 0)
        return;
    client_fail(c, "%s", parse_string(object, "message", "clashd refuses the token"));
    c->cause = CLASH_CLIENT_CAUSE_TOKEN;
}

void client_take_line(clash_client *c, const char *line, size_t length)
{
    failure why = {0};
    cJSON *object = parse_line(line, length, &why);

    if (!object)
        client_bad_line(c, why.text);
    else if (!cJSON_IsObject(object))
        client_bad_line(c, "a line is no object");
    else {
        note_refusal(c, object);
        if (!is_dealt_with(c, line, length))
            take_object(c, object);
    }
    cJSON_Delete(object);
}

const clash_client_resolved *clash_client_resolved_poses(const clash_client *client)
{
    return client->resolved;
}
