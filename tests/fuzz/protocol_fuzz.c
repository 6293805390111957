/* Bytes from a client: framing gives the same lines however they arrive, every line is parsed as a request, and what was
 * understood, written out again, is understood as the same. What is refused makes an error message that its schema
 * accepts. The first two bytes say how the stream is cut. */
#include <stdbool.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/encode.h"
#include "protocol/messages/framing.h"
#include "protocol/messages/names.h"
#include "protocol/messages/parse.h"
#include "protocol/schema_check/schema.h"
#include "support/bits.h"

enum { LINE_MAX_HERE = 4096 };

static char written[2 * PROTOCOL_LINE_MAX];

static void check_against_schema(const char *schema, const char *line, size_t length)
{
    failure error = {0};
    cJSON *value = parse_line(line, length - 1, &error);

    FUZZ_CHECK(line[length - 1] == '\n' && !memchr(line, '\n', length - 1) && value);
    FUZZ_CHECK(protocol_schema_validate(protocol_schema_get(schema), value, &error) == 0);
    cJSON_Delete(value);
}

/** Whole or not at all, and never beyond its end. */
static void check_fits(size_t (*encode)(char *out, size_t size, const void *what), const void *what)
{
    size_t length = encode(written, sizeof written, what);

    FUZZ_CHECK(length > 0);
    for (size_t size = 0; size < length; size += 1 + length / 8) {
        written[size] = '#';
        FUZZ_CHECK(encode(written, size, what) == 0 && written[size] == '#');
    }
    FUZZ_CHECK(encode(written, length, what) == length);
}

static size_t encode_error(char *out, size_t size, const void *error)
{
    return protocol_encode_error(out, size, "", error);
}

static void check_error(const protocol_error *error, const char *id)
{
    FUZZ_CHECK(error->code != PROTOCOL_ERROR_NONE && memchr(error->message, '\0', sizeof error->message));
    FUZZ_CHECK(error->message[0]);
    check_fits(encode_error, error);
    check_against_schema("server/error", written, protocol_encode_error(written, sizeof written, id, error));
}

static void put_vec3(json_writer *w, const char *key, clash_vec3 v)
{
    encode_key_vec3(w, key, v);
}

static void put_subscribe(json_writer *w, const protocol_subscribe *s)
{
    static const char *const names[] = {"clash", "hold", "release", "tracking", "space_changed", "poses"};
    static const char *const axes[] = {"openxr", "unity", "godot"};

    json_key(w, "events");
    json_array_begin(w);
    for (int i = 0; i < 6; i++)
        if (s->events & names_find_event(names[i]))
            json_string(w, names[i]);
    json_array_end(w);
    json_key(w, "blades");
    json_array_begin(w);
    for (size_t i = 0; i < s->blade_count; i++)
        json_string(w, s->blades[i]);
    json_array_end(w);
    encode_key_float(w, "min_closing_speed", s->min_closing_speed);
    encode_key_float(w, "min_peak_speed", s->min_peak_speed);
    encode_key_uint(w, "since_late", s->since_late);
    json_key(w, "min_apart_ms");
    json_float(w, (float)((double)s->min_apart_ns * 1e-6));
    encode_key_float(w, "pose_rate_hz", s->pose_rate_hz);
    encode_key_string(w, "axes", axes[s->axes]);
    if (s->has_since_seq)
        encode_key_uint(w, "since_seq", s->since_seq);
}

static void put_shape(json_writer *w, const clash_capsule *s, bool has_edge, clash_vec3 edge)
{
    put_vec3(w, "base", s->base);
    put_vec3(w, "tip", s->tip);
    encode_key_float(w, "radius", s->radius);
    if (has_edge)
        put_vec3(w, "edge", edge);
}

static void put_part(json_writer *w, const clash_sword *s, const clash_sword_part *part)
{
    const clash_capsule *capsules = &s->capsules[part->first];

    json_object_begin(w);
    encode_key_string(w, "name", part->name);
    encode_key_float(w, "radius", capsules[0].radius);
    if (part->has_edge)
        put_vec3(w, "edge", part->edge);
    json_key(w, "points");
    json_array_begin(w);
    encode_vec3(w, capsules[0].base);
    for (uint32_t i = 0; i < part->count; i++)
        encode_vec3(w, capsules[i].tip);
    json_array_end(w);
    json_object_end(w);
}

static void put_blade(json_writer *w, const clash_blade_definition *b)
{
    encode_key_string(w, "name", b->name);
    encode_key_string(w, "device", b->device);
    if (b->sword.part_count == 0) {
        put_shape(w, &b->properties.shape, b->properties.has_edge, b->properties.edge);
        return;
    }
    json_key(w, "parts");
    json_array_begin(w);
    for (uint32_t i = 0; i < b->sword.part_count; i++)
        put_part(w, &b->sword, &b->sword.parts[i]);
    json_array_end(w);
}

static void put_pose(json_writer *w, const protocol_own_pose *p)
{
    clash_quat q = p->pose.orientation;

    json_object_begin(w);
    encode_key_string(w, "device", p->device);
    put_vec3(w, "position", p->pose.position);
    json_key(w, "orientation");
    json_array_begin(w);
    json_float(w, q.x);
    json_float(w, q.y);
    json_float(w, q.z);
    json_float(w, q.w);
    json_array_end(w);
    encode_key_bool(w, "tracked", p->tracked);
    encode_key_bool(w, "valid", p->valid);
    encode_key_bool(w, "teleport", p->teleport);
    json_object_end(w);
}

static void put_poses(json_writer *w, const protocol_own_poses *p)
{
    if (p->has_time)
        encode_key_int(w, "time_ns", p->time_ns);
    json_key(w, "poses");
    json_array_begin(w);
    for (size_t i = 0; i < p->count; i++)
        put_pose(w, &p->poses[i]);
    json_array_end(w);
}

static size_t encode_request(const protocol_request *r)
{
    static const char *const types[] = {"", "subscribe", "ping", "status", "auth", "blade", "remove", "poses"};
    json_writer w;

    encode_begin(&w, written, sizeof written, types[r->type]);
    encode_id(&w, r->id);
    if (r->type == PROTOCOL_REQUEST_SUBSCRIBE)
        put_subscribe(&w, &r->subscribe);
    if (r->type == PROTOCOL_REQUEST_AUTH)
        encode_key_string(&w, "token", r->token);
    if (r->type == PROTOCOL_REQUEST_BLADE)
        put_blade(&w, &r->blade);
    if (r->type == PROTOCOL_REQUEST_REMOVE)
        encode_key_string(&w, "name", r->blade.name);
    if (r->type == PROTOCOL_REQUEST_POSES)
        put_poses(&w, &r->poses);
    return encode_end(&w);
}

#define SAME(a, b, field) bits_same(&(a)->field, &(b)->field, sizeof(a)->field)

static void check_same_subscribe(const protocol_subscribe *a, const protocol_subscribe *b)
{
    FUZZ_CHECK(a->events == b->events && a->blade_count == b->blade_count && a->axes == b->axes);
    FUZZ_CHECK(bits_float_same(a->min_closing_speed, b->min_closing_speed));
    FUZZ_CHECK(bits_float_same(a->pose_rate_hz, b->pose_rate_hz));
    FUZZ_CHECK(a->has_since_seq == b->has_since_seq && a->since_seq == b->since_seq);
    FUZZ_CHECK(bits_float_same(a->min_peak_speed, b->min_peak_speed) && a->since_late == b->since_late);
    FUZZ_CHECK(a->min_apart_ns >= 0 && a->min_apart_ns <= INT64_C(60000000000));
    FUZZ_CHECK(llabs(a->min_apart_ns - b->min_apart_ns) <= a->min_apart_ns / 8000000 + 1);
    FUZZ_CHECK(a->ignored_count <= PROTOCOL_IGNORED_MAX && b->ignored_count == 0);
    for (size_t i = 0; i < a->blade_count; i++)
        FUZZ_CHECK(strcmp(a->blades[i], b->blades[i]) == 0);
}

static void check_same_sword(const clash_sword *a, const clash_sword *b)
{
    FUZZ_CHECK(a->part_count == b->part_count && a->part_count <= CLASH_PARTS_MAX);
    FUZZ_CHECK(a->part_count == 0 || (a->capsule_count == b->capsule_count && a->capsule_count <= CLASH_PARTS_MAX));
    for (uint32_t i = 0; i < a->part_count; i++) {
        const clash_sword_part *p = &a->parts[i], *q = &b->parts[i];

        FUZZ_CHECK(strcmp(p->name, q->name) == 0 && p->first == q->first && p->count == q->count);
        FUZZ_CHECK(p->count > 0 && p->first + p->count <= a->capsule_count);
        FUZZ_CHECK(p->has_edge == q->has_edge && (!p->has_edge || SAME(p, q, edge)));
        for (uint32_t k = p->first; k < p->first + p->count; k++)
            FUZZ_CHECK(SAME(a, b, capsules[k]));
    }
}

static void check_same_blade(const clash_blade_definition *a, const clash_blade_definition *b)
{
    FUZZ_CHECK(strcmp(a->name, b->name) == 0 && strcmp(a->device, b->device) == 0 && SAME(a, b, properties.shape));
    FUZZ_CHECK(a->properties.has_edge == b->properties.has_edge);
    FUZZ_CHECK(!a->properties.has_edge || SAME(a, b, properties.edge));
    check_same_sword(&a->sword, &b->sword);
}

static void check_same_poses(const protocol_own_poses *a, const protocol_own_poses *b)
{
    FUZZ_CHECK(a->has_time == b->has_time && a->time_ns == b->time_ns && a->count == b->count);
    for (size_t i = 0; i < a->count; i++) {
        const protocol_own_pose *p = &a->poses[i], *q = &b->poses[i];

        FUZZ_CHECK(strcmp(p->device, q->device) == 0 && SAME(p, q, pose));
        FUZZ_CHECK(p->tracked == q->tracked && p->valid == q->valid && p->teleport == q->teleport);
    }
}

static void check_same(const protocol_request *a, const protocol_request *b)
{
    FUZZ_CHECK(a->type == b->type && strcmp(a->id, b->id) == 0);
    if (a->type == PROTOCOL_REQUEST_SUBSCRIBE)
        check_same_subscribe(&a->subscribe, &b->subscribe);
    if (a->type == PROTOCOL_REQUEST_AUTH)
        FUZZ_CHECK(strcmp(a->token, b->token) == 0);
    if (a->type == PROTOCOL_REQUEST_BLADE)
        check_same_blade(&a->blade, &b->blade);
    if (a->type == PROTOCOL_REQUEST_REMOVE)
        FUZZ_CHECK(strcmp(a->blade.name, b->blade.name) == 0);
    if (a->type == PROTOCOL_REQUEST_POSES)
        check_same_poses(&a->poses, &b->poses);
}

static void check_request(const char *line, size_t length)
{
    static protocol_request request, again;
    protocol_error error = {.code = PROTOCOL_ERROR_NONE};
    int result = protocol_parse_request(line, length, &request, &error);

    FUZZ_CHECK(memchr(request.id, '\0', sizeof request.id));
    if (result != 0) {
        check_error(&error, request.id);
        return;
    }
    if (request.id[0])
        check_against_schema("server/ok", written, protocol_encode_ok(written, sizeof written, request.id, 1));
    if (request.type == PROTOCOL_REQUEST_IGNORED)
        return;
    length = encode_request(&request);
    FUZZ_CHECK(length > 1);
    FUZZ_CHECK(protocol_parse_request(written, length - 1, &again, &error) == 0);
    check_same(&request, &again);
}

/** Any value against any schema: an answer, whatever it is. */
static void check_schemas(const char *line, size_t length)
{
    failure error = {0};
    cJSON *value = parse_line(line, length, &error);
    const char *name;

    FUZZ_CHECK(value || error.text[0]);
    for (size_t i = 0; value && (name = protocol_schema_name(i)) != NULL; i++) {
        error = (failure){0};
        if (protocol_schema_validate(protocol_schema_get(name), value, &error) != 0)
            FUZZ_CHECK(error.text[0] && memchr(error.text, '\0', sizeof error.text));
    }
    cJSON_Delete(value);
}

/** What a stream's lines were, as a number. */
typedef struct stream {
    uint64_t hash;
    size_t lines, too_long;
    bool parse;
} stream;

static bool on_line(void *context, const char *line, size_t length)
{
    stream *s = context;

    FUZZ_CHECK(length < LINE_MAX_HERE && !memchr(line, '\n', length));
    s->lines++;
    s->hash = bits_hash(bits_hash(s->hash, line, length), &length, sizeof length);
    if (s->parse) {
        check_request(line, length);
        check_schemas(line, length);
    }
    return true;
}

static bool on_too_long(void *context)
{
    stream *s = context;

    s->too_long++;
    s->hash = bits_hash(s->hash, "too long", 8);
    return true;
}

static stream framed(const char *bytes, size_t size, size_t piece, bool parse)
{
    stream s = {.hash = BITS_HASH_EMPTY, .parse = parse};
    framing_listener listener = {&s, on_line, on_too_long};
    framing *f = framing_create(LINE_MAX_HERE);

    FUZZ_CHECK(f);
    for (size_t at = 0; at < size; at += piece)
        framing_push(f, bytes + at, piece < size - at ? piece : size - at, &listener);
    framing_finish(f, &listener);
    framing_destroy(f);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    size_t piece = 1 + fuzz_byte(&in) + 37u * (size_t)fuzz_byte(&in);
    const char *bytes = in.size > 0 ? (const char *)in.data : "";
    stream whole = framed(bytes, in.size, in.size + 1, true), pieces = framed(bytes, in.size, piece, false);

    FUZZ_CHECK(whole.hash == pieces.hash && whole.lines == pieces.lines && whole.too_long == pieces.too_long);
    return 0;
}
