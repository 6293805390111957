/* As much of cmocka as the tests of libclash and of the pipeline use, for builds that cannot use libcmocka:
 * MemorySanitizer needs all code instrumented, and no library is installed for foreign processors. A test ends at its
 * first failure; the others go on. */
#ifndef CLASHD_TESTS_PLAIN_CMOCKA_H
#define CLASHD_TESTS_PLAIN_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
};

#define cmocka_unit_test(f) \
    {                       \
#f, (f), NULL, NULL \
    }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
    {                                                       \
#f, (f), (setup), (teardown)                        \
    }
#define cmocka_unit_test_teardown(f, teardown) \
    {                                          \
#f, (f), NULL, (teardown)              \
    }

typedef struct plain_run {
    jmp_buf leave;
    int skipped;
} plain_run;

static plain_run plain_now;

static inline _Noreturn void plain_leave(int how)
{
    fflush(stdout);
    longjmp(plain_now.leave, how);
}

static inline _Noreturn __attribute__((format(printf, 3, 4))) void plain_fail(const char *file, int line,
                                                                              const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    plain_leave(1);
}

static inline void plain_true(int is, const char *what, const char *file, int line)
{
    if (!is)
        plain_fail(file, line, "%s", what);
}

static inline void plain_equal(unsigned long long a, unsigned long long b, int same, const char *what, const char *file,
                               int line)
{
    if ((a == b) != same)
        plain_fail(file, line, "%s: %#llx, %#llx", what, a, b);
}

static inline void plain_within(unsigned long long x, unsigned long long low, unsigned long long high, const char *what,
                                const char *file, int line)
{
    if (x < low || x > high)
        plain_fail(file, line, "%s: %llu", what, x);
}

static inline void plain_text(const char *a, const char *b, int same, const char *what, const char *file, int line)
{
    if ((strcmp(a, b) == 0) != same)
        plain_fail(file, line, "%s: \"%s\", \"%s\"", what, a, b);
}

#define PLAIN_NUMBER(x) ((unsigned long long)(x))
#define PLAIN_POINTER(x) ((unsigned long long)(uintptr_t)(x))

#define fail_msg(...) plain_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail() plain_fail(__FILE__, __LINE__, "failed")
#define skip() plain_leave(2)
#define print_message printf
#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define assert_true(c) plain_true(!!(c), #c, __FILE__, __LINE__)
#define assert_false(c) plain_true(!(c), "not: " #c, __FILE__, __LINE__)
#define assert_non_null(p) plain_true((p) != NULL, #p, __FILE__, __LINE__)
#define assert_null(p) plain_true((p) == NULL, "null: " #p, __FILE__, __LINE__)
#define assert_int_equal(a, b) plain_equal(PLAIN_NUMBER(a), PLAIN_NUMBER(b), 1, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) plain_equal(PLAIN_NUMBER(a), PLAIN_NUMBER(b), 0, #a " != " #b, __FILE__, __LINE__)
#define assert_ptr_equal(a, b) plain_equal(PLAIN_POINTER(a), PLAIN_POINTER(b), 1, #a " == " #b, __FILE__, __LINE__)
#define assert_ptr_not_equal(a, b) plain_equal(PLAIN_POINTER(a), PLAIN_POINTER(b), 0, #a " != " #b, __FILE__, __LINE__)
#define assert_string_equal(a, b) plain_text((a), (b), 1, #a " == " #b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) plain_text((a), (b), 0, #a " != " #b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) \
    plain_true(memcmp((a), (b), (size)) == 0, "the same bytes: " #a ", " #b, __FILE__, __LINE__)
#define assert_in_range(x, low, high)                                                                           \
    plain_within(PLAIN_NUMBER(x), PLAIN_NUMBER(low), PLAIN_NUMBER(high), #low " <= " #x " <= " #high, __FILE__, \
                 __LINE__)
#define assert_float_equal(a, b, by) \
    plain_true((a) - (b) <= (by) && (b) - (a) <= (by), #a " == " #b, __FILE__, __LINE__)

/** Return 0 passed, 1 failed, 2 skipped. */
static inline int plain_test(const struct CMUnitTest *test, void **state)
{
    int how = setjmp(plain_now.leave);

    if (how == 0) {
        if (test->setup && test->setup(state) != 0)
            plain_fail(test->name, 0, "its setup failed");
        test->test(state);
    }
    if (test->teardown && test->teardown(state) != 0)
        return 1;
    return how;
}

static inline int plain_group(const struct CMUnitTest *tests, size_t count, int (*setup)(void **),
                              int (*teardown)(void **))
{
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    void *of_all = NULL;
    int failed = 0;

    if (setup && setup(&of_all) != 0)
        return (int)count;
    for (size_t i = 0; i < count; i++) {
        void *state = of_all;
        int how = plain_test(&tests[i], &state);

        printf("%-7s %s\n", words[how], tests[i].name);
        fflush(stdout);
        failed += how == 1;
    }
    if (teardown && teardown(&of_all) != 0)
        failed++;
    return failed;
}

#define cmocka_run_group_tests(tests, setup, teardown) \
    plain_group((tests), sizeof(tests) / sizeof *(tests), (setup), (teardown))
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

#endif
