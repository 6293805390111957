/* One pass over a line of poses: see pose_line.h. Keys may stand in any order, with spaces between; in the order in which clashd
 * writes them, the first one that is tried is the right one. */
#include "pose_line.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "protocol/json/number_read.h"

#define KEYS_MAX 8

typedef struct reader {
    const char *at, *end;
    protocol_own_pose *poses;
    int64_t time_ns;
    size_t pose_count;
    bool more;
} reader;

typedef struct key {
    const char *text; /* with its quotes */
    size_t length;
    bool (*read)(reader *r); /* its value */
} key;

#define KEY(name, function)                                 \
    {                                                       \
        "\"" name "\"", sizeof "\"" name "\"" - 1, function \
    }

static void skip_spaces(reader *r)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
}

static bool take(reader *r, char c)
{
    skip_spaces(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_text(reader *r, const char *text, size_t length)
{
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* One of the keys that have not been yet; KEYS_MAX if it is none of them. The one behind the last one is tried first. */
static size_t take_key(reader *r, const key *keys, size_t count, unsigned seen, size_t guess)
{
    skip_spaces(r);
    for (size_t tried = 0; tried < count; tried++) {
        const size_t i = guess + tried < count ? guess + tried : guess + tried - count;

        if (!(seen & 1u << i) && take_text(r, keys[i].text, keys[i].length))
            return take(r, ':') ? i : KEYS_MAX;
    }
    return KEYS_MAX;
}

/* An object with no keys but these, each once, and all of `required`, a bit set over them. */
static bool read_object(reader *r, const key *keys, size_t count, unsigned required)
{
    unsigned seen = 0;
    size_t i = 0;

    if (!take(r, '{'))
        return false;
    do {
        i = take_key(r, keys, count, seen, i);
        if (i == KEYS_MAX)
            return false;
        skip_spaces(r);
        if (!keys[i].read(r))
            return false;
        seen |= 1u << i++;
    } while (take(r, ','));
    return take(r, '}') && (seen & required) == required;
}

/* Exactly so many numbers. */
static bool read_numbers(reader *r, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double number;

        if (!take(r, i == 0 ? '[' : ','))
            return false;
        skip_spaces(r);
        r->at = number_read(r->at, r->end, &number);
        if (!r->at)
            return false;
        if (!(fabs(number) <= (double)FLT_MAX)) /* the full parser makes it the greatest float */
            return false;
        out[i] = (float)number;
    }
    return take(r, ']');
}

static bool read_bool(reader *r, bool *out)
{
    *out = take_text(r, "true", 4);
    return *out || take_text(r, "false", 5);
}

/* ---- of a pose ---- */

static protocol_own_pose *pose_of(reader *r)
{
    return &r->poses[r->pose_count];
}

/* Leave a text with an escape, or beyond ASCII, to the full parser. */
static bool read_device(reader *r)
{
    char *out = pose_of(r)->device;
    size_t length = 0;

    if (!take(r, '"'))
        return false;
    while (r->at + length < r->end && r->at[length] >= ' ' && r->at[length] <= '~' && r->at[length] != '"' &&
           r->at[length] != '\\')
        length++;
    if (length == 0 || length >= PROTOCOL_NAME_MAX)
        return false;
    memcpy(out, r->at, length);
    out[length] = '\0';
    r->at += length;
    return take_text(r, "\"", 1);
}

static bool read_position(reader *r)
{
    float v[3];

    if (!read_numbers(r, v, 3))
        return false;
    pose_of(r)->pose.position = (clash_vec3){v[0], v[1], v[2]};
    return true;
}

static bool read_orientation(reader *r)
{
    float q[4];

    if (!read_numbers(r, q, 4))
        return false;
    pose_of(r)->pose.orientation = (clash_quat){q[0], q[1], q[2], q[3]};
    return true;
}

static bool read_tracked(reader *r)
{
    return read_bool(r, &pose_of(r)->tracked);
}

static bool read_valid(reader *r)
{
    return read_bool(r, &pose_of(r)->valid);
}

static bool read_teleport(reader *r)
{
    return read_bool(r, &pose_of(r)->teleport);
}

static bool read_joined(reader *r)
{
    return read_bool(r, &pose_of(r)->joined);
}

static bool read_holds(reader *r)
{
    return read_bool(r, &pose_of(r)->holds);
}

static bool read_pose(reader *r)
{
    static const key keys[] = {
        KEY("device", read_device),   KEY("position", read_position), KEY("orientation", read_orientation),
        KEY("tracked", read_tracked), KEY("valid", read_valid),       KEY("teleport", read_teleport),
        KEY("joined", read_joined),   KEY("holds", read_holds)};
    protocol_own_pose *pose = pose_of(r);

    static_assert(sizeof keys / sizeof keys[0] <= KEYS_MAX, "a key is told from none");
    pose->tracked = pose->valid = true;
    pose->teleport = pose->joined = pose->holds = false;
    pose->source = CLASH_SOURCE_NONE;
    return read_object(r, keys, sizeof keys / sizeof keys[0], 7u);
}

/* ---- of the line ---- */

static bool read_type(reader *r)
{
    return take_text(r, "\"poses\"", 7);
}

/* Digits that are surely below 2^53. */
static bool read_time(reader *r)
{
    const bool is_negative = r->at < r->end && *r->at == '-';
    const char *begin = r->at + is_negative, *behind;
    uint64_t value = 0;

    behind = number_read_digits(begin, r->end, 0, &value);
    if (!behind || behind == begin || behind - begin > 15 || (*begin == '0' && behind - begin > 1))
        return false;
    r->time_ns = is_negative ? -(int64_t)value : (int64_t)value;
    r->at = behind;
    return true; /* a fraction or an exponent behind it is neither comma nor brace */
}

static bool read_poses(reader *r)
{
    if (!take(r, '['))
        return false;
    if (take(r, ']'))
        return true;
    do {
        if (r->pose_count == RECORDING_POSES_MAX || !read_pose(r))
            return false;
        r->pose_count++;
    } while (take(r, ','));
    return take(r, ']');
}

static bool read_more(reader *r)
{
    return read_bool(r, &r->more);
}

bool pose_line_read(const char *line, size_t length, recording_item *item)
{
    static const key keys[] = {KEY("type", read_type), KEY("time_ns", read_time), KEY("poses", read_poses),
                               KEY("more", read_more)};
    reader r = {.at = line, .end = line + length, .poses = item->poses};

    if (!read_object(&r, keys, sizeof keys / sizeof keys[0], 7u))
        return false;
    skip_spaces(&r);
    if (r.at != r.end)
        return false;
    item->kind = RECORDING_POSES;
    item->type = "poses";
    item->time_ns = r.time_ns;
    item->pose_count = r.pose_count;
    item->more = r.more;
    item->open_contacts = 0;
    return true;
}
