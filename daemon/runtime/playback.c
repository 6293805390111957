/* Turn a recording or a script into poses; see playback.h. Reads the whole recording at once: xrLocateSpace may ask for
 * any time. */
#include "runtime/playback.h"
#include "protocol/recording/recording.h"
#include "runtime/paths.h"
#include "runtime/script.h"
#include "runtime/timebase.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct playback {
    track tracks[PLAYBACK_DEVICES]; /* empty when a script plays */
    bool scripted, local, loop;
    double speed;
    int64_t first_ns, last_ns; /* of the recording */
    uint64_t damaged;
    char description[256];
};

static int device_of(const char *name)
{
    if (strcmp(name, PATHS_TRACKER) == 0)
        return PLAYBACK_TRACKER;
    int user = paths_find_user(name, false); /* hands and head come first, in the same order */
    return user < PLAYBACK_TRACKER ? user : -1;
}

static int add_poses(playback *p, const recording_item *item)
{
    for (size_t i = 0; i < item->pose_count; i++) {
        const protocol_own_pose *pose = &item->poses[i];
        int device = device_of(pose->device);
        if (device < 0)
            continue;
        track_sample sample = {.time_ns = item->time_ns, .pose = pose->pose, .cut = pose->teleport};
        sample.quality = !pose->valid ? TRACK_NO_POSE : pose->tracked ? TRACK_TRACKED : TRACK_VALID;
        if (track_add(&p->tracks[device], sample) != 0)
            return -1;
    }
    return 0;
}

static int add_item(playback *p, const recording_item *item)
{
    int device = -1;
    switch (item->kind) {
    case RECORDING_POSES:
        return add_poses(p, item);
    case RECORDING_TRACKING_LOST:
        device = device_of(item->device);
        if (device >= 0)
            track_cut(&p->tracks[device]);
        return 0;
    case RECORDING_SPACE_CHANGED:
        for (size_t i = 0; i < PLAYBACK_DEVICES; i++)
            track_cut(&p->tracks[i]);
        return 0;
    case RECORDING_BLADE:
    case RECORDING_TARGET:
    case RECORDING_REMOVE:
    case RECORDING_EVENT:
    case RECORDING_EQUIPMENT:
    case RECORDING_GAP:
    case RECORDING_MARK:
    case RECORDING_LATER:
    case RECORDING_END:
        break;
    }
    return 0;
}

static void find_ends(playback *p)
{
    p->first_ns = INT64_MAX;
    p->last_ns = INT64_MIN;
    for (size_t i = 0; i < PLAYBACK_DEVICES; i++) {
        const track *t = &p->tracks[i];
        if (t->count == 0)
            continue;
        if (t->samples[0].time_ns < p->first_ns)
            p->first_ns = t->samples[0].time_ns;
        if (t->samples[t->count - 1].time_ns > p->last_ns)
            p->last_ns = t->samples[t->count - 1].time_ns;
    }
}

static int read_all(playback *p, recording *file, const char *path, failure *out_failure)
{
    recording_item *item = malloc(sizeof *item);
    int result = item ? 0 : -1;
    while (result == 0 && recording_next(file, item) != RECORDING_END)
        result = add_item(p, item);
    free(item);
    if (result != 0) {
        return fail_int(out_failure, "CLASH_RUNTIME_RECORDING: %s: out of memory", path);
    }
    if (recording_get_error(file)) {
        return fail_int(out_failure, "CLASH_RUNTIME_RECORDING: %s", recording_get_error(file));
    }
    p->local = strcmp(recording_get_header(file)->space, "local") == 0;
    find_ends(p);
    if (p->first_ns > p->last_ns) {
        return fail_int(
            out_failure,
            "CLASH_RUNTIME_RECORDING: %s: no poses of /user/hand/left, /user/hand/right or /user/head in it", path);
    }
    uint64_t damaged = recording_get_counters(file)->damaged;
    snprintf(p->description, sizeof p->description, "recording %s, %.3f s, damaged lines %llu", path,
             (double)(p->last_ns - p->first_ns) / NS_PER_S, (unsigned long long)damaged);
    return 0;
}

static int load_recording(playback *p, const char *path, failure *out_failure)
{
    failure reason = {0};
    recording *file = recording_open(path, NULL, NULL, &reason);
    if (!file)
        return fail_int(out_failure, "CLASH_RUNTIME_RECORDING: %s", reason.text);
    int result = read_all(p, file, path, out_failure);
    recording_close(file);
    return result;
}

static int read_speed(playback *p, failure *out_failure)
{
    const char *text = getenv("CLASH_RUNTIME_SPEED");
    p->speed = 1;
    if (!text || !*text)
        return 0;
    /* Read at most "digits.digits" as two integers: strtod would follow the host program's locale. */
    size_t whole = strspn(text, "0123456789");
    size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    size_t length = whole + (text[whole] == '.') + part;
    double divisor = pow(10, (double)part);
    if (whole + part > 0 && whole + part <= 9 && text[length] == '\0')
        p->speed = (double)strtoul(text, NULL, 10) + (part ? (double)strtoul(text + whole + 1, NULL, 10) / divisor : 0);
    else
        p->speed = 0;
    if (p->speed >= 0.001 && p->speed <= 1000)
        return 0;
    return fail_int(out_failure, "CLASH_RUNTIME_SPEED: '%s': expected a number from 0.001 to 1000", text);
}

static int read_loop(playback *p, failure *out_failure)
{
    const char *text = getenv("CLASH_RUNTIME_LOOP");
    p->loop = !text || strcmp(text, "0") != 0;
    if (!text || !*text || strcmp(text, "0") == 0 || strcmp(text, "1") == 0)
        return 0;
    return fail_int(out_failure, "CLASH_RUNTIME_LOOP: '%s': expected 0 or 1", text);
}

static int read_motion(playback *p, failure *out_failure)
{
    const char *path = getenv("CLASH_RUNTIME_RECORDING");
    const char *script = getenv("CLASH_RUNTIME_SCRIPT");
    if (path && *path)
        return load_recording(p, path, out_failure);
    p->scripted = true;
    snprintf(p->description, sizeof p->description, "script crossing");
    if (!script || !*script || strcmp(script, "crossing") == 0)
        return 0;
    return fail_int(out_failure, "CLASH_RUNTIME_SCRIPT: '%s': expected crossing", script);
}

playback *playback_create(failure *out_failure)
{
    playback *p = calloc(1, sizeof *p);
    if (!p) {
        fail_with(out_failure, "out of memory");
        return NULL;
    }
    if (read_speed(p, out_failure) != 0 || read_loop(p, out_failure) != 0 || read_motion(p, out_failure) != 0) {
        playback_destroy(p);
        return NULL;
    }
    return p;
}

void playback_destroy(playback *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < PLAYBACK_DEVICES; i++)
        track_finish(&p->tracks[i]);
    free(p);
}

/* Return the recording's time, or INT64_MAX in a seam or after the end. At speed 1 this is integer arithmetic, so that
 * a sample's own time maps to itself exactly. */
static int64_t recorded_time(const playback *p, int64_t elapsed_ns)
{
    int64_t length_ns = p->last_ns - p->first_ns;
    int64_t played_ns = p->speed == 1 ? elapsed_ns : llround((double)elapsed_ns * p->speed);
    if (p->loop)
        played_ns %= length_ns + (p->speed == 1 ? PLAYBACK_SEAM_NS : llround(PLAYBACK_SEAM_NS * p->speed));
    return played_ns > length_ns ? INT64_MAX : p->first_ns + played_ns;
}

track_quality playback_pose(const playback *p, playback_device device, int64_t elapsed_ns, clash_pose *out_pose)
{
    if (p->scripted) {
        if (!p->loop && !playback_is_present(p, device, elapsed_ns))
            return TRACK_NO_POSE;
        return script_crossing(device, (double)elapsed_ns / NS_PER_S * p->speed, out_pose);
    }
    int64_t time_ns = recorded_time(p, elapsed_ns);
    return time_ns == INT64_MAX ? TRACK_NO_POSE : track_at(&p->tracks[device], time_ns, out_pose);
}

bool playback_is_present(const playback *p, playback_device device, int64_t elapsed_ns)
{
    if (p->scripted)
        return device < PLAYBACK_HEAD && (p->loop || (double)elapsed_ns * p->speed <= 2.0 * NS_PER_S);
    return p->tracks[device].count > 0 && (p->loop || recorded_time(p, elapsed_ns) != INT64_MAX);
}

bool playback_is_local(const playback *p)
{
    return p->local;
}

const char *playback_describe(const playback *p)
{
    return p->description;
}
