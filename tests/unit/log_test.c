/* Messages for people: one whole line each, the levels, and journald's numbers only where journald reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/log.h"

#include "support/temporary.h"

/* What `print` writes to standard error. */
static void capture(void (*print)(const logger *log), log_level level, char *out, size_t size)
{
    int saved = dup(STDERR_FILENO), ends[2];
    app_log log;
    logger port;
    ssize_t length;

    assert_true(saved >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    app_log_init(&log, "clashd", level);
    port = app_log_port(&log);
    print(&port);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    close(ends[1]);
    length = read(ends[0], out, size - 1);
    close(ends[0]);
    assert_true(length >= 0);
    out[length] = '\0';
}

static void print_all(const logger *log)
{
    LOG_ERROR(log, "a %d", 1);
    LOG_WARNING(log, "b");
    LOG_INFO(log, "c");
    LOG_DEBUG(log, "d");
}

static void print_long(const logger *log)
{
    char text[3000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    LOG_INFO(log, "%s", text);
    log->write(log->context, LOG_LEVEL_INFO, text);
}

static void levels_are_written_down_to_the_one_asked_for(void **state)
{
    char said[512];

    (void)state;
    capture(print_all, LOG_LEVEL_DEBUG, said, sizeof said);
    assert_string_equal(said, "clashd: error: a 1\nclashd: warning: b\nclashd: c\nclashd: debug: d\n");
    capture(print_all, LOG_LEVEL_WARNING, said, sizeof said);
    assert_string_equal(said, "clashd: error: a 1\nclashd: warning: b\n");
    capture(print_all, LOG_LEVEL_ERROR, said, sizeof said);
    assert_string_equal(said, "clashd: error: a 1\n");
}

static void long_messages_are_cut_and_still_lines(void **state)
{
    char said[8192];
    char *first;

    (void)state;
    capture(print_long, LOG_LEVEL_INFO, said, sizeof said);
    first = strchr(said, '\n');
    assert_non_null(first);
    assert_true(first - said > 1000);
    assert_memory_equal(first + 1, "clashd: xxx", 11);
    assert_ptr_equal(strchr(first + 1, '\n'), said + strlen(said) - 1);
}

static void print_what_a_client_said(const logger *log)
{
    LOG_INFO(log, "refused \"a\nclashd: error: made up\r\x1b[2J\x7f\t\303\244\"");
}

static void what_is_quoted_stays_in_its_line(void **state)
{
    char said[512];

    (void)state;
    capture(print_what_a_client_said, LOG_LEVEL_INFO, said, sizeof said);
    assert_string_equal(said, "clashd: refused \"a?clashd: error: made up??[2J??\303\244\"\n");
}

static void journald_is_told_priorities(void **state)
{
    int saved = dup(STDERR_FILENO);
    char path[] = "/tmp/clashd-log-" TEMPORARY, stream[64], said[512];
    int file = mkstemp(path);
    struct stat status;
    app_log log;
    logger port;
    ssize_t length;

    (void)state;
    assert_true(saved >= 0 && file >= 0);
    unlink(path);
    assert_int_equal(fstat(file, &status), 0);
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    /* Inherited, but standard error goes elsewhere by now. */
    capture(print_all, LOG_LEVEL_ERROR, said, sizeof said);
    assert_string_equal(said, "clashd: error: a 1\n");
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    app_log_init(&log, "clashd", LOG_LEVEL_DEBUG);
    port = app_log_port(&log);
    print_all(&port);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    unsetenv("JOURNAL_STREAM");
    length = pread(file, said, sizeof said - 1, 0);
    assert_true(length > 0);
    said[length] = '\0';
    assert_string_equal(said, "<3>a 1\n<4>b\n<6>c\n<7>d\n");
    close(saved);
    close(file);
}

static void names_and_levels_agree(void **state)
{
    log_level level;

    (void)state;
    for (int i = LOG_LEVEL_ERROR; i <= LOG_LEVEL_DEBUG; i++) {
        assert_int_equal(app_log_level_parse(app_log_level_name((log_level)i), &level), 0);
        assert_int_equal(level, i);
    }
    assert_int_equal(app_log_level_parse("", &level), -1);
    assert_int_equal(app_log_level_parse("Error", &level), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_written_down_to_the_one_asked_for),
        cmocka_unit_test(long_messages_are_cut_and_still_lines),
        cmocka_unit_test(what_is_quoted_stays_in_its_line),
        cmocka_unit_test(journald_is_told_priorities),
        cmocka_unit_test(names_and_levels_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
