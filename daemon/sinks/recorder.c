/* Frames and events into the lines of a recording; the writing is line_file's. See recorder.h. */
#include "sinks/recorder.h"
#include "sinks/line_file.h"
#include "sinks/pose_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recorder {
    line_file *file;
    int64_t epoch_ns;
    device_names names;
    uint64_t refused_samples;
    bool is_in_step; /* the last poses line promised more */
};

static void on_event(void *context, const clash_event *event)
{
    recorder *r = context;
    char *line = line_file_begin(r->file);

    if (line)
        line_file_end(r->file, protocol_encode_event(line, PROTOCOL_LINE_MAX, event, r->epoch_ns));
}

/* A frame of which nothing can be written leaves no line, unless it ends a step. */
static void on_frame(void *context, const pose_frame *frame)
{
    recorder *r = context;
    protocol_pose poses[POSE_FRAME_SAMPLES_MAX];
    size_t count = pose_list_fill(poses, frame, &r->names, &r->refused_samples);
    char *line = count > 0 || (r->is_in_step && !frame->more) ? line_file_begin(r->file) : NULL;

    if (!line)
        return;
    r->is_in_step = frame->more;
    line_file_end(r->file, protocol_encode_recorded_poses(line, PROTOCOL_LINE_MAX, frame->time_ns - r->epoch_ns, poses,
                                                          count, frame->more));
}

static void on_blade(void *context, int64_t time_ns, const pose_blade *blade)
{
    recorder *r = context;
    char *line = line_file_begin(r->file);
    const protocol_blade recorded = {.name = blade->name,
                                     .device = blade->device,
                                     .shape = blade->shape,
                                     .has_edge = blade->has_edge,
                                     .edge = blade->edge,
                                     .sword = blade->sword};

    if (line)
        line_file_end(r->file,
                      protocol_encode_recorded_blade(line, PROTOCOL_LINE_MAX, time_ns - r->epoch_ns, &recorded));
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    recorder *r = context;
    char *line = line_file_begin(r->file);

    if (line)
        line_file_end(r->file,
                      protocol_encode_recorded_removal(line, PROTOCOL_LINE_MAX, time_ns - r->epoch_ns, blade, device));
}

/* Written before anything else is done, so that a full disk is told to who starts clashd. */
static int write_header(recorder *r, const recorder_settings *settings, char *out_error, size_t error_size)
{
    char *line = line_file_begin(r->file);
    size_t length = 0;

    if (line)
        length = protocol_encode_recording_header(line, PROTOCOL_LINE_MAX, settings->session, settings->settings);
    if (length == 0) {
        snprintf(out_error, error_size, "cannot record to %s: its header does not fit into a line of %d bytes",
                 settings->path, PROTOCOL_LINE_MAX);
        return -1;
    }
    line_file_end(r->file, length);
    return line_file_write_now(r->file, out_error, error_size);
}

recorder *recorder_open(const recorder_settings *settings, char *out_error, size_t error_size)
{
    recorder *r = calloc(1, sizeof *r);

    if (!r) {
        snprintf(out_error, error_size, "cannot record to %s: out of memory", settings->path);
        return NULL;
    }
    r->epoch_ns = settings->epoch_ns;
    r->names = settings->names;
    r->file = line_file_open(
        &(line_file_settings){
            .loop = settings->loop,
            .path = settings->path,
            .log = settings->log,
            .line_max = PROTOCOL_LINE_MAX,
            .buffer_bytes = settings->buffer_bytes ? settings->buffer_bytes : RECORDER_BUFFER_BYTES_DEFAULT,
            .flush_ms = RECORDER_FLUSH_MS,
            .retry_ms = settings->retry_ms ? settings->retry_ms : RECORDER_RETRY_MS,
        },
        out_error, error_size);
    if (!r->file || write_header(r, settings, out_error, error_size) != 0) {
        recorder_close(r);
        return NULL;
    }
    return r;
}

event_sink recorder_port(recorder *r)
{
    return (event_sink){.context = r, .event = on_event, .frame = on_frame, .blade = on_blade, .removed = on_removed};
}

size_t recorder_list_counters(const recorder *r, protocol_counter *out_counters, size_t size)
{
    const line_file_counters *file = line_file_get_counters(r->file);
    const protocol_counter all[] = {
        {"recorded_lines", file->lines},
        {"record_lost_lines", file->lost},
        {"record_errors", file->errors},
        {"record_refused_samples", r->refused_samples},
    };
    size_t count = sizeof all / sizeof all[0];

    if (count > size)
        count = size;
    memcpy(out_counters, all, count * sizeof all[0]);
    return count;
}

void recorder_close(recorder *r)
{
    if (!r)
        return;
    line_file_close(r->file);
    free(r);
}
