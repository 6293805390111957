/* Requests: a line, its type, its schema, then its values. Blade names are the receiver's to know. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/utf8.h"
#include "codec.h"
#include "names.h"
#include "parse.h"
#include "parse_push.h"
#include "parse_target.h"
#include "protocol/json/json_writer.h"
#include "protocol/schema_check/schema.h"

static const struct {
    const char *type, *schema;
    protocol_request_type request;
} requests[] = {
    {"subscribe", "client/subscribe", PROTOCOL_REQUEST_SUBSCRIBE},
    {"ping", "client/ping", PROTOCOL_REQUEST_PING},
    {"status", "client/status", PROTOCOL_REQUEST_STATUS},
    {"auth", "client/auth", PROTOCOL_REQUEST_AUTH},
    {"blade", "client/blade", PROTOCOL_REQUEST_BLADE},
    {"remove", "client/remove", PROTOCOL_REQUEST_REMOVE},
    {"poses", "client/poses", PROTOCOL_REQUEST_POSES},
    {"record", "client/record", PROTOCOL_REQUEST_RECORD},
    {"replay", "client/replay", PROTOCOL_REQUEST_REPLAY},
    {"target", "client/target", PROTOCOL_REQUEST_TARGET},
    {"feed", "client/feed", PROTOCOL_REQUEST_FEED},
    {"config", "client/config", PROTOCOL_REQUEST_CONFIG},
    {"reload", "client/reload", PROTOCOL_REQUEST_RELOAD},
    {"hello", "client/hello", PROTOCOL_REQUEST_HELLO},
    {"outlines", "client/outlines", PROTOCOL_REQUEST_OUTLINES},
};

#define REQUEST_TYPES                                                                                     \
    "subscribe, ping, status, auth, blade, remove, poses, record, replay, target, feed, config, reload, " \
    "hello, outlines"

#define ID_CHARACTERS_MAX 128

/** The id as JSON text, "" if there is none; false if it is neither a string nor an integer, or too long. */
static bool take_id(const cJSON *id, char out_id[PROTOCOL_ID_MAX])
{
    int64_t number;
    json_writer w;
    size_t length;

    out_id[0] = '\0';
    if (!id)
        return true;
    json_writer_init(&w, out_id, PROTOCOL_ID_MAX);
    if (cJSON_IsString(id) && utf8_count(id->valuestring) <= ID_CHARACTERS_MAX)
        json_string(&w, id->valuestring);
    else if (parse_integer(id, &number))
        json_int(&w, number);
    else
        return false;
    length = json_writer_finish(&w);
    out_id[length > 0 ? length - 1 : 0] = '\0'; /* in place of the newline */
    return length > 0;
}

int protocol_refuse(protocol_error *out_error, protocol_error_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    out_error->code = code;
    vsnprintf(out_error->message, sizeof out_error->message, format, arguments);
    va_end(arguments);
    return -1;
}

/** Look for unknown names before the schema does: they have a code of their own, and the schema would only call them
 *  wrong values. */
static const char *find_unknown_event(const cJSON *object)
{
    const cJSON *event;

    cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(object, "events"))
    {
        if (cJSON_IsString(event) && names_find_event(event->valuestring) == 0)
            return event->valuestring;
    }
    return NULL;
}

static uint32_t take_events(const cJSON *events)
{
    uint32_t mask = events ? 0 : PROTOCOL_EVENTS_DEFAULT;
    const cJSON *event;

    cJSON_ArrayForEach(event, events)
    {
        mask |= names_find_event(event->valuestring);
    }
    return mask;
}

static int take_blades(const cJSON *blades, protocol_subscribe *out, protocol_error *out_error)
{
    const cJSON *blade;

    out->blade_count = 0;
    cJSON_ArrayForEach(blade, blades)
    {
        if (out->blade_count == PROTOCOL_NAMES_MAX)
            break; /* the schema allows no more */
        if (!parse_copy(blade, out->blades[out->blade_count++], PROTOCOL_NAME_MAX)) {
            out_error->code = PROTOCOL_ERROR_BAD_MESSAGE;
            snprintf(out_error->message, sizeof out_error->message, "blades[%zu]: expected at most %d bytes of UTF-8",
                     out->blade_count - 1, PROTOCOL_NAME_MAX - 1);
            return -1;
        }
    }
    return 0;
}

/* As nanoseconds; 0 if it is left out. */
static int64_t take_milliseconds(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

    return value ? llround(value->valuedouble * 1e6) : 0;
}

/* As much of a name as fits, to the end of a character. */
static void copy_beginning(char *out, size_t size, const char *text)
{
    size_t used = 0, left = strlen(text), length;

    for (; left > 0 && (length = utf8_length(text + used, left)) > 0 && used + length < size; left -= length)
        used += length;
    memcpy(out, text, used);
    out[used] = '\0';
}

static void note_ignored(const cJSON *object, protocol_subscribe *out)
{
    const protocol_schema *schema = protocol_schema_get("client/subscribe");
    const cJSON *field;

    out->ignored_count = 0;
    cJSON_ArrayForEach(field, object)
    {
        if (out->ignored_count < PROTOCOL_IGNORED_MAX && !protocol_schema_has_member(schema, field->string))
            copy_beginning(out->ignored[out->ignored_count++], PROTOCOL_IGNORED_NAME_MAX, field->string);
    }
}

static int take_subscribe(const cJSON *object, protocol_subscribe *out, protocol_error *out_error)
{
    out->events = take_events(cJSON_GetObjectItemCaseSensitive(object, "events"));
    out->min_closing_speed = parse_float(object, "min_closing_speed", 0.0f);
    out->pose_rate_hz = parse_float(object, "pose_rate_hz", 0.0f);
    out->axes = names_find_axes(parse_string(object, "axes", "openxr"));
    out->has_since_seq = cJSON_HasObjectItem(object, "since_seq");
    out->since_seq = (uint64_t)parse_int(object, "since_seq", 0);
    out->min_peak_speed = parse_float(object, "min_peak_speed", 0.0f);
    out->min_apart_ns = take_milliseconds(object, "min_apart_ms");
    out->since_late = (uint64_t)parse_int(object, "since_late", 0);
    note_ignored(object, out);
    out->resolved_poses = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "resolved_poses"));
    return take_blades(cJSON_GetObjectItemCaseSensitive(object, "blades"), out, out_error);
}

static int take_record(const cJSON *object, protocol_record *out, protocol_error *out_error)
{
    static const char *const actions[] = {"start", "stop", "rotate", "mark"};
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(object, "text");
    const char *action = parse_string(object, "action", "");

    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(action, actions[i]) == 0)
            out->action = (protocol_record_action)i;
    out->text[0] = '\0';
    if (out->action == PROTOCOL_RECORD_MARK && !(text && parse_copy(text, out->text, sizeof out->text)))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE,
                               "text: expected a string of at most %s characters", "1000");
    return 0;
}

static void take_replay(const cJSON *object, protocol_replay *out)
{
    static const char *const actions[] = {"pause", "resume", "step", "seek", "speed"};
    const char *action = parse_string(object, "action", "");
    const cJSON *speed = cJSON_GetObjectItemCaseSensitive(object, "speed");

    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(action, actions[i]) == 0)
            out->action = (protocol_replay_action)i;
    out->frames = (uint64_t)parse_int(object, "frames", 1);
    out->time_ns = parse_int(object, "time_ns", INT64_MIN);
    out->speed = speed ? speed->valuedouble : 1.0;
}

static void take_outlines(const cJSON *object, protocol_ask_outlines *out)
{
    *out = (protocol_ask_outlines){.from_target = (size_t)parse_int(object, "from_target", 0),
                                   .from_line = (size_t)parse_int(object, "from_line", 0)};
    snprintf(out->target, sizeof out->target, "%s", parse_string(object, "target", ""));
}

static int take_target(const cJSON *object, clash_target_definition *out, protocol_error *out_error)
{
    const protocol_axes axes = names_find_axes(parse_string(object, "axes", "openxr"));

    failure why = {0};

    return parse_target(object, axes, PARSE_TARGET_CLIENT, out, &why)
               ? 0
               : protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "%.500s", why.text);
}

static int unknown_type(const char *type, protocol_request *out_request, protocol_error *out_error)
{
    if (out_request->id[0] == '\0') {
        out_request->type = PROTOCOL_REQUEST_IGNORED;
        return 0;
    }
    return protocol_refuse(out_error, PROTOCOL_ERROR_UNKNOWN_TYPE,
                           "type: \"%.40s\" is not understood; there are " REQUEST_TYPES, type);
}

static int take_values(const cJSON *object, protocol_request *out_request, protocol_error *out_error)
{
    switch (out_request->type) {
    case PROTOCOL_REQUEST_SUBSCRIBE:
        return take_subscribe(object, &out_request->subscribe, out_error);
    case PROTOCOL_REQUEST_BLADE:
        return parse_own_blade(object, PARSE_BLADE_THEIRS, &out_request->blade, out_error);
    case PROTOCOL_REQUEST_REMOVE:
        return parse_own_name(object, &out_request->blade, out_error);
    case PROTOCOL_REQUEST_POSES:
        return parse_own_poses(object, &out_request->poses, out_error);
    case PROTOCOL_REQUEST_FEED:
        return parse_feed(object, &out_request->feed, out_error);
    case PROTOCOL_REQUEST_TARGET:
        return take_target(object, &out_request->target, out_error);
    case PROTOCOL_REQUEST_OUTLINES:
        take_outlines(object, &out_request->outlines);
        return 0;
    case PROTOCOL_REQUEST_RECORD:
        return take_record(object, &out_request->record, out_error);
    case PROTOCOL_REQUEST_REPLAY:
        take_replay(object, &out_request->replay);
        return 0;
    default:
        return 0;
    }
}

/* Do not repeat a malformed token: it may be nearly the right one, and the answer is logged. */
static void leave_out_value(char *reason)
{
    char *value = strstr(reason, ", got ");

    if (value)
        *value = '\0';
}

static int take_known(const cJSON *object, size_t row, protocol_request *out_request, protocol_error *out_error)
{
    const char *unknown = requests[row].request == PROTOCOL_REQUEST_SUBSCRIBE ? find_unknown_event(object) : NULL;
    failure reason = {0};

    if (unknown) {
        out_error->code = PROTOCOL_ERROR_UNKNOWN_NAME;
        snprintf(out_error->message, sizeof out_error->message, "events: no event is called \"%.40s\"; there are %s",
                 unknown, names_all_events());
        return -1;
    }
    if (protocol_schema_validate(protocol_schema_get(requests[row].schema), object, &reason) < 0) {
        if (requests[row].request == PROTOCOL_REQUEST_AUTH)
            leave_out_value(reason.text);
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "%s", reason.text);
    }
    out_request->type = requests[row].request;
    if (out_request->type == PROTOCOL_REQUEST_AUTH &&
        !parse_copy(cJSON_GetObjectItemCaseSensitive(object, "token"), out_request->token, PROTOCOL_TOKEN_MAX))
        out_request->token[0] = '\0'; /* too many bytes to be one */
    return take_values(object, out_request, out_error);
}

static int take_request(const cJSON *object, protocol_request *out_request, protocol_error *out_error)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(object, "type");

    if (!cJSON_IsObject(object))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "expected an object, as in %s",
                               "{\"type\":\"ping\"}");
    if (!take_id(cJSON_GetObjectItemCaseSensitive(object, "id"), out_request->id))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE,
                               "id: expected a string of at most %s characters or an integer below 2^53", "128");
    if (!cJSON_IsString(type))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "type: expected a string, one of %s",
                               REQUEST_TYPES);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (strcmp(type->valuestring, requests[i].type) == 0)
            return take_known(object, i, out_request, out_error);
    return unknown_type(type->valuestring, out_request, out_error);
}

int protocol_parse_request(const char *line, size_t length, protocol_request *out_request, protocol_error *out_error)
{
    failure reason = {0};
    cJSON *object;
    int result;

    out_request->type = PROTOCOL_REQUEST_IGNORED;
    out_request->id[0] = '\0';
    out_request->is_unread = false;
    if (parse_is_blank(line, length))
        return 0;
    object = parse_line(line, length, &reason);
    if (!object) {
        out_request->is_unread = strcmp(reason.text, parse_out_of_memory) == 0;
        return protocol_refuse(out_error, out_request->is_unread ? PROTOCOL_ERROR_LIMIT : PROTOCOL_ERROR_BAD_JSON, "%s",
                               reason.text);
    }
    result = take_request(object, out_request, out_error);
    cJSON_Delete(object);
    return result;
}
