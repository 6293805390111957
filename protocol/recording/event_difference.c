/* Two lines, field by field. Numbers are compared by the bits of what they read as. See event_difference.h. */
#include "event_difference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/messages/parse.h"

#define PATH_MAX_BYTES 96

typedef struct comparison {
    event_shift *shift;
    char path[PATH_MAX_BYTES];
    failure *difference;
} comparison;

static bool same(comparison *c, const cJSON *recorded, const cJSON *found);

static void print_value(const cJSON *value, char *out, size_t size)
{
    if (!value)
        snprintf(out, size, "nothing");
    else if (cJSON_IsString(value))
        snprintf(out, size, "\"%.80s\"", value->valuestring);
    else if (cJSON_IsBool(value))
        snprintf(out, size, "%s", cJSON_IsTrue(value) ? "true" : "false");
    else if (cJSON_IsNumber(value))
        snprintf(out, size, "%.*g", rint(value->valuedouble) == value->valuedouble ? 17 : 9, value->valuedouble);
    else
        snprintf(out, size, "%s", cJSON_IsNull(value) ? "null" : cJSON_IsArray(value) ? "an array" : "an object");
}

static bool differs(comparison *c, const cJSON *recorded, const cJSON *found)
{
    char was[120], is[120];

    print_value(recorded, was, sizeof was);
    print_value(found, is, sizeof is);
    return fail_with(c->difference, "%s: recorded %s, found %s", c->path, was, is);
}

/** Return the recording's number for a found one. */
static double shifted(comparison *c, const char *path, double recorded, double found)
{
    event_shift *s = c->shift;
    bool is_seq = strcmp(path, "seq") == 0, is_id = strcmp(path, "id") == 0;
    bool *known = is_seq ? &s->has_seq : &s->has_id;
    int64_t *by = is_seq ? &s->seq : &s->id;

    if (!is_seq && !is_id)
        return found;
    if (!*known)
        *by = (int64_t)recorded - (int64_t)found;
    *known = true;
    return found + (double)*by;
}

static bool same_number(comparison *c, const cJSON *recorded, const cJSON *found)
{
    double number = shifted(c, c->path, recorded->valuedouble, found->valuedouble);

    /* Compare with the sign too, so that numbers are the same to the bit; none is NaN. */
    if (recorded->valuedouble == number && signbit(recorded->valuedouble) == signbit(number))
        return true;
    return differs(c, recorded, found);
}

static bool same_array(comparison *c, const cJSON *recorded, const cJSON *found)
{
    const cJSON *other = found->child;
    size_t length = strlen(c->path);
    int index = 0;

    for (const cJSON *one = recorded->child; one; one = one->next, other = other->next, index++) {
        snprintf(c->path + length, sizeof c->path - length, "[%d]", index);
        if (!other)
            return differs(c, one, NULL);
        if (!same(c, one, other))
            return false;
        c->path[length] = '\0';
    }
    return !other || differs(c, NULL, other);
}

/* Return whether the field of a clash depends on a release that the recording may not have. */
static bool is_of_earlier_release(const comparison *c, const cJSON *recorded, const cJSON *field)
{
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(recorded, "time_ns");
    const cJSON *since = cJSON_GetObjectItemCaseSensitive(recorded, "since_release_ns");

    return c->shift->has_known_from &&
           (strcmp(field->string, "since_release_ns") == 0 || strcmp(field->string, "resumed") == 0) &&
           cJSON_IsNumber(time) && cJSON_IsNumber(since) &&
           time->valuedouble - since->valuedouble < (double)c->shift->known_from_ns;
}

/* Of a clash at the top: since a release that the recording may not have. Of a tracking: who fed the device then. Of two players: what their
 * machines knew of each other. */
static bool is_unknown(const comparison *c, const cJSON *recorded, const cJSON *field)
{
    static const char *const of_rooms[] = {"room_id", "room_time_ns", "clock_error_ns", "agreed"};

    for (size_t i = 0; i < sizeof of_rooms / sizeof of_rooms[0]; i++)
        if (strcmp(field->string, of_rooms[i]) == 0)
            return true;
    if (strcmp(field->string, "source") == 0)
        return cJSON_HasObjectItem(recorded, "tracked");
    return is_of_earlier_release(c, recorded, field);
}

static bool same_object(comparison *c, const cJSON *recorded, const cJSON *found)
{
    size_t length = strlen(c->path);
    const cJSON *one;

    cJSON_ArrayForEach(one, recorded)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(found, one->string);

        if (length == 0 && is_unknown(c, recorded, one))
            continue;
        snprintf(c->path + length, sizeof c->path - length, "%s%.40s", length ? "." : "", one->string);
        if (!other ? !differs(c, one, NULL) : !same(c, one, other))
            return false;
        c->path[length] = '\0';
    }
    return true;
}

static bool same(comparison *c, const cJSON *recorded, const cJSON *found)
{
    if (cJSON_IsNumber(recorded) && cJSON_IsNumber(found))
        return same_number(c, recorded, found);
    if (cJSON_IsString(recorded) && cJSON_IsString(found))
        return strcmp(recorded->valuestring, found->valuestring) == 0 || differs(c, recorded, found);
    if (cJSON_IsArray(recorded) && cJSON_IsArray(found))
        return same_array(c, recorded, found);
    if (cJSON_IsObject(recorded) && cJSON_IsObject(found))
        return same_object(c, recorded, found);
    if (((unsigned)recorded->type & 0xffu) == ((unsigned)found->type & 0xffu))
        return true; /* true, false, null */
    return differs(c, recorded, found);
}

bool event_difference(const char *recorded, const char *found, event_shift *shift, failure *out_difference)
{
    comparison c = {.shift = shift, .difference = out_difference};
    bool is_unshifted = shift->has_seq && shift->has_id && shift->seq == 0 && shift->id == 0, is_same;
    cJSON *was, *is;

    if (is_unshifted && strcmp(recorded, found) == 0)
        return false;
    was = parse_line(recorded, strlen(recorded), out_difference);
    is = parse_line(found, strlen(found), out_difference);
    is_same = was && is && same(&c, was, is);
    cJSON_Delete(was);
    cJSON_Delete(is);
    return !is_same;
}
