/* A BSOR file from its first byte to its pauses: every section is there, every count fits into the file, every string is
 * short. Kept are only the places of frames and pauses and the song's speed. What comes after the pauses is optional and
 * of no use here. See bsor_private.h. */
#include <inttypes.h>
#include <string.h>

#include "bsor_private.h"

#define MAGIC 0x442d3d69u
#define VERSION 1
#define NOTE_BYTES 16
#define NOTE_CUT_BYTES 72
#define WALL_BYTES 16
#define HEIGHT_BYTES 8
/* Of a song, against the clock; beyond, the file says nothing sensible. */
#define SPEED_MIN 0.1
#define SPEED_MAX 10.0

/* ---- strings ---- */

/* Of the character that begins with this byte; 0 if none does. */
static size_t character_bytes(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Bytes of so many UTF-16 units of UTF-8 text; 0 if that is no such text or not all of it is there. */
static size_t measure_units(const unsigned char *text, size_t available, size_t units)
{
    size_t length = 0;

    while (units > 0) {
        const size_t bytes = length < available ? character_bytes(text[length]) : 0;
        const size_t taken = bytes == 4 ? 2 : 1;

        if (bytes == 0 || bytes > available - length || taken > units)
            return 0;
        for (size_t i = 1; i < bytes; i++)
            if ((text[length + i] & 0xc0) != 0x80)
                return 0;
        length += bytes;
        units -= taken;
    }
    return length;
}

/* Into the window, of which *out_length bytes are the string. */
static bool read_string(bsor *b, const char *what, size_t *out_length)
{
    const int64_t at = b->at;
    unsigned char count[4];
    size_t units, length;

    if (!bsor_read(b, count, sizeof count, what))
        return false;
    if (bsor_u32(count) > BSOR_STRING_MAX)
        return bsor_fail(b, at, "expected the length of a string, 0 to %d (%s), got %" PRId32, BSOR_STRING_MAX, what,
                         (int32_t)bsor_u32(count));
    units = bsor_u32(count);
    length = fread(b->window, 1, b->counts_characters ? 3 * units : units, b->file);
    *out_length = b->counts_characters ? measure_units(b->window, length, units) : units;
    if (*out_length < units || *out_length > length)
        return bsor_fail(b, at, "expected a string of %zu bytes (%s), the file ends before that", units, what);
    return bsor_seek(b, at + 4 + (int64_t)*out_length);
}

static bool pass_strings(bsor *b, const char *const *names, size_t count)
{
    size_t length;

    for (size_t i = 0; i < count; i++)
        if (!read_string(b, names[i], &length))
            return false;
    return true;
}

/* ---- what the game was set to ---- */

/* The modifier "faster song", and its like, in a list with commas. */
static double find_modifier_speed(const unsigned char *text, size_t length)
{
    static const struct {
        const char *name;
        double speed;
    } modifiers[] = {{"SS", 0.85}, {"FS", 1.2}, {"SF", 1.5}};

    for (size_t i = 0; i + 2 <= length; i++) {
        const bool is_whole = (i == 0 || text[i - 1] == ',') && (i + 2 == length || text[i + 2] == ',');

        for (size_t m = 0; is_whole && m < sizeof modifiers / sizeof modifiers[0]; m++)
            if (memcmp(text + i, modifiers[m].name, 2) == 0)
                return modifiers[m].speed;
    }
    return 1.0;
}

static bool check_info(bsor *b)
{
    static const char *const first[] = {
        "the mod's version", "the game's version",  "the time",      "the player's id", "the player's name",
        "the platform",      "the tracking system", "the headset",   "the controllers", "the map's hash",
        "the song",          "the mapper",          "the difficulty"};
    static const char *const second[] = {"the mode", "the environment"};
    unsigned char numbers[21];
    size_t length;
    double practice;

    if (!pass_strings(b, first, sizeof first / sizeof first[0]) || !bsor_read(b, numbers, 4, "the score") ||
        !pass_strings(b, second, sizeof second / sizeof second[0]) || !read_string(b, "the modifiers", &length))
        return false;
    b->song_speed = find_modifier_speed(b->window, length);
    if (!bsor_read(b, numbers, sizeof numbers, "the numbers after the modifiers"))
        return false;
    practice = (double)bsor_float(numbers + sizeof numbers - 4);
    if (practice >= SPEED_MIN && practice <= SPEED_MAX)
        b->song_speed = practice;
    return true;
}

/* ---- sections ---- */

static bool begin_section(bsor *b, unsigned char kind, const char *name)
{
    const int64_t at = b->at;
    unsigned char found;

    if (!bsor_read(b, &found, 1, name))
        return false;
    if (found == kind)
        return true;
    return bsor_fail(b, at, "expected the section %d (%s), got %d", kind, name, found);
}

/* How many there are, if so many can follow. */
static bool read_count(bsor *b, const char *what, int64_t bytes_each, uint64_t *out_count)
{
    const int64_t at = b->at;
    unsigned char bytes[4];
    int64_t room;

    if (!bsor_read(b, bytes, sizeof bytes, what))
        return false;
    *out_count = bsor_u32(bytes);
    room = (b->size - b->at) / bytes_each;
    if (*out_count <= (uint64_t)room)
        return true;
    return bsor_fail(b, at, "expected the number of %s, at most the %" PRId64 " that there is room for, got %" PRIu64,
                     what, room, *out_count);
}

static bool check_notes(bsor *b)
{
    unsigned char note[NOTE_BYTES];
    uint64_t count;

    if (!read_count(b, "notes", NOTE_BYTES, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!bsor_read(b, note, sizeof note, "notes"))
            return false;
        if (bsor_u32(note + 12) <= 1 && !bsor_seek(b, b->at + NOTE_CUT_BYTES)) /* a good cut, or a bad one */
            return false;
    }
    return true;
}

/* Pass over all of them; *out_at is where they begin. */
static bool pass_records(bsor *b, unsigned char kind, const char *name, int64_t bytes_each, int64_t *out_at,
                         uint64_t *out_count)
{
    if (!begin_section(b, kind, name) || !read_count(b, name, bytes_each, out_count))
        return false;
    *out_at = b->at;
    return bsor_seek(b, b->at + (int64_t)*out_count * bytes_each);
}

static bool check_begin(bsor *b)
{
    unsigned char bytes[5];

    if (!bsor_read(b, bytes, sizeof bytes, "the magic number and the version"))
        return false;
    if (bsor_u32(bytes) != MAGIC)
        return bsor_fail(b, 0, "expected the magic number %08x, got %08" PRIx32, MAGIC, bsor_u32(bytes));
    if (bytes[4] != VERSION)
        return bsor_fail(b, 4, "expected version %d of the format, got %d", VERSION, bytes[4]);
    return true;
}

static bool check_all(bsor *b)
{
    int64_t at;
    uint64_t count;

    return bsor_seek(b, 0) && check_begin(b) && begin_section(b, 0, "info") && check_info(b) &&
           pass_records(b, 1, "frames", BSOR_FRAME_BYTES, &b->frames_at, &b->frames_left) &&
           begin_section(b, 2, "notes") && check_notes(b) && pass_records(b, 3, "walls", WALL_BYTES, &at, &count) &&
           pass_records(b, 4, "heights", HEIGHT_BYTES, &at, &count) &&
           pass_records(b, 5, "pauses", BSOR_PAUSE_BYTES, &b->pauses_at, &b->pauses_left);
}

/* Writers counted characters instead of bytes for a while: with names in other letters such a file makes sense only that
 * way. If it makes none at all, what is wrong with it by the format's own rule is said. */
bool bsor_check(bsor *b)
{
    failure other = {0}, *first = b->failure;
    bool is_right;

    if (check_all(b))
        return true;
    b->counts_characters = true;
    b->failure = &other;
    is_right = check_all(b);
    b->failure = first;
    return is_right;
}
