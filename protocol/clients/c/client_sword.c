/* The parts of a blade in hello. What is more than a clash_sword holds is no mistake of clashd's, which may be newer: the
 * blade is then told as the one capsule that stands for it. */
#include "client_read.h"

#include <string.h>

/** Return false if there is no room. A part always has points: base and tip are for those who ask. */
static bool take_points(reading *r, const cJSON *part, clash_sword *sword)
{
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(part, "points"), *point;
    float radius = read_float(r, "radius");
    clash_vec3 before = {0.0f, 0.0f, 0.0f};
    size_t count = 0;

    if (!cJSON_IsArray(points))
        points = NULL;
    cJSON_ArrayForEach(point, points)
    {
        clash_vec3 corner = read_corner(r, point);

        if (count++ > 0) {
            if (sword->capsule_count == CLASH_PARTS_MAX)
                return false;
            sword->capsules[sword->capsule_count++] = (clash_capsule){before, corner, radius};
        }
        before = corner;
    }
    if (count < 2)
        read_wrong(r, "expected 2 points or more: ", "points");
    return true;
}

static bool take_part(reading *r, const cJSON *part, clash_sword *sword)
{
    clash_sword_part *out = &sword->parts[sword->part_count];
    const char *name = read_string(r, "name");

    if (sword->part_count == CLASH_PARTS_MAX || strlen(name) >= sizeof out->name)
        return false;
    memcpy(out->name, name, strlen(name) + 1);
    out->first = sword->capsule_count;
    if (!take_points(r, part, sword))
        return false;
    out->count = sword->capsule_count - out->first;
    out->has_edge = cJSON_HasObjectItem(part, "edge");
    if (out->has_edge)
        out->edge = read_vec3(r, "edge");
    sword->part_count++;
    return true;
}

bool read_sword(reading *r, clash_sword *out)
{
    const cJSON *parts = cJSON_GetObjectItemCaseSensitive(r->object, "parts"), *part;
    bool fits = parts != NULL;

    *out = (clash_sword){.part_count = 0};
    if (parts && !cJSON_IsArray(parts))
        read_wrong(r, "expected an array: ", "parts");
    cJSON_ArrayForEach(part, parts)
    {
        reading one = {.object = part};

        fits = fits && take_part(&one, part, out);
        read_join(r, &one);
    }
    return fits && out->part_count > 0 && !r->wrong;
}
