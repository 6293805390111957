/* The number that clashd and the process with the runtime share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/openxr/rest_word.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static void what_one_writes_the_other_reads(void **state)
{
    int fd = -1;
    rest_word *ours = rest_word_create(&fd);
    const rest_word *theirs;

    (void)state;
    assert_non_null(ours);
    assert_int_equal(*ours, 0);
    theirs = rest_word_open(fd);
    assert_non_null(theirs);
    atomic_store(ours, INT64_MAX - 1);
    assert_true(atomic_load(theirs) == INT64_MAX - 1);
    rest_word_close(ours);
    assert_true(atomic_load(theirs) == INT64_MAX - 1);
    rest_word_close(theirs);
    assert_int_equal(close(fd), -1); /* it was closed */
}

/* A runtime's library has the descriptor for a moment: memory that it cut off would kill clashd at its next write. */
static void nobody_can_cut_it_off(void **state)
{
    int fd = -1;
    rest_word *ours = rest_word_create(&fd);

    (void)state;
    assert_non_null(ours);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 1 << 20), -1);
    atomic_store(ours, 1);
    rest_word_close(ours);
    close(fd);
}

/* As clashd-openxr is started by hand, by another program, or by another build. */
static void a_descriptor_of_something_else(void **state)
{
    int empty = memfd_create("empty", 0), ends[2];

    (void)state;
    assert_null(rest_word_open(-1));
    assert_null(rest_word_open(empty));
    assert_null(rest_word_open(open("/dev/null", O_RDWR)));
    assert_int_equal(pipe(ends), 0);
    assert_null(rest_word_open(ends[0]));
    close(ends[1]);
    rest_word_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_writes_the_other_reads),
        cmocka_unit_test(nobody_can_cut_it_off),
        cmocka_unit_test(a_descriptor_of_something_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
