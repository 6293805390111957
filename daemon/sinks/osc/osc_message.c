/* See osc_message.h. */
#include "osc_message.h"

#include <lo/lo_lowlevel.h>

/* Take `m`, which is NULL if there was no memory. */
static size_t serialise(lo_message m, bool is_whole, const char *path, char out[OSC_MESSAGE_MAX])
{
    size_t length = 0;

    if (!m)
        return 0;
    if (is_whole && lo_message_length(m, path) <= OSC_MESSAGE_MAX && !lo_message_serialise(m, path, out, &length))
        length = 0;
    lo_message_free(m);
    return length;
}

/* Cut an id to what fits: whole for the first 2,147,483,647 contacts. */
static int32_t id_of(const clash_event *event)
{
    return (int32_t)(event->id & INT32_MAX);
}

static bool add_names(lo_message m, const clash_event *event)
{
    return lo_message_add_string(m, event->blades[0]) == 0 && lo_message_add_string(m, event->blades[1]) == 0;
}

size_t osc_message_contact(const char *path, const clash_event *event, char out[OSC_MESSAGE_MAX])
{
    const clash_event_clash *clash = &event->as.clash;
    const clash_vec3 at = clash->contact.midpoint;
    lo_message m = lo_message_new();

    return serialise(m,
                     m && add_names(m, event) && lo_message_add_float(m, at.x) == 0 &&
                         lo_message_add_float(m, at.y) == 0 && lo_message_add_float(m, at.z) == 0 &&
                         lo_message_add_float(m, clash->closing_speed) == 0 &&
                         lo_message_add_float(m, clash->intensity) == 0 && lo_message_add_int32(m, id_of(event)) == 0,
                     path, out);
}

size_t osc_message_release(const char *path, const clash_event *event, char out[OSC_MESSAGE_MAX])
{
    lo_message m = lo_message_new();

    return serialise(m,
                     m && add_names(m, event) &&
                         lo_message_add_float(m, (float)((double)event->duration_ns * 1e-9)) == 0 &&
                         lo_message_add_int32(m, id_of(event)) == 0,
                     path, out);
}

size_t osc_message_float(const char *path, float value, char out[OSC_MESSAGE_MAX])
{
    lo_message m = lo_message_new();

    return serialise(m, m && lo_message_add_float(m, value) == 0, path, out);
}

size_t osc_message_int(const char *path, int32_t value, char out[OSC_MESSAGE_MAX])
{
    lo_message m = lo_message_new();

    return serialise(m, m && lo_message_add_int32(m, value) == 0, path, out);
}

size_t osc_message_bool(const char *path, bool value, char out[OSC_MESSAGE_MAX])
{
    lo_message m = lo_message_new();

    return serialise(m, m && (value ? lo_message_add_true(m) : lo_message_add_false(m)) == 0, path, out);
}
