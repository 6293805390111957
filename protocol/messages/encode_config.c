/* See encode_config.h. */
#include "encode_config.h"

#include <stdio.h>
#include <stdlib.h>

#include "encode.h"

#define DIGITS_FLOAT 9
#define DIGITS_DOUBLE 17

/* Print 0.005 rather than 0.00499999989, for people. */
static void put_number(json_writer *w, double number, bool is_float)
{
    char text[40];

    for (int digits = 1; digits <= (is_float ? DIGITS_FLOAT : DIGITS_DOUBLE); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (is_float ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number)
            break;
    }
    if (number >= -1e15 && number <= 1e15 && number == (double)(int64_t)number)
        json_int(w, (int64_t)number); /* and not 2.68e+08 */
    else
        json_raw(w, text);
}

static void put_numbers(json_writer *w, const char *key, const float *numbers, size_t count)
{
    json_array_begin_at(w, key);
    for (size_t i = 0; i < count; i++)
        put_number(w, (double)numbers[i], true);
    json_array_end(w);
}

static void put_pose(json_writer *w, const protocol_named_pose *one)
{
    const clash_vec3 p = one->pose.position;
    const clash_quat q = one->pose.orientation;

    json_key(w, one->name);
    json_object_begin(w);
    put_numbers(w, "position", (const float[]){p.x, p.y, p.z}, 3);
    put_numbers(w, "orientation", (const float[]){q.x, q.y, q.z, q.w}, 4);
    json_object_end(w);
}

static void put_value(json_writer *w, const protocol_setting *s)
{
    switch (s->kind) {
    case PROTOCOL_VALUE_NULL:
        json_null(w);
        break;
    case PROTOCOL_VALUE_BOOL:
        json_bool(w, s->is);
        break;
    case PROTOCOL_VALUE_FLOAT:
    case PROTOCOL_VALUE_NUMBER:
        put_number(w, s->number, s->kind == PROTOCOL_VALUE_FLOAT);
        break;
    case PROTOCOL_VALUE_STRING:
        json_string(w, s->string);
        break;
    case PROTOCOL_VALUE_STRINGS:
        json_array_begin(w);
        for (size_t i = 0; i < s->string_count; i++)
            json_string(w, s->strings[i]);
        json_array_end(w);
        break;
    case PROTOCOL_VALUE_POSES:
        json_object_begin(w);
        for (size_t i = 0; i < s->pose_count; i++)
            put_pose(w, &s->poses[i]);
        json_object_end(w);
        break;
    }
}

size_t protocol_encode_config(char *out, size_t size, const char *id, const protocol_config *config)
{
    json_writer w;

    encode_begin(&w, out, size, "config");
    encode_id(&w, id);
    encode_key_int(&w, "time_ns", config->time_ns);
    if (config->file[0])
        encode_key_string(&w, "file", config->file);
    json_array_begin_at(&w, "settings");
    for (size_t i = 0; i < config->setting_count; i++) {
        json_object_begin(&w);
        encode_key_string(&w, "key", config->settings[i].key);
        json_key(&w, "value");
        put_value(&w, &config->settings[i]);
        encode_key_string(&w, "source", config->settings[i].source);
        json_object_end(&w);
    }
    json_array_end(&w);
    return encode_end(&w);
}
