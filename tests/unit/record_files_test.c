/* The directory of recordings: names, how many are kept, and one file in it, cut back to what is whole. */
#include "support/line_client.h"
#include "support/temporary.h"

#include "recorder/directory.h"
#include "recorder/record_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define SESSION "0123456789abcdef"

typedef struct fixture {
    char root[64];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    snprintf(f->root, sizeof f->root, "/tmp/clashd-test-" TEMPORARY);
    assert_non_null(mkdtemp(f->root));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    char command[128];

    snprintf(command, sizeof command, "rm -r %s", f->root);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void make_file(const fixture *f, const char *name)
{
    char path[256];
    int fd;

    snprintf(path, sizeof path, "%s/%s", f->root, name);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static bool has_file(const fixture *f, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", f->root, name);
    return access(path, F_OK) == 0;
}

static void names_have_date_session_and_part(void **state)
{
    char path[256];

    (void)state;
    assert_int_equal(record_directory_name(path, sizeof path, "/d", 1710407702, SESSION, 12, true), 0);
    assert_string_equal(path, "/d/clash-20240314-091502Z-012345-0012.jsonl.zst");
    assert_true(record_directory_is_name(path + 3));
    assert_int_equal(record_directory_name(path, sizeof path, "/d", 1710407702, SESSION, 123456, false), 0);
    assert_string_equal(path, "/d/clash-20240314-091502Z-012345-123456.jsonl");
    assert_true(record_directory_is_name(path + 3));
    assert_int_equal(record_directory_name(path, 20, "/d", 1710407702, SESSION, 1, false), -1);
}

static void other_names_are_not_ours(void **state)
{
    static const char *const others[] = {
        "",
        "clash-",
        "clash-notes.jsonl",
        "clash-20240314-091502Z-012345-0012.jsonl.gz",
        "clash-20240314-091502Z-012345-0012",
        "clash-20240314-091502Z-01234x-0012.jsonl",
        "clash-2024031-091502Z-012345-0012.jsonl",
        "my-clash-20240314-091502Z-012345-0012.jsonl",
        "clash-20240314-091502Z-012345-0012.jsonl~",
    };

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(record_directory_is_name(others[i]));
}

static void directories_are_made_with_those_above(void **state)
{
    const fixture *f = *state;
    struct stat status;
    char path[128];

    snprintf(path, sizeof path, "%s/a//b/c/", f->root);
    assert_int_equal(record_directory_make(path), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(record_directory_make(path), 0);
    make_file(f, "file");
    snprintf(path, sizeof path, "%s/file/a", f->root);
    assert_int_equal(record_directory_make(path), ENOTDIR);
}

/* Their names, one after the other. */
static void note_removed(void *context, const char *name, int error)
{
    char *said = context;

    assert_int_equal(error, 0);
    snprintf(said + strlen(said), 256 - strlen(said), "%s ", name);
}

static void the_oldest_go_and_nothing_else(void **state)
{
    static const char *const names[] = {
        "clash-20200101-000000Z-000000-0001.jsonl",     "clash-20200102-000000Z-ffffff-0001.jsonl.zst",
        "clash-20200103-000000Z-000000-0001.jsonl",     "clash-20200104-000000Z-000000-0001.jsonl.zst",
        "clash-20200105-000000Z-000000-0001.jsonl.zst", "clash-20200106-000000Z-000000-0001.jsonl",
    };
    fixture *f = *state;
    char path[256], said[256] = "";
    int other;

    for (size_t i = 0; i < 6; i++)
        make_file(f, names[i]);
    make_file(f, "clash-older.jsonl");
    make_file(f, "a.jsonl");
    snprintf(path, sizeof path, "%s/%s", f->root, names[1]);
    other = open(path, O_RDWR); /* another clashd */
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    snprintf(path, sizeof path, "%s/%s", f->root, names[2]); /* the clock has gone back */
    assert_int_equal(record_directory_keep(f->root, 3, path, note_removed, said), 3);
    assert_string_equal(said, "clash-20200101-000000Z-000000-0001.jsonl clash-20200104-000000Z-000000-0001.jsonl.zst "
                              "clash-20200105-000000Z-000000-0001.jsonl.zst ");
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(has_file(f, names[i]), i == 1 || i == 2 || i == 5);
    assert_true(has_file(f, "clash-older.jsonl") && has_file(f, "a.jsonl"));
    assert_int_equal(record_directory_keep(f->root, 3, path, NULL, NULL), 0);
    close(other);
    assert_int_equal(record_directory_keep(f->root, 2, path, NULL, NULL), 1);
    assert_false(has_file(f, names[1]));
    assert_int_equal(record_directory_keep("/nowhere/at/all", 1, path, NULL, NULL), 0);
}

/* A name has no more than the second: what began in the same one goes by when it was written last, parts by their number. */
static void within_a_second_the_oldest_go(void **state)
{
    static const struct {
        const char *name;
        long written_ns;
    } files[] = {
        {"clash-20200101-000000Z-ffffff-0001.jsonl", 100},  {"clash-20200101-000000Z-aaaaaa-9999.jsonl.zst", 200},
        {"clash-20200101-000000Z-aaaaaa-10000.jsonl", 200}, {"clash-20200101-000000Z-eeeeee-0001.jsonl", 300},
        {"clash-20200101-000000Z-000000-0001.jsonl", 400},  {"clash-20200101-000001Z-000000-0001.jsonl", 0},
    };
    fixture *f = *state;
    char path[256], said[256];

    for (size_t i = 0; i < 6; i++) {
        const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                          {.tv_sec = 1577836800, .tv_nsec = files[i].written_ns}};

        make_file(f, files[i].name);
        snprintf(path, sizeof path, "%s/%s", f->root, files[i].name);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    for (uint32_t i = 0; i < 5; i++) {
        said[0] = '\0';
        assert_int_equal(record_directory_keep(f->root, 5 - i, path, note_removed, said), 1);
        said[strlen(said) - 1] = '\0';
        assert_string_equal(said, files[i].name);
    }
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* What does not fit goes in whole lines, or frames, or not at all; when there is room the rest is written behind. */
static void a_file_holds_what_is_whole(void **state)
{
    static const char *const names[] = {"r.jsonl", "r.jsonl.zst"};
    const size_t length = 400000;
    fixture *f = *state;
    char path[128], *lines = malloc(length + 1);
    record_file file;
    size_t taken, more;
    const char *why;

    assert_non_null(lines);
    for (int i = 0; i < 10000; i++)
        snprintf(lines + (size_t)i * 40, 41, "%039d\n", i * 7919);
    record_file_init(&file);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", f->root, names[i]);
        assert_int_equal(record_file_open(&file, path, true, &why), 0);
        limit_file_size(i == 0 ? 1017 : 20000);
        assert_int_equal(record_file_write(&file, lines, length, &taken), EFBIG);
        assert_true(taken < length && (taken == 0 || lines[taken - 1] == '\n'));
        assert_int_equal(lseek(file.fd, 0, SEEK_END), file.size);
        limit_file_size(RLIM_INFINITY);
        assert_int_equal(record_file_write(&file, lines + taken, length - taken, &more), 0);
        assert_int_equal(taken + more, length);
        assert_int_equal(lseek(file.fd, 0, SEEK_END), file.size);
        assert_true(i == 0 ? file.size == (int64_t)length : file.size < (int64_t)length);
        assert_int_equal(record_file_sync(&file), 0);
        assert_int_equal(record_file_close(&file), 0);
        assert_int_equal(record_file_open(&file, path, true, &why), EEXIST);
    }
    record_file_finish(&file);
    free(lines);
}

static void a_file_knows_where_it_is(void **state)
{
    fixture *f = *state;
    char path[128], moved[128];
    record_file file;
    const char *why;

    record_file_init(&file);
    snprintf(path, sizeof path, "%s/r.jsonl", f->root);
    snprintf(moved, sizeof moved, "%s/moved.jsonl", f->root);
    assert_int_equal(record_file_open(&file, path, false, &why), 0);
    assert_int_equal(record_file_find(&file), RECORD_FILE_THERE);
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(record_file_find(&file), RECORD_FILE_MOVED);
    make_file(f, "r.jsonl");
    assert_int_equal(record_file_find(&file), RECORD_FILE_MOVED);
    assert_int_equal(unlink(moved), 0);
    assert_int_equal(record_file_find(&file), RECORD_FILE_GONE);
    record_file_finish(&file);
}

int main(void)
{
#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_date_session_and_part),
        cmocka_unit_test(other_names_are_not_ours),
        WITH_ROOT(directories_are_made_with_those_above),
        WITH_ROOT(the_oldest_go_and_nothing_else),
        WITH_ROOT(within_a_second_the_oldest_go),
        WITH_ROOT(a_file_holds_what_is_whole),
        WITH_ROOT(a_file_knows_where_it_is),
    };
    signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
