/* A recorder on a real file system, and what is in its file. */
#ifndef TESTS_RECORDER_FIXTURE_H
#define TESTS_RECORDER_FIXTURE_H

#include "support/counters.h"
#include "support/fresh.h"
#include "support/line_client.h"
#include "support/own_folder.h"
#include "support/sample_events.h"

#include "protocol/recording/recording.h"
#include "recorder/recorder.h"

#include <sys/stat.h>

typedef struct fixture {
    char root[64], path[128];
    uv_loop_t loop;
    kept_log log;
    recorder *recorder;
    event_sink port;
    failure error;
    protocol_equipment equipment;            /* of the session */
    void (*more)(protocol_session *session); /* what else it has, or NULL */
    bool overwrites;
} fixture;

static inline void describe_session(void *context, protocol_session *out_session)
{
    sample_session(out_session);
    out_session->equipment = ((const fixture *)context)->equipment;
    if (((const fixture *)context)->more)
        ((const fixture *)context)->more(out_session);
}

static inline recorder *open_at(fixture *f, const char *path, size_t buffer_bytes)
{
    static const protocol_contact_settings contact = {
        .release_margin = 0.005f, .hold_rate_hz = 30, .full_intensity_speed = 10, .max_gap_ms = 100};
    const recorder_settings settings = {.loop = &f->loop,
                                        .path = path,
                                        .overwrites = f->overwrites,
                                        .context = f,
                                        .session = describe_session,
                                        .settings = &contact,
                                        .epoch_ns = SAMPLE_EPOCH_NS,
                                        .names = sample_names(),
                                        .log = {.context = &f->log, .write = kept_log_write},
                                        .buffer_bytes = buffer_bytes,
                                        .retry_ms = 20};

    failure why = {0};
    recorder *r = recorder_open(&settings, &why);

    fail_with(fresh(&f->error), "%.500s", why.text);
    return r;
}

static inline void open_ok(fixture *f, size_t buffer_bytes)
{
    f->recorder = open_at(f, f->path, buffer_bytes);
    if (!f->recorder)
        fail_msg("%s", f->error.text);
    f->port = recorder_port(f->recorder);
}

/* Return whether nothing at the end was lost. */
static inline bool close_recorder(fixture *f)
{
    const bool is_whole = recorder_close(f->recorder);

    f->recorder = NULL;
    uv_run(&f->loop, UV_RUN_DEFAULT);
    return is_whole;
}

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    own_folder_open(&f->root, &f->path, "r.jsonl", &f->loop);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;

    close_recorder(f);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    unlink(f->path);
    assert_int_equal(rmdir(f->root), 0);
    free(f);
    return 0;
}

static inline void frame(fixture *f, pose_frame sample)
{
    f->port.frame(f->port.context, &sample);
}

static inline void event(fixture *f, clash_event sample)
{
    f->port.event(f->port.context, &sample);
}

static inline uint64_t counter(const fixture *f, const char *name)
{
    counter_list list = {.count = 0};

    recorder_list_counters(f->recorder, &list);
    return counter_named(&list, name);
}

static inline off_t file_size(const fixture *f)
{
    struct stat status;

    assert_int_equal(stat(f->path, &status), 0);
    return status.st_size;
}

/* Return the file as it is; the caller frees it. */
static inline char *read_file(const fixture *f)
{
    size_t size = (size_t)file_size(f);
    char *text = malloc(size + 1);
    FILE *file = fopen(f->path, "r");

    assert_true(text && file);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    text[size] = '\0';
    return text;
}

/* Take the text apart: every line after the header is whole, and a frame later than the one before, or a gap; all gaps
 * together report *out_gap lines. */
static inline uint64_t count_frames_and_gaps(char *text, int64_t *out_last, uint64_t *out_gap)
{
    uint64_t lines = 0;
    int64_t last = -1;

    for (char *line = strchr(text, '\n') + 1; *line;) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        if (line_has_type(line, "gap")) {
            *out_gap += (uint64_t)line_number(line, "lines");
            assert_true(line_number(line, "from_ns") > last);
            line = end + 1;
            continue;
        }
        assert_true(line_has_type(line, "poses") && line_number(line, "time_ns") > last);
        last = line_number(line, "time_ns");
        lines++;
        line = end + 1;
    }
    *out_last = last;
    return lines;
}

static inline uint64_t count_frames(char *text, int64_t *out_last)
{
    uint64_t gap = 0, lines = count_frames_and_gaps(text, out_last, &gap);

    assert_int_equal(gap, 0);
    return lines;
}

#endif
