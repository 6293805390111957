/* Events and poses as lines. Field names and units: schema/server. */
#include "encode.h"
#include "names.h"

static void put_names(json_writer *w, const clash_event *e)
{
    json_array_begin_at(w, "blades");
    json_string(w, e->blades[0]);
    json_string(w, e->blades[1]);
    json_array_end(w);
    if (e->has_target)
        encode_key_string(w, "target", e->blades[1]);
}

/* Nothing if neither blade has parts. */
static void put_parts(json_writer *w, const clash_event_clash *c)
{
    if (!c->parts[0] && !c->parts[1])
        return;
    json_array_begin_at(w, "parts");
    for (int i = 0; i < 2; i++) {
        if (c->parts[i])
            json_string(w, c->parts[i]);
        else
            json_null(w);
    }
    json_array_end(w);
}

static void put_two_vec3(json_writer *w, const char *key, const clash_vec3 v[2])
{
    json_array_begin_at(w, key);
    encode_vec3(w, v[0]);
    encode_vec3(w, v[1]);
    json_array_end(w);
}

static void put_edges(json_writer *w, const clash_event_clash *c)
{
    if (!c->has_edge[0] && !c->has_edge[1])
        return;
    json_array_begin_at(w, "edge_alignment");
    for (int i = 0; i < 2; i++) {
        if (c->has_edge[i])
            json_float(w, c->edge_alignment[i]);
        else
            json_null(w);
    }
    json_array_end(w);
}

static void put_surface(json_writer *w, const clash_event_clash *c)
{
    encode_key_vec3(w, "surface_normal", c->surface_normal);
    if (c->triangle != CLASH_NO_TRIANGLE)
        encode_key_uint(w, "triangle", c->triangle);
}

#define PUT_int64_t encode_key_int
#define PUT_float encode_key_float

static void put_clash(json_writer *w, const clash_event_clash *c, bool is_hold, bool has_target)
{
    encode_key_vec3(w, "midpoint", c->contact.midpoint);
    encode_key_float(w, "distance", c->contact.distance);
    put_two_vec3(w, "points", c->contact.points);
    encode_key_vec3(w, "normal", c->contact.normal);
    if (has_target)
        put_surface(w, c);
    json_array_begin_at(w, "along");
    json_float(w, c->contact.along[0]);
    json_float(w, c->contact.along[1]);
    json_array_end(w);
    put_two_vec3(w, "velocities", c->velocities);
    encode_key_float(w, "closing_speed", c->closing_speed);
    encode_key_float(w, "slide_speed", c->slide_speed);
    encode_key_float(w, "crossing_angle", c->crossing_angle);
    put_edges(w, c);
    encode_key_float(w, "intensity", c->intensity);
    encode_key_float(w, "fraction", (float)c->contact.fraction);
#define PUT(type, member, none) \
    if (c->member != (none))    \
        PUT_##type(w, #member, c->member);
    CLASH_EVENT_FIELDS(PUT)
#undef PUT
    if (c->has_since_release && !is_hold)
        encode_key_int(w, "since_release_ns", c->since_release_ns);
    if (c->late && !is_hold)
        encode_key_bool(w, "late", true);
    if (c->resumed && !is_hold)
        encode_key_bool(w, "resumed", true);
    encode_key_bool(w, "tracked", c->tracked);
}

static void put_release(json_writer *w, const clash_event_release *r)
{
    encode_key_float(w, "min_distance", r->min_distance);
    encode_key_float(w, "peak_closing_speed", r->peak_closing_speed);
    encode_key_string(w, "reason", names_release_reason(r->reason));
}

static void put_resolved(json_writer *w, const protocol_resolved *resolved)
{
    if (resolved->is != PROTOCOL_RESOLUTION_AT) {
        json_null(w);
        return;
    }
    json_object_begin(w);
    encode_key_vec3(w, "position", resolved->pose.position);
    encode_key_quat(w, "orientation", resolved->pose.orientation);
    json_object_end(w);
}

static void put_resolved_pair(json_writer *w, const protocol_resolved resolved[2])
{
    json_array_begin_at(w, "resolved_pose");
    put_resolved(w, &resolved[0]);
    put_resolved(w, &resolved[1]);
    json_array_end(w);
}

static void put_room(json_writer *w, const clash_event_room *room)
{
    if (room->id == 0)
        return;
    encode_key_int(w, "room_id", room->id);
    encode_key_int(w, "room_time_ns", room->time_ns);
    encode_key_int(w, "clock_error_ns", room->clock_error_ns);
    if (room->agreed != CLASH_AGREEMENT_NONE)
        encode_key_bool(w, "agreed", room->agreed == CLASH_AGREEMENT_YES);
}

/** clash, hold, release: what they have in common, then their own. */
static void put_contact(json_writer *w, const clash_event *e)
{
    encode_key_uint(w, "id", e->id);
    put_names(w, e);
    if (e->kind != CLASH_EVENT_RELEASE)
        put_parts(w, &e->as.clash);
    if (e->kind != CLASH_EVENT_CLASH)
        encode_key_int(w, "duration_ns", e->duration_ns);
    if (e->kind == CLASH_EVENT_RELEASE)
        put_release(w, &e->as.release);
    else
        put_clash(w, &e->as.clash, e->kind == CLASH_EVENT_HOLD, e->has_target);
    put_room(w, &e->room);
}

size_t protocol_encode_resolved_event(char *out, size_t size, const clash_event *event,
                                      const protocol_resolved resolved[2], int64_t epoch_ns)
{
    static const char *const types[] = {
        [CLASH_EVENT_CLASH] = "clash",
        [CLASH_EVENT_HOLD] = "hold",
        [CLASH_EVENT_RELEASE] = "release",
        [CLASH_EVENT_TRACKING] = "tracking",
        [CLASH_EVENT_SPACE_CHANGED] = "space_changed",
    };
    json_writer w;

    encode_begin(&w, out, size, types[event->kind]);
    encode_key_uint(&w, "seq", event->seq);
    encode_key_int(&w, "time_ns", event->time_ns - epoch_ns);
    if (event->kind == CLASH_EVENT_TRACKING) {
        encode_key_string(&w, "device", event->as.tracking.device);
        encode_key_bool(&w, "tracked", event->as.tracking.tracked);
        encode_key_string(&w, "reason", names_tracking_reason(event->as.tracking.reason));
        encode_source(&w, event->as.tracking.source);
    } else if (event->kind == CLASH_EVENT_SPACE_CHANGED) {
        encode_source(&w, event->as.space_changed.source);
    } else {
        put_contact(&w, event);
    }
    if (resolved && (event->kind == CLASH_EVENT_CLASH || event->kind == CLASH_EVENT_HOLD))
        put_resolved_pair(&w, resolved);
    return encode_end(&w);
}

size_t protocol_encode_event(char *out, size_t size, const clash_event *event, int64_t epoch_ns)
{
    return protocol_encode_resolved_event(out, size, event, NULL, epoch_ns);
}

static void put_poses(json_writer *w, const protocol_pose *poses, size_t count)
{
    json_array_begin_at(w, "poses");
    for (size_t i = 0; i < count; i++) {
        const clash_quat q = poses[i].pose.orientation;

        json_object_begin(w);
        encode_key_string(w, "device", poses[i].device);
        encode_key_vec3(w, "position", poses[i].valid ? poses[i].pose.position : (clash_vec3){0, 0, 0});
        json_array_begin_at(w, "orientation");
        json_float(w, poses[i].valid ? q.x : 0.0f);
        json_float(w, poses[i].valid ? q.y : 0.0f);
        json_float(w, poses[i].valid ? q.z : 0.0f);
        json_float(w, poses[i].valid ? q.w : 1.0f);
        json_array_end(w);
        encode_key_bool(w, "tracked", poses[i].tracked);
        if (!poses[i].valid)
            encode_key_bool(w, "valid", false);
        if (poses[i].teleport)
            encode_key_bool(w, "teleport", true);
        if (poses[i].joined)
            encode_key_bool(w, "joined", true);
        if (poses[i].holds)
            encode_key_bool(w, "holds", true);
        encode_source(w, poses[i].source);
        if (poses[i].resolved.is != PROTOCOL_RESOLUTION_NONE) {
            json_key(w, "resolved_pose");
            put_resolved(w, &poses[i].resolved);
        }
        json_object_end(w);
    }
    json_array_end(w);
}

size_t protocol_encode_recorded_poses(char *out, size_t size, int64_t time_ns, const protocol_pose *poses, size_t count,
                                      bool more)
{
    json_writer w;

    encode_begin(&w, out, size, "poses");
    encode_key_int(&w, "time_ns", time_ns);
    put_poses(&w, poses, count);
    if (more)
        encode_key_bool(&w, "more", true);
    return encode_end(&w);
}

size_t protocol_encode_poses(char *out, size_t size, int64_t time_ns, const protocol_pose *poses, size_t count)
{
    return protocol_encode_recorded_poses(out, size, time_ns, poses, count, false);
}
