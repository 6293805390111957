/* The frames of a BSOR file, in our axes and by the clock: see bsor.h. */
#include "bsor.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bsor_private.h"
#include "first_bytes.h"

/* No song is longer, s; nanoseconds of it are whole numbers in JSON. */
#define TIME_MAX_S 1e6

/* ---- bytes ---- */

bool bsor_fail(bsor *b, int64_t at, const char *format, ...)
{
    char what[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail_with(b->failure, "%s: at byte %" PRId64 ": %s", b->path, at, what);
}

bool bsor_read(bsor *b, void *out, size_t length, const char *what)
{
    size_t got = fread(out, 1, length, b->file);

    b->at += (int64_t)got;
    if (got == length)
        return true;
    if (ferror(b->file))
        return bsor_fail(b, b->at, "cannot be read: %s", strerror(errno));
    return bsor_fail(b, b->at, "the file ends, expected more of it (%s)", what);
}

bool bsor_seek(bsor *b, int64_t at)
{
    if (at > b->size)
        return bsor_fail(b, b->size, "the file ends, expected at least %" PRId64 " bytes more", at - b->size);
    if (fseeko(b->file, (off_t)at, SEEK_SET) != 0)
        return bsor_fail(b, at, "cannot be read: %s", strerror(errno));
    b->at = at;
    return true;
}

uint32_t bsor_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

float bsor_float(const unsigned char *bytes)
{
    const uint32_t bits = bsor_u32(bytes);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- its life ---- */

bool bsor_is_one(const char *path)
{
    static const unsigned char magic[4] = {0x69, 0x3d, 0x2d, 0x44};

    return recording_begins_with(path, magic, sizeof magic);
}

/* Where the next pause begins, as long as there is one whose time is one. */
static bool read_pause(bsor *b)
{
    unsigned char bytes[BSOR_PAUSE_BYTES];

    b->has_pause = false;
    while (b->pauses_left > 0 && !b->has_pause) {
        if (!bsor_seek(b, b->pauses_at) || !bsor_read(b, bytes, sizeof bytes, "pauses"))
            return false;
        b->pauses_at += BSOR_PAUSE_BYTES;
        b->pauses_left--;
        b->next_pause_s = (double)bsor_float(bytes + 8);
        b->has_pause = isfinite(b->next_pause_s);
    }
    return true;
}

static bool begin(bsor *b)
{
    struct stat status;

    if (fstat(fileno(b->file), &status) != 0 || !S_ISREG(status.st_mode))
        return bsor_fail(b, 0, "expected a regular file");
    b->size = (int64_t)status.st_size;
    if (!bsor_check(b) || !read_pause(b))
        return false;
    b->counters.frames = b->frames_left;
    return bsor_seek(b, b->frames_at);
}

/* Standard input that is no file is put into one, since it is gone through to and fro. */
static FILE *open_standard_input(void)
{
    char bytes[16384];
    FILE *file = tmpfile();
    size_t count;

    while (file && (count = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
        if (fwrite(bytes, 1, count, file) == count)
            continue;
        fclose(file);
        file = NULL;
    }
    if (file && (fflush(file) != 0 || fseeko(file, 0, SEEK_SET) != 0)) {
        fclose(file);
        file = NULL;
    }
    return file;
}

bsor *bsor_open(const char *path, failure *out_failure)
{
    bsor *b = calloc(1, sizeof *b);

    if (!b) {
        fail_with(out_failure, "%s: out of memory", path);
        return NULL;
    }
    b->path = path;
    b->failure = out_failure;
    b->file = strcmp(path, RECORDING_STANDARD_INPUT) == 0 ? open_standard_input() : fopen(path, "re");
    if (!b->file)
        fail_with(out_failure, "%s: %s", path, strerror(errno));
    if (b->file && begin(b))
        return b;
    bsor_close(b);
    return NULL;
}

void bsor_close(bsor *b)
{
    if (!b)
        return;
    if (b->file)
        fclose(b->file);
    free(b);
}

const bsor_counters *bsor_get_counters(const bsor *b)
{
    return &b->counters;
}

double bsor_get_song_speed(const bsor *b)
{
    return b->song_speed;
}

/* ---- frames ---- */

/* Unity's axes are OpenXR's mirrored in z. */
static bool take_pose(const unsigned char *bytes, clash_pose *out_pose)
{
    float numbers[7];
    bool is_finite = true;

    for (size_t i = 0; i < 7; i++) {
        numbers[i] = bsor_float(bytes + 4 * i);
        is_finite = is_finite && isfinite(numbers[i]);
    }
    out_pose->position = protocol_axes_vec3(PROTOCOL_AXES_UNITY, (clash_vec3){numbers[0], numbers[1], numbers[2]});
    out_pose->orientation =
        protocol_axes_quat(PROTOCOL_AXES_UNITY, (clash_quat){numbers[3], numbers[4], numbers[5], numbers[6]});
    return is_finite;
}

/* Return whether it is one, and not before the last. A song that is played faster is shorter by the clock. */
static bool take_time(bsor *b, double song_s, int64_t *out_ns)
{
    if (!(fabs(song_s) <= TIME_MAX_S)) {
        b->counters.timeless++;
        return false;
    }
    *out_ns = llround(song_s / b->song_speed * 1e9);
    if (b->has_frame && *out_ns < b->last_ns) {
        b->counters.backward++;
        return false;
    }
    b->counters.repeated += b->has_frame && *out_ns == b->last_ns;
    b->has_frame = true;
    b->last_ns = *out_ns;
    return true;
}

/* Nothing is recorded while play is paused, and the song's time stands still: a frame of the pause's own time may be from
 * before it or, if it repeats that, from after. */
static bool pass_pauses(bsor *b, double song_s, bool is_repeated, bsor_frame *out_frame)
{
    const int64_t at = b->at;
    bool is_moved = false;

    out_frame->is_resumed = b->has_pause && is_repeated && song_s >= b->next_pause_s;
    while (b->has_pause && song_s > b->next_pause_s) {
        out_frame->is_resumed = is_moved = true;
        if (!read_pause(b))
            return false;
    }
    return !is_moved || bsor_seek(b, at);
}

bsor_result bsor_next(bsor *b, bsor_frame *out_frame, failure *out_failure)
{
    unsigned char bytes[BSOR_FRAME_BYTES];
    double song_s = 0.0;
    uint64_t repeated = b->counters.repeated;
    bool is_taken = false;

    b->failure = out_failure;
    while (!is_taken) {
        if (b->frames_left == 0)
            return BSOR_END;
        if (!bsor_read(b, bytes, sizeof bytes, "frames"))
            return BSOR_ERROR;
        b->frames_left--;
        song_s = (double)bsor_float(bytes);
        is_taken = take_time(b, song_s, &out_frame->time_ns);
    }
    for (size_t i = 0; i < BSOR_DEVICES; i++) {
        out_frame->valid[i] = take_pose(bytes + 8 + 28 * i, &out_frame->poses[i]);
        b->counters.not_finite += !out_frame->valid[i];
    }
    repeated = b->counters.repeated - repeated;
    return pass_pauses(b, song_s, repeated > 0, out_frame) ? BSOR_FRAME : BSOR_ERROR;
}
