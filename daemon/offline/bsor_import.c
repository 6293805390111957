/* Frames to lines: see bsor_import.h. A saber of that game is a meter long, from the origin of its pose along -z: the game
 * has put the player's own offset of the grip into the pose already, so the blade needs none. */
#include "bsor_import.h"

#include "cli/progress.h"
#include "line_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 4096
#define SABER_LENGTH_M 1.0f
/* Thin; contact.margin widens it. */
#define SABER_RADIUS_M 0.01f

static const char *const devices[BSOR_DEVICES] = {
    [BSOR_HEAD] = "/user/head", [BSOR_LEFT] = "/user/hand/left", [BSOR_RIGHT] = "/user/hand/right"};

typedef struct import {
    bsor *in;
    line_file out;
    bsor_report *report;
    char line[LINE_BYTES];
} import;

/* Write the line that is in `line`, newline included. */
static int add_line(import *i, size_t length, failure *out_failure)
{
    if (length == 0)
        return fail_int(out_failure, "%s: a line does not fit into %d bytes", i->out.name, LINE_BYTES);
    line_file_write(&i->out, i->line, length - 1);
    i->report->lines++;
    return i->out.error == 0 ? 0 : -1;
}

static int add_header(import *i, failure *out_failure)
{
    clash_blade blades[2];
    char note[160];

    for (size_t n = 0; n < 2; n++)
        blades[n] = (clash_blade){
            .name = n == 0 ? "left" : "right",
            .device = devices[n == 0 ? BSOR_LEFT : BSOR_RIGHT],
            .properties.shape = {.tip = {0.0f, 0.0f, -SABER_LENGTH_M}, .radius = SABER_RADIUS_M},
        };
    snprintf(note, sizeof note,
             "made of a Beat Saber replay (BSOR) whose song ran at %.9g times its speed; hands are sabers",
             i->report->song_speed);
    return add_line(i, protocol_encode_imported_header(i->line, LINE_BYTES, "stage", blades, 2, note), out_failure);
}

static int add_frame(import *i, const bsor_frame *frame, failure *out_failure)
{
    protocol_pose poses[BSOR_DEVICES];

    for (size_t n = 0; n < BSOR_DEVICES; n++)
        poses[n] = (protocol_pose){
            .device = devices[n],
            .pose = frame->poses[n],
            .tracked = frame->valid[n],
            .valid = frame->valid[n],
            .teleport = frame->is_resumed,
        };
    return add_line(i, protocol_encode_recorded_poses(i->line, LINE_BYTES, frame->time_ns, poses, BSOR_DEVICES, false),
                    out_failure);
}

static int add_frames(import *i, failure *out_failure)
{
    bsor_frame frame;
    bsor_result result;

    while ((result = bsor_next(i->in, &frame, out_failure)) == BSOR_FRAME) {
        if (add_frame(i, &frame, out_failure) < 0)
            return -1;
        progress_update(i->report->lines, bsor_get_counters(i->in)->frames);
    }
    return result == BSOR_END ? 0 : -1;
}

static int write_file(import *i, const char *to, bool is_compressed, failure *out_failure)
{
    int result;

    if (line_file_open(&i->out, to, is_compressed, out_failure) < 0)
        return -1;
    result = add_header(i, out_failure) < 0 ? -1 : add_frames(i, out_failure);
    if (line_file_close(&i->out, out_failure) < 0)
        result = -1;
    else if (line_file_is_unread(&i->out))
        result = 0;
    if (result < 0)
        line_file_remove(&i->out); /* half of it is of no use */
    return result;
}

int bsor_import(const char *from, const char *to, bool is_compressed, bsor_report *out_report, failure *out_failure)
{
    import *i = calloc(1, sizeof *i);
    int result = -1;

    *out_report = (bsor_report){0};
    if (!i)
        return fail_int(out_failure, "out of memory");
    i->report = out_report;
    record_file_init(&i->out.file);
    i->in = bsor_open(from, out_failure);
    if (i->in) {
        out_report->song_speed = bsor_get_song_speed(i->in);
        result = write_file(i, to, is_compressed, out_failure);
        out_report->counters = *bsor_get_counters(i->in);
    }
    bsor_close(i->in);
    line_file_finish(&i->out);
    free(i);
    return result;
}
