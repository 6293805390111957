/* Speaking for devices that clashd has itself, the hands of a player above all; what their poses are is client_push.c's. */
#include "client_write.h"

int clash_client_feed(clash_client *client, const char *id, const clash_client_feeding *feeding)
{
    char line[CLIENT_LINE_MAX];
    json_writer w;

    if (feeding->stage && !is_finite_pose(feeding->stage))
        return client_fail(client, "feed: the pose of stage is not finite");
    client_begin_request(&w, line, sizeof line, "feed", id);
    json_key(&w, "devices");
    json_array_begin(&w);
    for (size_t i = 0; i < feeding->device_count; i++) {
        if (!feeding->devices[i])
            return client_fail(client, "feed: a device has no name");
        json_string(&w, feeding->devices[i]);
    }
    json_array_end(&w);
    if (feeding->space)
        encode_key_string(&w, "space", feeding->space);
    if (feeding->source)
        encode_key_string(&w, "source", feeding->source);
    if (feeding->stage) {
        json_key(&w, "stage");
        json_object_begin(&w);
        encode_key_vec3(&w, "position", feeding->stage->position);
        encode_key_quat(&w, "orientation", feeding->stage->orientation);
        json_object_end(&w);
    }
    if (feeding->haptics)
        encode_key_bool(&w, "haptics", true);
    if (feeding->overlay)
        encode_key_bool(&w, "overlay", true);
    return client_end_request(client, &w);
}
