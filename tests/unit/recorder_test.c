/* Recordings on a real file system: what is in them, and what may be in their way. */
#include "support/fresh.h"
#include "support/recorder_fixture.h"

#include <math.h>

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

    recording *r = recording_open(f->path, NULL, NULL, fresh(&f->error));
    if (!r)
        fail_msg("%s", f->error.text);
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

static void lines_are_there_soon(void **state)
{
    fixture *f = *state;

    open_ok(f, 0);
    frame(f, sample_frame(1));
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 2); /* without being closed */
    assert_int_equal(counter(f, "recorded_bytes"), file_size(f));
    assert_int_equal(counter(f, "record_waiting_bytes"), 0);
}

static bool is_there(const fixture *f)
{
    return access(f->path, F_OK) == 0;
}

/* What is no pose makes no file: it stands in the header, as far as it matters, or is what a session begins with. */
static void a_file_is_made_with_the_first_pose(void **state)
{
    fixture *f = *state;
    pose_frame nothing = sample_frame(5);

    nothing.samples[0].flags = nothing.samples[1].flags = 0;
    open_ok(f, 0);
    event(f, sample_tracking(7, false));
    frame(f, nothing);
    recorder_notify_equipment(f->recorder);
    recorder_reopen(f->recorder);
    close_recorder(f);
    assert_false(is_there(f));

    open_ok(f, 0);
    event(f, sample_tracking(7, false));
    nothing.more = true;
    frame(f, nothing);
    frame(f, sample_frame(5)); /* within a step: not yet */
    frame(f, sample_frame(6));
    assert_true(close_recorder(f));
    char *text = read_file(f);
    assert_int_equal(line_number(text, "seq"), 7); /* it begins within the session */
    const char *second = strchr(text, '\n') + 1;
    assert_true(line_has_type(second, "poses"));
    assert_int_equal(line_number(second, "time_ns"), 6);
    free(text);
}

static void a_mark_makes_one_too(void **state)
{
    fixture *f = *state;

    open_ok(f, 0);
    assert_int_equal(recorder_mark(f->recorder, "here", &(failure){0}), 0);
    close_recorder(f);
    char *text = read_file(f);
    assert_true(line_has_type(strchr(text, '\n') + 1, "mark"));
    free(text);
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

static void equipment_is_in_the_header_and_told_when_it_changes(void **state)
{
    fixture *f = *state;
    const protocol_controller hands[] = {{"/user/hand/left", "/interaction_profiles/a/b"},
                                         {"/user/hand/right", "/interaction_profiles/c/d"}};
    recording_item *item = malloc(sizeof *item);

    assert_non_null(item);
    f->equipment = (protocol_equipment){"Runtime 1.2.3", hands, 1};
    open_ok(f, 0);
    frame(f, sample_frame(10));
    f->equipment = (protocol_equipment){"Other \"runtime\"", hands, 2};
    recorder_notify_equipment(f->recorder);
    f->equipment = (protocol_equipment){0};
    recorder_notify_equipment(f->recorder);
    close_recorder(f);

    recording *r = recording_open(f->path, NULL, NULL, fresh(&f->error));
    if (!r)
        fail_msg("%s", f->error.text);
    const recording_equipment *header = &recording_get_header(r)->equipment;
    assert_string_equal(header->runtime, "Runtime 1.2.3");
    assert_int_equal(header->controller_count, 1);
    assert_string_equal(header->controllers[0].profile, "/interaction_profiles/a/b");
    assert_int_equal(recording_next(r, item), RECORDING_POSES);
    assert_int_equal(recording_next(r, item), RECORDING_EQUIPMENT);
    assert_int_equal(item->time_ns, 10); /* that of the last frame: here it stands in the recording */
    assert_string_equal(item->equipment.runtime, "Other \"runtime\"");
    assert_int_equal(item->equipment.controller_count, 2);
    assert_string_equal(item->equipment.controllers[1].device, "/user/hand/right");
    assert_int_equal(recording_next(r, item), RECORDING_EQUIPMENT);
    assert_string_equal(item->equipment.runtime, "");
    assert_int_equal(item->equipment.controller_count, 0);
    assert_int_equal(recording_next(r, item), RECORDING_END);
    assert_int_equal(recording_get_counters(r)->damaged, 0);
    recording_close(r);
    free(item);
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

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void assert_refused(fixture *f, const char *says)
{
    assert_null(open_at(f, f->path, 0));
    assert_non_null(strstr(f->error.text, says));
    assert_non_null(strstr(f->error.text, f->path));
    uv_run(&f->loop, UV_RUN_DEFAULT);
}

static void assert_untouched(const char *path)
{
    FILE *file = fopen(path, "r");
    char text[32] = "";

    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_string_equal(text, "precious");
    fclose(file);
}

static void what_is_there_is_not_overwritten(void **state)
{
    fixture *f = *state;
    char other[160], nowhere[160];

    snprintf(other, sizeof other, "%s/other.jsonl", f->root);
    snprintf(nowhere, sizeof nowhere, "%s/nowhere.jsonl", f->root);
    put(f->path, "precious");
    assert_refused(f, "it is there already; --overwrite replaces it");
    assert_untouched(f->path);
    assert_int_equal(rename(f->path, other), 0);
    assert_int_equal(symlink(other, f->path), 0);
    for (int overwrites = 0; overwrites < 2; overwrites++) {
        f->overwrites = overwrites;
        assert_refused(f, "it is a link");
    }
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(symlink(nowhere, f->path), 0);
    assert_refused(f, "it is a link");
    assert_int_equal(access(nowhere, F_OK), -1);
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(link(other, f->path), 0);
    assert_refused(f, "hard links");
    f->overwrites = false;
    assert_refused(f, "it is there already");
    assert_untouched(other);
    assert_int_equal(unlink(other), 0);
}

/* What comes there between the start and the first pose is nobody's to overwrite either, and what is recorded waits. */
static void what_comes_there_meanwhile_is_not_overwritten(void **state)
{
    fixture *f = *state;
    char other[160];

    snprintf(other, sizeof other, "%s/other.jsonl", f->root);
    put(other, "precious");
    open_ok(f, 0);
    assert_int_equal(symlink(other, f->path), 0);
    frame(f, sample_frame(1));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 2);
    assert_untouched(other);
    assert_non_null(strstr(f->log.last, "File exists"));
    assert_int_equal(unlink(f->path), 0);
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 2);
    assert_true(close_recorder(f));
    assert_untouched(other);
    assert_int_equal(unlink(other), 0);
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
    f->overwrites = true;
    open_ok(f, 0);
    assert_true(close_recorder(f));
    assert_int_equal(file_size(f), 140000); /* there was nothing to put in its place */
    open_ok(f, 0);
    frame(f, sample_frame(1));
    assert_true(close_recorder(f));
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

    f->overwrites = true;
    assert_null(open_at(f, f->root, 0));
    assert_non_null(strstr(f->error.text, "it is a directory, expected a regular file"));
    assert_non_null(strstr(f->error.text, f->root));
    assert_null(open_at(f, "/dev/full", 0));
    assert_non_null(strstr(f->error.text, "no regular file"));
    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_null(open_at(f, f->path, 0)); /* and at once: nobody reads it */
    assert_non_null(strstr(f->error.text, "no regular file"));
    assert_int_equal(unlink(f->path), 0);
    assert_null(open_at(f, "/nowhere/at/all.jsonl", 0));
    assert_non_null(strstr(f->error.text, "/nowhere/at/all.jsonl"));
    assert_non_null(strstr(f->error.text, "No such file"));
    uv_run(&f->loop, UV_RUN_DEFAULT);
}

static void two_do_not_write_one_file(void **state)
{
    fixture *f = *state;

    f->overwrites = true;
    open_ok(f, 0);
    frame(f, sample_frame(1));
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 2);
    off_t size = file_size(f);
    assert_null(open_at(f, f->path, 0));
    assert_non_null(strstr(f->error.text, "another process"));
    assert_int_equal(file_size(f), size); /* and it was not truncated first */
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
        WITH_FILE(lines_are_there_soon),
        WITH_FILE(a_file_is_made_with_the_first_pose),
        WITH_FILE(a_mark_makes_one_too),
        WITH_FILE(what_is_there_is_not_overwritten),
        WITH_FILE(what_comes_there_meanwhile_is_not_overwritten),
        WITH_FILE(samples_that_are_no_numbers_are_left_out),
        WITH_FILE(equipment_is_in_the_header_and_told_when_it_changes),
        WITH_FILE(steps_stay_together),
        WITH_FILE(an_old_recording_is_overwritten_and_private),
        WITH_FILE(what_is_no_file_is_refused),
        WITH_FILE(two_do_not_write_one_file),
        WITH_FILE(a_long_recording_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
