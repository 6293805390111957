/* Recordings on disks that are full: what is kept, what is lost, and that the file says so. */
#include "support/recorder_fixture.h"

#include <signal.h>
#include <sys/resource.h>

/* A limit on file sizes stands in for a full disk: the same short write, then an error. */
static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The first frame, and with it the file: it is there, and so much of it. */
static off_t begin_file(fixture *f)
{
    frame(f, sample_frame(0));
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 2);
    return file_size(f);
}

/* The file between two attempts: during one, what does not fit is in it for a moment. The caller frees it. */
static char *read_between_attempts(const fixture *f, size_t most)
{
    char *text = malloc(most + 1);
    size_t length = 0;

    assert_non_null(text);
    for (int patience = 0; length == 0 || text[length - 1] != '\n'; patience++) {
        FILE *file = fopen(f->path, "r");

        assert_non_null(file);
        assert_true(patience < 100000);
        length = fread(text, 1, most, file);
        fclose(file);
    }
    text[length] = '\0';
    return text;
}

static void a_full_disk_is_waited_out(void **state)
{
    fixture *f = *state;
    int64_t last;
    char *text;

    signal(SIGXFSZ, SIG_DFL); /* would end the process */
    open_ok(f, 0);
    off_t limit = begin_file(f) + 5000;
    limit_file_size((rlim_t)limit);
    for (int i = 1; i < 1000; i++)
        frame(f, sample_frame(i));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 3); /* tried again and again */
    text = read_between_attempts(f, (size_t)limit);
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
    limit_file_size((rlim_t)begin_file(f) + 100);
    frame(f, sample_frame(1));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 1);
    for (int i = 2; i < 1000; i++)
        frame(f, sample_frame(i));
    uint64_t lost = counter(f, "record_lost_lines");
    assert_true(lost > 0 && lost < 1000);
    limit_file_size(RLIM_INFINITY);
    WAIT_UNTIL(&f->loop, counter(f, "recorded_lines") == 1001 - lost);
    frame(f, sample_frame(1000));
    assert_int_equal(counter(f, "record_gaps"), 1);
    assert_true(close_recorder(f)); /* what it lacks it says itself */
    char *text = read_file(f);
    assert_int_equal(count_frames_and_gaps(text, &last, &gap), 1001 - lost);
    assert_int_equal(last, 1000);
    assert_int_equal(gap, lost);
    free(text);
    assert_non_null(strstr(f->log.last, "lacks"));
}

/* Whatever of it the thread has taken already. */
static void no_more_waits_than_may(void **state)
{
    enum { ROOM = 20000 };
    fixture *f = *state;
    uint64_t waiting;

    open_ok(f, ROOM);
    limit_file_size((rlim_t)begin_file(f) + 100);
    for (int i = 1; i < 30; i++)
        frame(f, sample_frame(i));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 1);
    for (int i = 30; i < 1000; i++)
        frame(f, sample_frame(i));
    waiting = counter(f, "record_waiting_bytes");
    assert_true(waiting > ROOM / 2 && waiting < ROOM + 1024); /* a line may go over it */
    limit_file_size(RLIM_INFINITY);
    close_recorder(f);
}

static void closing_on_a_full_disk_leaves_whole_lines(void **state)
{
    fixture *f = *state;
    int64_t last;

    open_ok(f, 0);
    limit_file_size((rlim_t)begin_file(f) + 3000);
    for (int i = 1; i < 100; i++)
        frame(f, sample_frame(i));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 1);
    assert_false(close_recorder(f));
    limit_file_size(RLIM_INFINITY);
    char *text = read_file(f);
    uint64_t whole = count_frames(text, &last);
    char expected[64];
    snprintf(expected, sizeof expected, "lacks %llu lines", (unsigned long long)(100 - whole));
    assert_non_null(strstr(f->log.last, expected));
    /* A disk with much else to do may keep the last sync from its answer for longer than the end waits. */
    assert_true(strstr(f->log.last, "File too large") || strstr(f->log.last, "the disk does not answer"));
    free(text);
}

static void no_room_for_the_header_is_waited_out(void **state)
{
    fixture *f = *state;
    int64_t last;

    signal(SIGXFSZ, SIG_DFL);
    limit_file_size(10);
    open_ok(f, 0);
    frame(f, sample_frame(0));
    WAIT_UNTIL(&f->loop, counter(f, "record_errors") >= 2);
    assert_non_null(strstr(f->log.last, f->path));
    assert_non_null(strstr(f->log.last, "File too large"));
    limit_file_size(RLIM_INFINITY);
    assert_true(close_recorder(f));
    char *text = read_file(f);
    assert_int_equal(count_frames(text, &last), 1);
    free(text);
}

/* And what is not in any file is not there at the end. */
static void no_room_at_all_is_said_at_the_end(void **state)
{
    fixture *f = *state;

    signal(SIGXFSZ, SIG_DFL);
    limit_file_size(0);
    open_ok(f, 0);
    for (int i = 0; i < 9; i++)
        frame(f, sample_frame(i));
    assert_false(close_recorder(f));
    limit_file_size(RLIM_INFINITY);
    assert_non_null(strstr(f->log.last, "lacks 10 lines"));
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FILE(a_full_disk_is_waited_out),
        WITH_FILE(what_memory_cannot_keep_is_lost_in_whole_lines_and_counted),
        WITH_FILE(closing_on_a_full_disk_leaves_whole_lines),
        WITH_FILE(no_more_waits_than_may),
        WITH_FILE(no_room_for_the_header_is_waited_out),
        WITH_FILE(no_room_at_all_is_said_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
