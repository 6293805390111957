/* Requests: a line, its type, its schema, then its values. Blade names are the receiver's to know. */
#include <stdio.h>
#include <string.h>

#include "codec.h"
#include "json_writer.h"
#include "names.h"
#include "parse.h"
#include "schema.h"

static const struct {
    const char *type, *schema;
    protocol_request_type request;
} requests[] = {
    {"subscribe", "client/subscribe", PROTOCOL_REQUEST_SUBSCRIBE},
    {"ping", "client/ping", PROTOCOL_REQUEST_PING},
    {"status", "client/status", PROTOCOL_REQUEST_STATUS},
};

#define REQUESTS (sizeof requests / sizeof requests[0])

/** Numbers in JSON are doubles: beyond this neighbours cannot be told apart. */
#define LARGEST_INTEGER 9007199254740992.0

/** The id as JSON text, "" where there is none; false where it is neither a string nor an integer, or too long. */
static bool take_id(const cJSON *object, char out_id[PROTOCOL_ID_MAX])
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(object, "id");
    char quoted[PROTOCOL_ID_MAX];
    json_writer w;
    size_t length;

    out_id[0] = '\0';
    if (!id)
        return true;
    json_writer_init(&w, quoted, sizeof quoted);
    if (cJSON_IsString(id))
        json_string(&w, id->valuestring);
    else if (cJSON_IsNumber(id) && id->valuedouble == (double)(int64_t)id->valuedouble &&
             id->valuedouble <= LARGEST_INTEGER && id->valuedouble >= -LARGEST_INTEGER)
        json_int(&w, (int64_t)id->valuedouble);
    else
        return false;
    length = json_writer_finish(&w);
    if (length == 0)
        return false;
    memcpy(out_id, quoted, length - 1); /* without the newline */
    out_id[length - 1] = '\0';
    return true;
}

static int refuse(protocol_error *out_error, protocol_error_code code, const char *format, const char *what)
{
    out_error->code = code;
    snprintf(out_error->message, sizeof out_error->message, format, what);
    return -1;
}

static int take_events(const cJSON *events, uint32_t *out_mask, protocol_error *out_error)
{
    const cJSON *event;

    *out_mask = PROTOCOL_EVENTS_DEFAULT;
    if (!events)
        return 0;
    *out_mask = 0;
    cJSON_ArrayForEach(event, events)
    {
        uint32_t bit = names_find_event(event->valuestring);

        if (bit == 0) {
            out_error->code = PROTOCOL_ERROR_UNKNOWN_NAME;
            snprintf(out_error->message, sizeof out_error->message,
                     "events: no event is called \"%.40s\"; there are %s", event->valuestring, names_all_events());
            return -1;
        }
        *out_mask |= bit;
    }
    return 0;
}

static int take_subscribe(const cJSON *object, protocol_subscribe *out, protocol_error *out_error)
{
    const cJSON *blades = cJSON_GetObjectItemCaseSensitive(object, "blades"), *blade;

    if (take_events(cJSON_GetObjectItemCaseSensitive(object, "events"), &out->events, out_error) < 0)
        return -1;
    out->blade_count = 0;
    cJSON_ArrayForEach(blade, blades)
    {
        if (out->blade_count == PROTOCOL_NAMES_MAX)
            break; /* the schema allows no more */
        snprintf(out->blades[out->blade_count++], PROTOCOL_NAME_MAX, "%s", blade->valuestring);
    }
    out->min_closing_speed = parse_float(object, "min_closing_speed", 0.0f);
    out->pose_rate_hz = parse_float(object, "pose_rate_hz", 0.0f);
    return 0;
}

static int unknown_type(const char *type, protocol_request *out_request, protocol_error *out_error)
{
    if (out_request->id[0] == '\0') {
        out_request->type = PROTOCOL_REQUEST_IGNORED;
        return 0;
    }
    return refuse(out_error, PROTOCOL_ERROR_UNKNOWN_TYPE,
                  "type: \"%.40s\" is not understood; there are subscribe, ping, status", type);
}

static int take_request(const cJSON *object, protocol_request *out_request, protocol_error *out_error)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(object, "type");
    char reason[400];

    if (!cJSON_IsObject(object))
        return refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "expected an object, as in %s", "{\"type\":\"ping\"}");
    if (!take_id(object, out_request->id))
        return refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE,
                      "id: expected a string of at most %s characters or an integer below 2^53", "128");
    if (!cJSON_IsString(type))
        return refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "type: expected a string, one of %s",
                      "subscribe, ping, status");
    for (size_t i = 0; i < REQUESTS; i++) {
        if (strcmp(type->valuestring, requests[i].type) != 0)
            continue;
        if (protocol_schema_validate(protocol_schema_get(requests[i].schema), object, reason, sizeof reason) < 0)
            return refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "%s", reason);
        out_request->type = requests[i].request;
        return out_request->type == PROTOCOL_REQUEST_SUBSCRIBE
                   ? take_subscribe(object, &out_request->subscribe, out_error)
                   : 0;
    }
    return unknown_type(type->valuestring, out_request, out_error);
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t')
            return false;
    return true;
}

int protocol_parse_request(const char *line, size_t length, protocol_request *out_request, protocol_error *out_error)
{
    cJSON *object;
    int result;

    out_request->type = PROTOCOL_REQUEST_IGNORED;
    out_request->id[0] = '\0';
    if (is_blank(line, length))
        return 0;
    object = parse_line(line, length, out_error->message, sizeof out_error->message);
    if (!object) {
        out_error->code = PROTOCOL_ERROR_BAD_JSON;
        return -1;
    }
    result = take_request(object, out_request, out_error);
    cJSON_Delete(object);
    return result;
}
