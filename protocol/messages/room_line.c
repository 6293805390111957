/* One pass over a message of samples: see room_line.h. Everything stands in the order in which room_encode_samples puts it, without spaces. */
#include "room_line.h"

#include "protocol/json/number_read.h"

#include <math.h>

/* The range in which a double holds every integer, as JSON's numbers are doubles. */
#define INTEGER_MAX UINT64_C(9007199254740991)
#define NUMBERS 7
#define UNIT_FLAGS 7

typedef struct reader {
    const char *at, *end;
} reader;

static bool take(reader *r, const char *text, size_t length)
{
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

#define TAKE(r, text) take(r, text, sizeof(text) - 1)

static bool is_at(const reader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

/* What has a fraction or an exponent is neither followed by a comma nor a bracket: that is found where it stands. */
static bool read_integer(reader *r, int64_t *out)
{
    const bool is_negative = is_at(r, '-');
    const char *begin = r->at + is_negative, *behind;
    uint64_t value = 0;

    behind = number_read_digits(begin, r->end, 0, &value);
    if (!behind || behind == begin || value > INTEGER_MAX || (*begin == '0' && behind - begin > 1))
        return false;
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    r->at = behind;
    return true;
}

static bool read_count(reader *r, uint64_t *out)
{
    int64_t value;

    if (is_at(r, '-') || !read_integer(r, &value))
        return false;
    *out = (uint64_t)value;
    return true;
}

/* Leave a text with an escape, or beyond ASCII, to the full parser. */
static bool read_text(reader *r, char *out, size_t size)
{
    size_t length = 0;

    if (!TAKE(r, "\""))
        return false;
    while (r->at + length < r->end && r->at[length] >= ' ' && r->at[length] <= '~' && r->at[length] != '"' &&
           r->at[length] != '\\')
        length++;
    if (length == 0 || length >= size)
        return false;
    memcpy(out, r->at, length);
    out[length] = '\0';
    r->at += length;
    return TAKE(r, "\"");
}

static bool read_knots(reader *r, room_message_samples *out)
{
    if (!TAKE(r, "["))
        return false;
    do {
        int64_t *knot = out->knots[out->knot_count];

        if (out->knot_count == ROOM_MESSAGE_KNOTS_MAX || !TAKE(r, "[") || !read_integer(r, &knot[0]) || !TAKE(r, ",") ||
            !read_integer(r, &knot[1]) || !TAKE(r, "]"))
            return false;
        out->knot_count++;
    } while (TAKE(r, ","));
    return out->knot_count >= 2 && TAKE(r, "]");
}

static bool read_devices(reader *r, room_message_samples *out)
{
    if (!TAKE(r, "["))
        return false;
    if (TAKE(r, "]"))
        return true;
    do {
        if (out->device_count == ROOM_MESSAGE_DEVICES_MAX ||
            !read_text(r, out->devices[out->device_count], PROTOCOL_NAME_MAX))
            return false;
        out->device_count++;
    } while (TAKE(r, ","));
    return TAKE(r, "]");
}

/* Leave a number beyond float to the full parser. */
static bool read_pose(reader *r, clash_pose *out)
{
    float n[NUMBERS];

    for (size_t i = 0; i < NUMBERS; i++) {
        double number;

        if (!TAKE(r, ","))
            return false;
        r->at = number_read(r->at, r->end, &number);
        if (!r->at || !(fabs(number) <= (double)FLT_MAX))
            return false;
        n[i] = (float)number;
    }
    *out = (clash_pose){.position = {n[0], n[1], n[2]}, .orientation = {n[3], n[4], n[5], n[6]}};
    return true;
}

static bool read_sample(reader *r, size_t device_count, room_message_sample *out)
{
    uint64_t device, flags;
    int64_t time_ns;

    if (!TAKE(r, "[") || !read_count(r, &device) || device >= device_count || !TAKE(r, ",") || !read_count(r, &flags) ||
        flags > UNIT_FLAGS || !TAKE(r, ",") || !read_integer(r, &time_ns))
        return false;
    *out = (room_message_sample){.device = (uint32_t)device,
                                 .is_valid = (flags & 1u) != 0,
                                 .is_tracked = (flags & 3u) == 3u,
                                 .is_teleport = (flags & 4u) != 0,
                                 .time_ns = time_ns};
    return (!out->is_valid || read_pose(r, &out->pose)) && TAKE(r, "]");
}

static bool read_samples(reader *r, room_message_samples *out)
{
    if (!TAKE(r, "["))
        return false;
    if (TAKE(r, "]"))
        return true;
    do {
        if (out->count == ROOM_MESSAGE_SAMPLES_MAX || !read_sample(r, out->device_count, &out->samples[out->count]))
            return false;
        out->count++;
    } while (TAKE(r, ","));
    return TAKE(r, "]");
}

bool room_line_read(const char *text, size_t length, room_message_samples *out)
{
    reader r = {text, text + length};
    uint64_t error_ns;

    out->knot_count = out->device_count = out->count = 0;
    if (!TAKE(&r, "{\"type\":\"samples\",\"session\":") || !read_text(&r, out->session, sizeof out->session) ||
        !TAKE(&r, ",\"version\":") || !read_count(&r, &out->version) || out->version == 0 || !TAKE(&r, ",\"clock\":") ||
        !read_text(&r, out->clock, sizeof out->clock) || !TAKE(&r, ",\"error_ns\":") || !read_count(&r, &error_ns) ||
        !TAKE(&r, ",\"knots\":") || !read_knots(&r, out) || !TAKE(&r, ",\"devices\":") || !read_devices(&r, out) ||
        !TAKE(&r, ",\"first\":") || !read_count(&r, &out->first) || !TAKE(&r, ",\"samples\":") ||
        !read_samples(&r, out))
        return false;
    out->error_ns = (int64_t)error_ns;
    return TAKE(&r, "}") && r.at == r.end;
}
