/* The token that lasts: made once, whole and private, and taken from nobody who could have told it to others. */
#include "ipc/token.h"
#include "support/fresh.h"
#include "support/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef"

static char root[64], kept[128], beside[128];
static failure error;

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/clashd-test-" TEMPORARY);
    if (!mkdtemp(root))
        return -1;
    snprintf(kept, sizeof kept, "%s/kept", root);
    snprintf(beside, sizeof beside, "%s/x.token", root);
    return 0;
}

/* Which has to be empty again: nothing half made stays. */
static int remove_root(void **state)
{
    (void)state;
    return rmdir(root);
}

static void write_kept(const char *text, mode_t mode)
{
    FILE *file = fopen(kept, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(kept, mode), 0);
}

static void read_line(const char *name, char out[TOKEN_LENGTH + 2])
{
    FILE *file = fopen(name, "r");

    assert_non_null(file);
    assert_int_equal(fread(out, 1, TOKEN_LENGTH + 1, file), TOKEN_LENGTH + 1);
    assert_int_equal(fgetc(file), EOF);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(out[TOKEN_LENGTH], '\n');
    out[TOKEN_LENGTH] = '\0';
}

static void it_is_made_once(void **state)
{
    char text[TOKEN_LENGTH + 2], again[TOKEN_LENGTH + 2];
    const mode_t before = umask(0);
    struct stat first, second;
    token t = {0};

    (void)state;
    assert_int_equal(token_check_kept(kept, fresh(&error)), 0);
    assert_int_equal(access(kept, F_OK), -1); /* to look makes nothing */
    assert_int_equal(token_create_kept(&t, kept, beside, fresh(&error)), 0);
    umask(before);
    assert_int_equal(stat(kept, &first), 0);
    assert_int_equal(first.st_mode & 07777, 0600);
    read_line(kept, text);
    read_line(beside, again);
    assert_string_equal(again, text);
    assert_string_equal(t.text, text);
    assert_true(token_matches(&t, text, TOKEN_LENGTH));
    assert_string_equal(token_place(&t), kept);
    token_remove(&t);
    assert_int_equal(access(beside, F_OK), -1);
    assert_int_equal(token_create_kept(&t, kept, beside, fresh(&error)), 0);
    assert_string_equal(t.text, text);
    assert_int_equal(stat(kept, &second), 0);
    assert_true(first.st_ino == second.st_ino);
    token_remove(&t);
    assert_int_equal(token_create(&t, beside, fresh(&error)), 0); /* one that does not last is another */
    assert_string_not_equal(t.text, text);
    assert_string_equal(token_place(&t), beside);
    token_remove(&t);
    assert_int_equal(unlink(kept), 0);
}

static void what_its_user_wrote_is_taken(void **state)
{
    static const char *const texts[] = {DIGITS, DIGITS "\n", DIGITS "\r\n", DIGITS " \n\n"};
    static const mode_t modes[] = {0600, 0400, 0640, 0440, 0700};
    token t = {0};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++) {
            write_kept(texts[i], modes[j]);
            assert_int_equal(token_check_kept(kept, fresh(&error)), 0);
            assert_int_equal(token_create_kept(&t, kept, beside, fresh(&error)), 0);
            assert_string_equal(t.text, DIGITS);
            token_remove(&t);
            assert_int_equal(unlink(kept), 0);
        }
}

static void assert_refused(const char *part)
{
    token t = {0};

    assert_int_equal(token_create_kept(&t, kept, beside, fresh(&error)), -1);
    if (!strstr(error.text, kept) || !strstr(error.text, part))
        fail_msg("\"%s\" does not name %s and \"%s\"", error.text, kept, part);
    assert_null(strstr(error.text, "0123456789")); /* nor tells it */
    assert_int_equal(access(beside, F_OK), -1);
    assert_int_equal(token_check_kept(kept, fresh(&error)), -1);
    if (!strstr(error.text, part))
        fail_msg("checked: \"%s\" does not say \"%s\"", error.text, part);
}

static void what_is_no_token_is_refused(void **state)
{
    static const char *const texts[] = {"",         "\n",
                                        "0123",     DIGITS "0\n",
                                        "x" DIGITS, DIGITS "\n" DIGITS "\n",
                                        " " DIGITS, "0123456789abcdef0123456789abcdef\n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_kept(texts[i], 0600);
        assert_refused("expected 64 hexadecimal digits");
        assert_int_equal(unlink(kept), 0);
    }
}

static void what_others_know_or_can_change_is_refused(void **state)
{
    static const mode_t modes[] = {0604, 0660, 0602, 0601, 0644, 0666, 0777};

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        write_kept(DIGITS "\n", modes[i]);
        assert_refused("chmod 600");
        assert_int_equal(unlink(kept), 0);
    }
    if (geteuid() == 0) {
        write_kept(DIGITS "\n", 0600);
        assert_int_equal(chown(kept, 12345, 12345), 0);
        assert_refused("belongs to user 12345");
        assert_int_equal(unlink(kept), 0);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir(kept, 0700), 0);
    assert_refused("is no regular file");
    assert_int_equal(rmdir(kept), 0);
    assert_int_equal(mkfifo(kept, 0600), 0);
    assert_refused("is no regular file");
    assert_int_equal(unlink(kept), 0);
    assert_int_equal(symlink("nowhere/at/all", kept), 0);
    assert_refused("No such file");
    assert_int_equal(unlink(kept), 0);
}

static void where_it_cannot_be_made_is_said(void **state)
{
    (void)state;
    snprintf(kept, sizeof kept, "%s/none/kept", root);
    assert_refused("No such file");
    snprintf(kept, sizeof kept, "%s/kept", root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_made_once),
        cmocka_unit_test(what_its_user_wrote_is_taken),
        cmocka_unit_test(what_is_no_token_is_refused),
        cmocka_unit_test(what_others_know_or_can_change_is_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(where_it_cannot_be_made_is_said),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
