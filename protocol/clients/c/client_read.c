/* Fields out of a parsed line: see client_read.h. */
#include "client_read.h"

#include <math.h>
#include <string.h>

void read_wrong(reading *r, const char *wrong, const char *key)
{
    if (!r->wrong) {
        r->wrong = wrong;
        r->key = key;
    }
}

void read_join(reading *whole, const reading *part)
{
    if (part->wrong)
        read_wrong(whole, part->wrong, part->key);
}

static const cJSON *find(const reading *r, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(r->object, key);
}

const char *read_string(reading *r, const char *key)
{
    const cJSON *item = find(r, key);

    if (cJSON_IsString(item))
        return item->valuestring;
    read_wrong(r, "expected a string: ", key);
    return "";
}

bool read_bool(reading *r, const char *key)
{
    const cJSON *item = find(r, key);

    if (!cJSON_IsBool(item))
        read_wrong(r, "expected true or false: ", key);
    return cJSON_IsTrue(item);
}

int64_t read_int(reading *r, const char *key)
{
    int64_t value = 0;

    if (!parse_integer(find(r, key), &value))
        read_wrong(r, "expected an integer: ", key);
    return value;
}

uint64_t read_count(reading *r, const char *key)
{
    int64_t value = read_int(r, key);

    if (value < 0)
        read_wrong(r, "negative: ", key);
    return (uint64_t)value;
}

static bool to_float(const cJSON *item, float *out_value)
{
    if (!cJSON_IsNumber(item) || !parse_fits_float(item))
        return false;
    *out_value = (float)item->valuedouble;
    return true;
}

float read_float(reading *r, const char *key)
{
    float value = 0.0f;

    if (!to_float(find(r, key), &value))
        read_wrong(r, "expected a number: ", key);
    return value;
}

static bool to_floats(const cJSON *array, int count, float *out_values)
{
    const cJSON *item = cJSON_IsArray(array) ? array->child : NULL;

    for (int i = 0; i < count; i++, item = item->next)
        if (!item || !to_float(item, &out_values[i]))
            return false;
    return !item;
}

static bool to_vec3(const cJSON *array, clash_vec3 *out_vector)
{
    float v[3] = {0.0f, 0.0f, 0.0f};
    bool is_right = to_floats(array, 3, v);

    *out_vector = (clash_vec3){v[0], v[1], v[2]};
    return is_right;
}

void read_floats(reading *r, const char *key, int count, float *out_values)
{
    if (!to_floats(find(r, key), count, out_values))
        read_wrong(r, "expected an array of numbers: ", key);
}

clash_vec3 read_vec3(reading *r, const char *key)
{
    clash_vec3 vector;

    if (!to_vec3(find(r, key), &vector))
        read_wrong(r, "expected an array of 3 numbers: ", key);
    return vector;
}

clash_quat read_quat(reading *r, const char *key)
{
    float q[4] = {0.0f, 0.0f, 0.0f, 0.0f};

    read_floats(r, key, 4, q);
    return (clash_quat){q[0], q[1], q[2], q[3]};
}

void read_two_vec3(reading *r, const char *key, clash_vec3 out_vectors[2])
{
    const cJSON *array = find(r, key);

    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != 2 || !to_vec3(array->child, &out_vectors[0]) ||
        !to_vec3(array->child->next, &out_vectors[1]))
        read_wrong(r, "expected 2 arrays of 3 numbers: ", key);
}

void read_edges(reading *r, bool out_has[2], float out_alignment[2])
{
    const cJSON *array = find(r, "edge_alignment"), *item;
    int i = 0;

    if (!array)
        return;
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != 2) {
        read_wrong(r, "expected an array of 2: ", "edge_alignment");
        return;
    }
    cJSON_ArrayForEach(item, array)
    {
        out_has[i] = to_float(item, &out_alignment[i]);
        if (!out_has[i] && !cJSON_IsNull(item))
            read_wrong(r, "expected numbers or null: ", "edge_alignment");
        i++;
    }
}

void read_parts(reading *r, const char *out_parts[2])
{
    const cJSON *array = find(r, "parts"), *item;
    int i = 0;

    out_parts[0] = out_parts[1] = NULL;
    if (!array)
        return;
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != 2) {
        read_wrong(r, "expected an array of 2: ", "parts");
        return;
    }
    cJSON_ArrayForEach(item, array)
    {
        if (!cJSON_IsString(item) && !cJSON_IsNull(item))
            read_wrong(r, "expected strings or null: ", "parts");
        out_parts[i++] = cJSON_IsString(item) ? item->valuestring : NULL;
    }
}

clash_vec3 read_corner(reading *r, const cJSON *item)
{
    clash_vec3 vector;

    if (!to_vec3(item, &vector))
        read_wrong(r, "expected arrays of 3 numbers: ", "points");
    return vector;
}

void read_names(reading *r, const char *key, const char *out_names[2])
{
    const cJSON *array = find(r, key);
    const cJSON *first = cJSON_IsArray(array) ? array->child : NULL, *second = first ? first->next : NULL;

    out_names[0] = out_names[1] = "";
    if (first && second && cJSON_IsString(first) && cJSON_IsString(second) && !second->next) {
        out_names[0] = first->valuestring;
        out_names[1] = second->valuestring;
    } else {
        read_wrong(r, "expected 2 strings: ", key);
    }
}

size_t read_array(reading *r, const char *key)
{
    const cJSON *array = find(r, key);

    if (!cJSON_IsArray(array)) {
        read_wrong(r, "expected an array: ", key);
        return 0;
    }
    return (size_t)cJSON_GetArraySize(array);
}

static clash_client_resolved take_resolved(reading *r, const cJSON *item)
{
    reading one = {.object = item};
    clash_client_resolved resolved = {.has_pose = !cJSON_IsNull(item)};

    if (resolved.has_pose)
        resolved.pose = (clash_pose){read_quat(&one, "orientation"), read_vec3(&one, "position")};
    read_join(r, &one);
    return resolved;
}

bool read_resolved(reading *r, clash_client_resolved *out_resolved)
{
    const cJSON *item = find(r, "resolved_pose");

    if (item)
        *out_resolved = take_resolved(r, item);
    return item != NULL;
}

bool read_resolved_pair(reading *r, clash_client_resolved out_resolved[2])
{
    const cJSON *array = find(r, "resolved_pose");

    if (!array)
        return false;
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != 2) {
        read_wrong(r, "expected an array of 2: ", "resolved_pose");
        return false;
    }
    out_resolved[0] = take_resolved(r, array->child);
    out_resolved[1] = take_resolved(r, array->child->next);
    return true;
}

void read_surface(reading *r, clash_event *event)
{
    int64_t triangle = CLASH_NO_TRIANGLE;

    if (event->has_target)
        event->as.clash.surface_normal = read_vec3(r, "surface_normal");
    if (find(r, "triangle"))
        triangle = read_int(r, "triangle");
    if (triangle < 0 || triangle > CLASH_NO_TRIANGLE)
        read_wrong(r, "out of range: ", "triangle");
    event->as.clash.triangle = (uint32_t)triangle;
}
