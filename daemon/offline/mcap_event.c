/* See mcap_event.h. */
#include "mcap_event.h"

#include "mcap_scene.h"
#include "protocol/messages/names.h"

static void put_contact(json_writer *w, const clash_event *event)
{
    encode_key_uint(w, "seq", event->seq);
    encode_key_uint(w, "id", event->id);
    encode_key_string(w, "blade", event->blades[0]);
    encode_key_string(w, "other_blade", event->blades[1]);
    encode_key_float(w, "duration_s", (float)((double)event->duration_ns * 1e-9));
}

/* Of what clashes have besides, the floats, which can be plotted; nothing where they say nothing. */
#define PUT_int64_t(name, value, is_there) (void)(value)
#define PUT_float(name, value, is_there) \
    if (is_there)                        \
    encode_key_float(w, name, value)
#define PUT(type, member, none) PUT_##type(#member, c->member, c->member != (none));

void mcap_event_clash(json_writer *w, const clash_event *event)
{
    const clash_event_clash *c = &event->as.clash;

    json_object_begin(w);
    put_contact(w, event);
    encode_key_bool(w, "target", event->has_target);
    encode_key_float(w, "closing_speed", c->closing_speed);
    encode_key_float(w, "slide_speed", c->slide_speed);
    encode_key_float(w, "crossing_angle", c->crossing_angle);
    encode_key_float(w, "intensity", c->intensity);
    encode_key_float(w, "along", c->contact.along[0]);
    encode_key_float(w, "other_along", c->contact.along[1]);
    mcap_json_vec3(w, "midpoint", c->contact.midpoint);
    mcap_json_vec3(w, "normal", c->contact.normal);
    encode_key_float(w, "distance", c->contact.distance);
    encode_key_bool(w, "tracked", c->tracked);
    CLASH_EVENT_FIELDS(PUT)
    json_object_end(w);
}

void mcap_event_release(json_writer *w, const clash_event *event)
{
    const clash_event_release *r = &event->as.release;

    json_object_begin(w);
    put_contact(w, event);
    encode_key_string(w, "reason", names_release_reason(r->reason));
    encode_key_float(w, "min_distance", r->min_distance);
    encode_key_float(w, "peak_closing_speed", r->peak_closing_speed);
    json_object_end(w);
}
