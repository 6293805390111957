/* Pieces of lines that several messages share: see encode.h. */
#include "encode.h"
#include "names.h"

void encode_begin(json_writer *w, char *out, size_t size, const char *type)
{
    json_writer_init(w, out, size);
    json_object_begin(w);
    encode_key_string(w, "type", type);
}

size_t encode_end(json_writer *w)
{
    json_object_end(w);
    return json_writer_finish(w);
}

void encode_floats(json_writer *w, const float *values, size_t count)
{
    json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        json_float(w, values[i]);
    json_array_end(w);
}

void encode_vec3(json_writer *w, clash_vec3 v)
{
    encode_floats(w, (const float[]){v.x, v.y, v.z}, 3);
}

void encode_quat(json_writer *w, clash_quat q)
{
    encode_floats(w, (const float[]){q.x, q.y, q.z, q.w}, 4);
}

void encode_key_quat(json_writer *w, const char *key, clash_quat q)
{
    json_key(w, key);
    encode_quat(w, q);
}

void encode_key_vec3(json_writer *w, const char *key, clash_vec3 v)
{
    json_key(w, key);
    encode_vec3(w, v);
}

void encode_key_float(json_writer *w, const char *key, float value)
{
    json_key(w, key);
    json_float(w, value);
}

void encode_key_int(json_writer *w, const char *key, int64_t value)
{
    json_key(w, key);
    json_int(w, value);
}

void encode_key_uint(json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_uint(w, value);
}

void encode_key_string(json_writer *w, const char *key, const char *text)
{
    json_key(w, key);
    json_string(w, text);
}

size_t protocol_encode_haptic(char *out, size_t size, const protocol_haptic *haptic)
{
    json_writer w;

    encode_begin(&w, out, size, "haptic");
    encode_key_string(&w, "device", haptic->device);
    encode_key_float(&w, "amplitude", haptic->amplitude);
    encode_key_int(&w, "duration_ns", haptic->duration_ns);
    return encode_end(&w);
}

size_t protocol_encode_feed_free(char *out, size_t size)
{
    json_writer w;

    encode_begin(&w, out, size, "feed_free");
    return encode_end(&w);
}

void encode_source(json_writer *w, clash_feed_source source)
{
    if (source != CLASH_SOURCE_NONE)
        encode_key_string(w, "source", names_source(source));
}

void encode_key_bool(json_writer *w, const char *key, bool value)
{
    json_key(w, key);
    json_bool(w, value);
}

void encode_sphere(json_writer *w, const clash_sphere *sphere)
{
    encode_key_vec3(w, "center", sphere->center);
    encode_key_float(w, "radius", sphere->radius);
}

void encode_capsule(json_writer *w, const clash_capsule *capsule)
{
    encode_key_vec3(w, "base", capsule->base);
    encode_key_vec3(w, "tip", capsule->tip);
    encode_key_float(w, "radius", capsule->radius);
}

void encode_box(json_writer *w, const clash_box *box)
{
    encode_key_vec3(w, "center", box->center);
    encode_key_quat(w, "orientation", box->orientation);
    encode_key_vec3(w, "size", (clash_vec3){2.0f * box->half.x, 2.0f * box->half.y, 2.0f * box->half.z});
}

void encode_id(json_writer *w, const char *id)
{
    if (!id || id[0] == '\0')
        return;
    json_key(w, "id");
    json_raw(w, id);
}

/* A part as a polyline, be it of one capsule. */
static void put_part(json_writer *w, const clash_sword *sword, const clash_sword_part *part)
{
    const clash_capsule *capsules = &sword->capsules[part->first];

    json_object_begin(w);
    encode_key_string(w, "name", part->name);
    json_array_begin_at(w, "points");
    encode_vec3(w, capsules[0].base);
    for (uint32_t i = 0; i < part->count; i++)
        encode_vec3(w, capsules[i].tip);
    json_array_end(w);
    encode_key_float(w, "radius", capsules[0].radius);
    if (part->has_edge)
        encode_key_vec3(w, "edge", part->edge);
    json_object_end(w);
}

/* Each a polyline, be it of one capsule. */
static void put_parts(json_writer *w, const clash_sword *sword)
{
    json_array_begin_at(w, "parts");
    for (uint32_t i = 0; i < sword->part_count; i++)
        put_part(w, sword, &sword->parts[i]);
    json_array_end(w);
}

void encode_layers(json_writer *w, const clash_layers *layers)
{
    if (clash_layers_own(layers) != CLASH_LAYERS_DEFAULT)
        encode_key_uint(w, "layers", clash_layers_own(layers));
    if (clash_layers_mask(layers) != CLASH_MASK_DEFAULT)
        encode_key_uint(w, "mask", clash_layers_mask(layers));
}

void encode_blade(json_writer *w, const clash_blade *blade, bool with_stand_in)
{
    const clash_blade_properties *p = &blade->properties;

    encode_key_string(w, "name", blade->name);
    encode_key_string(w, "device", blade->device);
#define PUT(type, member, key, otherwise) \
    if (p->member != (otherwise))         \
        encode_key_##type(w, key, p->member);
    CLASH_BLADE_PROPERTIES(PUT)
#undef PUT
    if (p->is_disabled)
        encode_key_bool(w, "enabled", false);
    encode_layers(w, &p->layers);
    if (!blade->sword || with_stand_in) {
        encode_capsule(w, &p->shape);
        if (p->has_edge)
            encode_key_vec3(w, "edge", p->edge);
    }
    if (blade->sword)
        put_parts(w, blade->sword);
}
