/* Recordings on a real file system: what is in them, what may be in their way, and disks that are full. */
#include "support/line_client.h"
#include "support/sample_events.h"
#include "support/temporary.h"

#include "protocol/recording.h"
#include "sinks/recorder.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

typedef struct fixture {
    char root[64], path[128];
    uv_loop_t loop;
    kept_log log;
    recorder *recorder;
    event_sink port;
    char error[512];
} fixture;

static void describe_session(void *context, protocol_session *out_session)
{
    (void)context;
    sample_session(out_session);
}

static recorder *open_at(fixture *f, const char *path, size_t buffer_bytes)
{
    static const protocol_contact_settings contact = {
        .release_margin = 0.005f, .hold_rate_hz = 30, .full_intensity_speed = 10, .max_gap_ms = 100};
    const recorder_settings settings = {.loop = &f->loop,
                                        .path = path,
                                        .session = describe_session,
                                        .settings = &contact,
                                        .epoch_ns = SAMPLE_EPOCH_NS,
                                        .names = sample_names(),
                                        .log = {.context = &f->log, .write = kept_log_write},
                                        .buffer_bytes = buffer_bytes,
                                        .retry_ms = 20};

    return recorder_open(&settings, f->error, sizeof f->error);
}

static void open_ok(fixture *f, size_t buffer_bytes)
{
    f->recorder = open_at(f, f->path, buffer_bytes);
    if (!f->recorder)
        fail_msg("%s", f->error);
    f->port = recorder_port(f->recorder);
}

static void close_recorder(fixture *f)
{
    recorder_close(f->recorder);
    f->recorder = NULL;
    uv_run(&f->loop, UV_RUN_DEFAULT);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    snprintf(f->root, sizeof f->root, "/tmp/clashd-test-" TEMPORARY);
    assert_non_null(mkdtemp(f->root));
    snprintf(f->path, sizeof f->path, "%s/r.jsonl", f->root);
    assert_int_equal(uv_loop_init(&f->loop), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;

    close_recorder(f);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    unlink(f->path);
    assert_int_equal(rmdir(f->root), 0);
    free(f);
    return 0;
}

static void frame(fixture *f, pose_frame sample)
{
    f->port.frame(f->port.context, &sample);
}

static void event(fixture *f, clash_event sample)
{
    f->port.event(f->port.context, &sample);
}

static uint64_t counter(const fixture *f, const char *name)
{
    protocol_counter counters[RECORDER_COUNTERS_MAX];
    size_t count = recorder_list_counters(f->recorder, counters, RECORDER_COUNTERS_MAX);

    for (size_t i = 0; i < count; i++)
        if (strcmp(counters[i].name, name) == 0)
            return counters[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

static off_t file_size(const fixture *f)
{
    struct stat status;

    assert_int_equal(stat(f->path, &status), 0);
    return status.st_size;
}

/* The file as it is; the caller frees it. */
static char *read_file(const fixture *f)
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

static void what_came_stands_in_order(void **state)
{
    fixture *f = *state;
    recording_item *item = malloc(sizeof *item);
    pose_frame lost = sample_frame(30);

    assert_non_null(item);
    lost.samples[0].flags = 0;
    lost.samples[0].pose.position.x = NAN; /* no pose, so its numbers say nothing */
    lost.samples[1].flags = POSE_VALID | POSE_TELEPORT;
    open_ok(f, 0);
    frame(f, sample_frame(10));
    event(f, sample_clash(1, 3.0f));
    frame(f, sample_frame(20));
    event(f, sample_release(2, 1, 3.0f));
    event(f, sample_tracking(3, false));
    frame(f, lost);
    close_recorder(f);

    recording *r = recording_open(f->path, NULL, NULL, f->error, sizeof f->error);
    if (!r)
        fail_msg("%s", f->error);
    const recording_header *header = recording_get_header(r);
    assert_int_equal(header->epoch_monotonic_ns, SAMPLE_EPOCH_NS);
    assert_int_equal(header->blade_count, 2);
    assert_string_equal(header->blades[1].name, "right");
    assert_true(header->has_settings);
    assert_int_equal(recording_next(r, item), RECORDING_POSES);
    assert_int_equal(item->time_ns, 10);
    assert_int_equal(item->pose_count, 2);
    assert_string_equal(item->poses[1].device, "/user/hand/right");
    assert_true(item->poses[1].valid && item->poses[1].tracked && !item->poses[1].teleport);
    assert_true(item->poses[1].pose.position.y == 1.5f);
    assert_int_equal(recording_next(r, item), RECORDING_EVENT);
    assert_true(line_has_type(item->text, "clash"));
    assert_int_equal(recording_next(r, item), RECORDING_POSES);
    assert_int_equal(recording_next(r, item), RECORDING_EVENT);
    assert_true(line_has_type(item->text, "release"));
    assert_int_equal(recording_next(r, item), RECORDING_TRACKING_LOST);
    assert_int_equal(recording_next(r, item), RECORDING_POSES);
    assert_int_equal(item->pose_count, 2);
    assert_false(item->poses[0].valid);
    assert_true(item->poses[1].valid && !item->poses[1].tracked && item->poses[1].teleport);
    assert_int_equal(recording_next(r, item), RECORDING_END);
    assert_int_equal(recording_get_counters(r)->damaged + recording_get_counters(r)->torn, 0);
    recording_close(r);
    free(item);
}

static void the_header_is_there_at_once_and_lines_soon(void **state)
{
    fixture *f = *state;

    open_ok(f, 0);
    off_t header = file_size(f);
    assert_true(header > 0);
    frame(f, sample_frame(1));
    WAIT_UNTIL(&f->loop, file_size(f) > header); /* without being closed */
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 2);
}

static void samples_that_are_no_numbers_are_left_out(void **state)
{
    fixture *f = *state;
    pose_frame bad = sample_frame(5);

    open_ok(f, 0);
    bad.samples[0].pose.orientation.w = INFINITY;
    frame(f, bad); /* the other hand stays */
    bad.samples[1].device = 77;
    frame(f, bad); /* nothing is left to write */
    assert_int_equal(counter(f, "record_refused_samples"), 3);
    close_recorder(f);
    char *text = read_file(f);
    const char *second = strchr(text, '\n') + 1;
    assert_true(line_has_type(second, "poses"));
    assert_non_null(strstr(second, "/user/hand/right"));
    assert_null(strstr(second, "/user/hand/left"));
    assert_int_equal(strchr(second, '\n')[1], '\0');
    free(text);
}

/* A step of three frames, of whose last nothing can be written, and one of one. */
static void steps_stay_together(void **state)
{
    fixture *f = *state;
    pose_frame part = sample_frame(5), bad = sample_frame(5);
    char *text, *at;

    open_ok(f, 0);
    part.more = true;
    frame(f, part);
    frame(f, part);
    bad.samples[0].device = bad.samples[1].device = 77;
    frame(f, bad);
    frame(f, bad);
    frame(f, sample_frame(6));
    close_recorder(f);
    text = read_file(f);
    at = strchr(text, '\n') + 1;
    for (int i = 0; i < 4; i++) {
        char *end = strchr(at, '\n'), *more = strstr(at, "\"more\":true");

        assert_true(line_has_type(at, "poses"));
        assert_int_equal(more && more < end, i < 2);
        at = end + 1;
    }
    assert_int_equal(*at, '\0');
    free(text);
}

static void an_old_recording_is_overwritten_and_private(void **state)
{
    fixture *f = *state;
    struct stat status;
    mode_t before = umask(0);
    FILE *file = fopen(f->path, "w");

    assert_non_null(file);
    for (int i = 0; i < 10000; i++)
        fputs("something old\n", file);
    fclose(file);
    open_ok(f, 0);
    close_recorder(f);
    umask(before);
    char *text = read_file(f);
    assert_null(strstr(text, "something old"));
    assert_true(line_has_type(text, "recording"));
    free(text);
    assert_int_equal(stat(f->path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

static void what_is_no_file_is_refused(void **state)
{
    fixture *f = *state;

    assert_null(open_at(f, f->root, 0));
    assert_non_null(strstr(f->error, "it is a directory, expected a regular file"));
    assert_non_null(strstr(f->error, f->root));
    assert_null(open_at(f, "/dev/full", 0));
    assert_non_null(strstr(f->error, "no regular file"));
    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_null(open_at(f, f->path, 0)); /* and at once: nobody reads it */
    assert_non_null(strstr(f->error, "no regular file"));
    assert_int_equal(unlink(f->path), 0);
    assert_null(open_at(f, "/nowhere/at/all.jsonl", 0));
    assert_non_null(strstr(f->error, "/nowhere/at/all.jsonl"));
    assert_non_null(strstr(f->error, "No such file"));
    uv_run(&f->loop, UV_RUN_DEFAULT);
}

static void two_do_not_write_one_file(void **state)
{
    fixture *f = *state;

    open_ok(f, 0);
    off_t size = file_size(f);
    assert_null(open_at(f, f->path, 0));
    assert_non_null(strstr(f->error, "another process"));
    assert_int_equal(file_size(f), size); /* and it was not truncated first */
}

/* A limit on file sizes stands in for a full disk: the same short write, then an error. */
static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Takes the text apart: every line behind the header is whole, a frame, and later than the one before; or tells of a gap,
 * all of which together tell of *out_gap lines. */
static uint64_t count_frames_and_gaps(char *text, int64_t *out_last, uint64_t *out_gap)
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

static uint64_t count_frames(char *text, int64_t *out_last)
{
    uint64_t gap = 0, lines = count_frames_and_gaps(text, out_last, &gap);

    assert_int_equal(gap, 0);
    return lines;
}

static void a_full_disk_is_waited_out(void **state)
{
    fixture *f = *state;
    int64_t last;
    char *text;

    signal(SIGXFSZ, SIG_DFL); /* would end the process */
    open_ok(f, 0);
    off_t limit = file_size(f) + 5000;
    limit_file_size((rlim_t)limit);
    for (int i = 0; i < 1000; i++)
        frame(f, sample_frame(i));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 3); /* tried again and again */
    text = read_file(f);
    uint64_t whole = count_frames(text, &last); /* what fitted, and no torn line behind it */
    assert_true(whole > 5 && whole < 1000);
    assert_int_equal(counter(f, "recorded_lines"), whole + 1);
    assert_int_equal(f->log.count, 1); /* said once */
    assert_non_null(strstr(f->log.last, f->path));
    assert_non_null(strstr(f->log.last, "File too large"));
    free(text);
    limit_file_size(RLIM_INFINITY);
    for (int i = 1000; i < 2000; i++)
        frame(f, sample_frame(i));
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 2001);
    assert_int_equal(counter(f, "record_lost_lines"), 0);
    close_recorder(f);
    text = read_file(f);
    assert_int_equal(count_frames(text, &last), 2000); /* all of them, in order */
    assert_int_equal(last, 1999);
    free(text);
    assert_non_null(strstr(f->log.last, "can be written again"));
}

static void what_memory_cannot_keep_is_lost_in_whole_lines_and_counted(void **state)
{
    fixture *f = *state;
    uint64_t gap = 0;
    int64_t last;

    open_ok(f, 20000);
    limit_file_size((rlim_t)file_size(f) + 100);
    frame(f, sample_frame(0));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 1);
    for (int i = 1; i < 1000; i++)
        frame(f, sample_frame(i));
    uint64_t lost = counter(f, "record_lost_lines");
    assert_true(lost > 0 && lost < 1000);
    limit_file_size(RLIM_INFINITY);
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 1001 - lost);
    frame(f, sample_frame(1000));
    assert_int_equal(counter(f, "record_gaps"), 1);
    close_recorder(f);
    char *text = read_file(f);
    assert_int_equal(count_frames_and_gaps(text, &last, &gap), 1001 - lost);
    assert_int_equal(last, 1000);
    assert_int_equal(gap, lost);
    free(text);
    assert_non_null(strstr(f->log.last, "lacks"));
}

static void closing_on_a_full_disk_leaves_whole_lines(void **state)
{
    fixture *f = *state;
    int64_t last;

    open_ok(f, 0);
    limit_file_size((rlim_t)file_size(f) + 3000);
    for (int i = 0; i < 100; i++)
        frame(f, sample_frame(i));
    close_recorder(f);
    limit_file_size(RLIM_INFINITY);
    char *text = read_file(f);
    uint64_t whole = count_frames(text, &last);
    char expected[64];
    snprintf(expected, sizeof expected, "lacks %llu lines", (unsigned long long)(100 - whole));
    assert_non_null(strstr(f->log.last, expected));
    free(text);
}

static void no_room_for_the_header_is_an_error(void **state)
{
    fixture *f = *state;

    signal(SIGXFSZ, SIG_DFL);
    limit_file_size(10);
    recorder *r = open_at(f, f->path, 0);
    limit_file_size(RLIM_INFINITY);
    assert_null(r);
    assert_non_null(strstr(f->error, f->path));
    assert_non_null(strstr(f->error, "File too large"));
    uv_run(&f->loop, UV_RUN_DEFAULT);
}

/* More than any buffer takes at once, with the loop running now and then: nothing is lost, all is in order. */
static void a_long_recording_is_whole(void **state)
{
    enum { FRAMES = 50000 };
    fixture *f = *state;
    int64_t last;

    open_ok(f, 0);
    for (int i = 0; i < FRAMES; i++) {
        frame(f, sample_frame(i));
        if (i % 997 == 0)
            uv_run(&f->loop, UV_RUN_NOWAIT);
    }
    close_recorder(f); /* a write may be under way */
    char *text = read_file(f);
    assert_int_equal(count_frames(text, &last), FRAMES);
    free(text);
    assert_int_equal(f->log.count, 0);
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FILE(what_came_stands_in_order),
        WITH_FILE(the_header_is_there_at_once_and_lines_soon),
        WITH_FILE(samples_that_are_no_numbers_are_left_out),
        WITH_FILE(steps_stay_together),
        WITH_FILE(an_old_recording_is_overwritten_and_private),
        WITH_FILE(what_is_no_file_is_refused),
        WITH_FILE(two_do_not_write_one_file),
        WITH_FILE(a_full_disk_is_waited_out),
        WITH_FILE(what_memory_cannot_keep_is_lost_in_whole_lines_and_counted),
        WITH_FILE(closing_on_a_full_disk_leaves_whole_lines),
        WITH_FILE(no_room_for_the_header_is_an_error),
        WITH_FILE(a_long_recording_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
