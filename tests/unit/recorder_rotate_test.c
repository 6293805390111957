/* From one dated file to the next: where one is full, whatever holds up the loop or the thread that writes. Nothing here
 * lets the loop run before all is written, so what the thread has to say is heard by nobody. */
#include "support/fresh.h"
#include "support/recorder_fixture.h"

#include <dirent.h>

#define ROTATE_BYTES 20000
#define STEPS 600
#define FILES_MAX 64

typedef struct files {
    char paths[FILES_MAX][192];
    size_t count;
} files;

static void open_directory(fixture *f, bool compress, uint64_t rotate_bytes)
{
    static const protocol_contact_settings contact = {
        .release_margin = 0.005f, .hold_rate_hz = 30, .full_intensity_speed = 10, .max_gap_ms = 100};
    const recorder_settings settings = {.loop = &f->loop,
                                        .directory = f->root,
                                        .compress = compress,
                                        .rotate_bytes = rotate_bytes,
                                        .keep = FILES_MAX,
                                        .context = f,
                                        .session = describe_session,
                                        .settings = &contact,
                                        .epoch_ns = SAMPLE_EPOCH_NS,
                                        .names = sample_names(),
                                        .log = {.context = &f->log, .write = kept_log_write}};

    failure why = {0};
    f->recorder = recorder_open(&settings, &why);
    if (!f->recorder)
        fail_msg("%s", why.text);
    f->port = recorder_port(f->recorder);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list(const fixture *f, files *out)
{
    DIR *directory = opendir(f->root);
    struct dirent *entry;

    assert_non_null(directory);
    out->count = 0;
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        assert_true(out->count < FILES_MAX);
        snprintf(out->paths[out->count++], sizeof out->paths[0], "%s/%.100s", f->root, entry->d_name);
    }
    closedir(directory);
    /* the date may change meanwhile, the part follows the session: both sort by age */
    qsort(out->paths, out->count, sizeof out->paths[0], compare_paths);
}

/* A step of two frames, and an event after every other one. */
static void record_step(fixture *f, int number)
{
    pose_frame step = sample_frame(INT64_C(10) * number);

    step.more = true;
    frame(f, step);
    step.more = false;
    frame(f, step);
    if (number % 2)
        event(f, sample_clash((uint64_t)number / 2 + 1, 3.0f));
}

static void record_steps(fixture *f)
{
    for (int i = 0; i < STEPS; i++)
        record_step(f, i);
}

/* Reads a file's frames and events: whole steps, in order, none missing. */
static void take_steps(const char *path, int *step, int *events)
{
    failure error = {0};
    recording_item *item = malloc(sizeof *item);
    recording *r = recording_open(path, NULL, NULL, fresh(&error));
    recording_item_kind kind;

    assert_non_null(item);
    if (!r)
        fail_msg("%s", error.text);
    while ((kind = recording_next(r, item)) != RECORDING_END) {
        if (kind == RECORDING_EVENT) {
            assert_int_equal(*events, *step / 2 - 1); /* behind the step that it was found in */
            ++*events;
            continue;
        }
        assert_int_equal(kind, RECORDING_POSES);
        assert_int_equal(item->time_ns, *step * 10);
        assert_true(item->more);
        assert_int_equal(recording_next(r, item), RECORDING_POSES);
        assert_int_equal(item->time_ns, *step * 10);
        assert_false(item->more);
        ++*step;
    }
    recording_close(r);
    free(item);
}

static off_t size_of(const char *path)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void a_full_file_is_followed_by_another(void **state)
{
    fixture *f = *state;
    int step = 0, events = 0;
    files all;

    open_directory(f, false, ROTATE_BYTES);
    record_steps(f);
    close_recorder(f);
    list(f, &all);
    assert_true(all.count > 8);
    for (size_t i = 0; i < all.count; i++) {
        const off_t size = size_of(all.paths[i]);

        assert_true(i + 1 == all.count || size >= ROTATE_BYTES);
        assert_true(size < ROTATE_BYTES + 2048); /* what a step with its event takes, at most */
        take_steps(all.paths[i], &step, &events);
        unlink(all.paths[i]);
    }
    assert_int_equal(step, STEPS);
    assert_int_equal(events, STEPS / 2);
}

static void without_a_limit_there_is_one(void **state)
{
    fixture *f = *state;
    int step = 0, events = 0;
    files all;

    open_directory(f, false, 0);
    record_steps(f);
    close_recorder(f);
    list(f, &all);
    assert_int_equal(all.count, 1);
    take_steps(all.paths[0], &step, &events);
    assert_int_equal(step, STEPS);
    unlink(all.paths[0]);
}

/* How large a compressed one is only the thread knows, which asks for another; that begins with the next step. */
static void a_compressed_one_is_followed_once_that_is_known(void **state)
{
    fixture *f = *state;
    int step = 0, events = 0, steps = STEPS;
    files all;

    open_directory(f, true, 1000);
    record_steps(f);
    for (; counter(f, "record_files") < 2; steps += 2) {
        record_step(f, steps);
        record_step(f, steps + 1);
        uv_run(&f->loop, UV_RUN_NOWAIT);
    }
    close_recorder(f);
    list(f, &all);
    assert_int_equal(all.count, 2);
    for (size_t i = 0; i < all.count; i++) {
        take_steps(all.paths[i], &step, &events);
        unlink(all.paths[i]);
    }
    assert_int_equal(step, steps);
    assert_int_equal(events, steps / 2);
}

int main(void)
{
#define WITH_RECORDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_RECORDER(a_full_file_is_followed_by_another),
        WITH_RECORDER(without_a_limit_there_is_one),
        WITH_RECORDER(a_compressed_one_is_followed_once_that_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
