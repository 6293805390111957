/* See client_write.h. */
#include "client_write.h"

#include <math.h>

void put_floats(json_writer *w, const char *key, const float *values, int count)
{
    if (key)
        json_key(w, key);
    json_array_begin(w);
    for (int i = 0; i < count; i++)
        json_float(w, values[i]);
    json_array_end(w);
}

void put_vec3(json_writer *w, const char *key, clash_vec3 v)
{
    put_floats(w, key, (const float[]){v.x, v.y, v.z}, 3);
}

void put_quat(json_writer *w, const char *key, clash_quat q)
{
    put_floats(w, key, (const float[]){q.x, q.y, q.z, q.w}, 4);
}

void put_text(json_writer *w, const char *key, const char *text)
{
    json_key(w, key);
    json_string(w, text);
}

void put_number(json_writer *w, const char *key, float value)
{
    json_key(w, key);
    json_float(w, value);
}

void put_count(json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_uint(w, value);
}

bool is_finite_vec3(clash_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

bool is_finite_quat(clash_quat q)
{
    return isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
}

bool is_finite_pose(const clash_pose *pose)
{
    return is_finite_vec3(pose->position) && is_finite_quat(pose->orientation);
}

bool is_finite_capsule(const clash_capsule *c)
{
    return is_finite_vec3(c->base) && is_finite_vec3(c->tip) && isfinite(c->radius);
}
