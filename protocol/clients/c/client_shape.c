/* The targets in hello. A shape of a kind that only a newer clashd knows is no mistake: the target is passed over. */
#include "client_read.h"

#include <stdlib.h>

static clash_capsule read_capsule(reading *r)
{
    return (clash_capsule){read_vec3(r, "base"), read_vec3(r, "tip"), read_float(r, "radius")};
}

static clash_sphere read_sphere(reading *r)
{
    return (clash_sphere){read_vec3(r, "center"), read_float(r, "radius")};
}

static clash_box read_box(reading *r)
{
    const clash_vec3 size = read_vec3(r, "size");

    return (clash_box){read_vec3(r, "center"), read_quat(r, "orientation"), {size.x / 2, size.y / 2, size.z / 2}};
}

/** Return false if there is none that is known. */
static bool take_shape(reading *whole, clash_client_target *out)
{
    static const char *const keys[] = {"sphere", "capsule", "box", "mesh", "terrain"};
    reading r = {.object = NULL};

    for (out->kind = CLASH_SHAPE_SPHERE; out->kind <= CLASH_SHAPE_TERRAIN; out->kind++) {
        r.object = cJSON_GetObjectItemCaseSensitive(whole->object, keys[out->kind]);
        if (r.object)
            break;
    }
    if (out->kind == CLASH_SHAPE_SPHERE)
        out->sphere = read_sphere(&r);
    else if (out->kind == CLASH_SHAPE_CAPSULE)
        out->capsule = read_capsule(&r);
    else if (out->kind == CLASH_SHAPE_BOX)
        out->box = read_box(&r);
    read_join(whole, &r);
    return r.object != NULL;
}

size_t read_targets(reading *r, clash_client_target *out_targets)
{
    const cJSON *item;
    size_t count = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(r->object, "targets"))
    {
        reading one = {.object = item};
        clash_client_target *target = &out_targets[count];

        target->name = read_string(&one, "name");
        target->device = cJSON_HasObjectItem(item, "device") ? read_string(&one, "device") : NULL;
        target->pose = (clash_pose){read_quat(&one, "orientation"), read_vec3(&one, "position")};
        count += take_shape(&one, target);
        read_join(r, &one);
    }
    return count;
}
