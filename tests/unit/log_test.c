/* Messages for people: one whole line each, the levels, and journald's numbers only where journald reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log/journal.h"
#include "log/log_output.h"

#include "support/temporary.h"

/* What `print` writes to standard error. */
static void capture(void (*print)(const logger *log), log_level level, char *out, size_t size)
{
    int saved = dup(STDERR_FILENO), ends[2];
    log_output log;
    logger port;
    ssize_t length;

    assert_true(saved >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    log_output_init(&log, "clashd", level);
    port = log_output_port(&log);
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
    LOG_INFO(log, "refused \"a\nclashd: error: made up\r\x1b[2J\x7f\t\303\244\302\233J\302\240\"");
}

static void what_is_quoted_stays_in_its_line(void **state)
{
    char said[512];

    (void)state;
    capture(print_what_a_client_said, LOG_LEVEL_INFO, said, sizeof said);
    assert_string_equal(
        said, "clashd: refused \"a\\nclashd: error: made up\\x0d\\x1b[2J\\x7f\\x09\303\244\\xc2\\x9bJ\302\240\"\n");
}

static void journald_is_told_priorities(void **state)
{
    int saved = dup(STDERR_FILENO);
    char path[] = "/tmp/clashd-log-" TEMPORARY, stream[64], said[512];
    int file = mkstemp(path);
    struct stat status;
    log_output log;
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
    log_output_init(&log, "clashd", LOG_LEVEL_DEBUG);
    close(log.journal_fd); /* of the machine's own, where there is one: as if it were out of reach */
    log.journal_fd = -1;
    port = log_output_port(&log);
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

/* A file in the place of standard error, and what is in it at the end. */
typedef struct file_log {
    log_output log;
    logger port;
    FILE *file;
} file_log;

static void open_file_log(file_log *f)
{
    f->file = tmpfile();
    assert_non_null(f->file);
    log_output_init(&f->log, "clashd", LOG_LEVEL_DEBUG);
    f->log.fd = fileno(f->file);
    f->port = log_output_port(&f->log);
}

static size_t close_file_log(file_log *f, char *out, size_t size)
{
    ssize_t length;

    log_output_finish(&f->log);
    length = pread(fileno(f->file), out, size - 1, 0);
    assert_true(length >= 0);
    out[length] = '\0';
    fclose(f->file);
    return (size_t)length;
}

static int bind_journal(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void assert_entry(int journal, const char *expected)
{
    char entry[4096];
    ssize_t length = recv(journal, entry, sizeof entry - 1, MSG_DONTWAIT);

    assert_true(length > 0);
    entry[length] = '\0';
    assert_string_equal(entry, expected);
}

static void journald_gets_entries_with_fields(void **state)
{
    char directory[] = "/tmp/clashd-log-" TEMPORARY, path[64], said[512];
    file_log f;
    int journal;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/socket", directory);
    assert_int_equal(log_journal_open(path), -1);
    journal = bind_journal(path);
    open_file_log(&f);
    f.log.journal = true;
    f.log.journal_fd = log_journal_open(path);
    assert_true(f.log.journal_fd >= 0);
    LOG_ERROR(&f.port, "two\nlines");
    assert_entry(journal, "PRIORITY=3\nSYSLOG_IDENTIFIER=clashd\nMESSAGE=two\\nlines\n");
    logger_print_client(&f.port, LOG_LEVEL_WARNING, "pid 12 (a\nb)", "closed %d", 1);
    assert_entry(journal, "PRIORITY=4\nSYSLOG_IDENTIFIER=clashd\nMESSAGE=closed 1\nCLASHD_CLIENT=pid 12 (a\\nb)\n");
    close(journal); /* from now on it is out of reach: nothing is lost */
    unlink(path);
    LOG_INFO(&f.port, "c");
    rmdir(directory);
    close_file_log(&f, said, sizeof said);
    assert_string_equal(said, "<6>c\n");
}

/* A journald that hangs holds nobody up. */
static void a_full_journal_is_not_waited_for(void **state)
{
    static char said[1 << 20];
    file_log f;
    int ends[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    open_file_log(&f);
    f.log.journal = true;
    f.log.journal_fd = ends[0];
    for (int i = 0; i < 2000; i++)
        LOG_INFO(&f.port, "message %d", i);
    close_file_log(&f, said, sizeof said);
    assert_non_null(strstr(said, "<6>message 1999\n"));
    close(ends[1]);
}

#define THREADS 4
#define MESSAGES 500

static void *log_many(void *context)
{
    const logger *log = context;

    for (int i = 0; i < MESSAGES; i++) {
        LOG_WARNING(log, "the same");
        LOG_INFO(log, "%p %d", (void *)&log, i);
    }
    return NULL;
}

static void threads_do_not_mix(void **state)
{
    static char said[1 << 20];
    pthread_t threads[THREADS];
    unsigned same = 0, others = 0, more = 0, unsaid = 0;
    file_log f;

    (void)state;
    open_file_log(&f);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, log_many, &f.port), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    close_file_log(&f, said, sizeof said);
    for (char *rest, *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *end, *number = line + strlen("clashd: warning: ");

        if (strcmp(line, "clashd: warning: the same") == 0) {
            same++;
        } else if (strncmp(line, "clashd: warning: ", strlen("clashd: warning: ")) == 0) {
            more++;
            unsaid += (unsigned)strtoul(number, &end, 10);
            assert_memory_equal(end, " more like this in the last ", 28);
            assert_non_null(strstr(line, " s: the same"));
        } else {
            assert_memory_equal(line, "clashd: 0x", 10);
            others++;
        }
    }
    assert_int_equal(others, THREADS * MESSAGES);
    assert_true(same >= LOG_LIMIT_AT_ONCE && more >= 1);
    assert_int_equal(same + unsaid, THREADS * MESSAGES);
}

static void names_and_levels_agree(void **state)
{
    log_level level;

    (void)state;
    for (int i = LOG_LEVEL_ERROR; i <= LOG_LEVEL_DEBUG; i++) {
        assert_int_equal(log_level_parse(log_level_name((log_level)i), &level), 0);
        assert_int_equal(level, i);
    }
    assert_int_equal(log_level_parse("", &level), -1);
    assert_int_equal(log_level_parse("Error", &level), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_written_down_to_the_one_asked_for),
        cmocka_unit_test(long_messages_are_cut_and_still_lines),
        cmocka_unit_test(what_is_quoted_stays_in_its_line),
        cmocka_unit_test(journald_is_told_priorities),
        cmocka_unit_test(journald_gets_entries_with_fields),
        cmocka_unit_test(a_full_journal_is_not_waited_for),
        cmocka_unit_test(threads_do_not_mix),
        cmocka_unit_test(names_and_levels_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
