/* The token's file: whole, private, and in nobody's way; what stands in its own way is replaced, never followed, or said.
 * A disk that takes nothing, or a part, is a limit of this process on the size of files. */
#include "ipc/token.h"
#include "support/fresh.h"
#include "support/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static failure error;
static char root[64], path[128], fresh_path[160];

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/clashd-test-" TEMPORARY);
    if (!mkdtemp(root))
        return -1;
    snprintf(path, sizeof path, "%s/x.token", root);
    snprintf(fresh_path, sizeof fresh_path, "%s.new", path);
    return 0;
}

/* Which has to be empty again. */
static int remove_root(void **state)
{
    (void)state;
    return rmdir(root);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *name, const char *expected)
{
    char text[256];
    FILE *file = fopen(name, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

/* A regular file with the token, a newline, and nothing that others may do with it. */
static void assert_file_of(const token *t)
{
    char line[TOKEN_LENGTH + 2];
    struct stat status;

    snprintf(line, sizeof line, "%s\n", t->text);
    assert_text(t->path, line);
    assert_int_equal(lstat(t->path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(access(fresh_path, F_OK), -1);
}

static void assert_refused(const char *where, int cause)
{
    token t = {0};
    char named[512]; /* a path may be longer than a message */

    snprintf(named, sizeof named, "%s", where);
    assert_int_equal(token_create(&t, where, fresh(&error)), -1);
    if (!strstr(error.text, named) || !strstr(error.text, strerror(cause)))
        fail_msg("\"%s\" does not name %s and \"%s\"", error.text, where, strerror(cause));
    token_remove(&t); /* there is nothing to remove */
}

static void tokens_are_beside_their_socket(void **state)
{
    char beside[64];

    (void)state;
    assert_int_equal(token_path_for("/a/clashd.sock", beside, sizeof beside), 0);
    assert_string_equal(beside, "/a/clashd.token");
    assert_int_equal(token_path_for("/a/own", beside, sizeof beside), 0);
    assert_string_equal(beside, "/a/own.token");
    assert_int_equal(token_path_for(".sock", beside, sizeof beside), 0);
    assert_string_equal(beside, ".sock.token");
    assert_int_equal(token_path_for("/a/clashd.sock", beside, strlen("/a/clashd.token")), -1);
}

static void tokens_match_themselves_only(void **state)
{
    char other[TOKEN_LENGTH + 1];
    token t = {0}, second = {0};

    (void)state;
    assert_int_equal(token_create(&t, path, fresh(&error)), 0);
    assert_true(token_matches(&t, t.text, TOKEN_LENGTH));
    for (size_t i = 0; i < TOKEN_LENGTH; i++) {
        memcpy(other, t.text, sizeof other);
        other[i] = (char)(other[i] ^ 1);
        assert_false(token_matches(&t, other, TOKEN_LENGTH));
        assert_false(token_matches(&t, t.text, i));
    }
    assert_int_equal(token_create(&second, path, fresh(&error)), 0);
    assert_string_not_equal(t.text, second.text);
    token_remove(&t); /* its file is there no more: the second one's stays */
    assert_int_equal(access(path, F_OK), 0);
    token_remove(&second);
    assert_int_equal(access(path, F_OK), -1);
}

static void it_is_64_digits_and_private_whatever_the_umask(void **state)
{
    static const mode_t masks[] = {0, 077, 0777};
    mode_t before = umask(0);
    token t = {0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        umask(masks[i]);
        assert_int_equal(token_create(&t, path, fresh(&error)), 0);
        assert_int_equal(strspn(t.text, "0123456789abcdef"), TOKEN_LENGTH);
        assert_int_equal(strlen(t.text), TOKEN_LENGTH);
        assert_file_of(&t);
        token_remove(&t);
    }
    umask(before);
}

static void links_are_replaced_not_followed(void **state)
{
    char precious[128];
    token t = {0};

    (void)state;
    snprintf(precious, sizeof precious, "%s/precious", root);
    write_text(precious, "mine\n");
    assert_int_equal(symlink(precious, path), 0);
    assert_int_equal(symlink(precious, fresh_path), 0);
    assert_int_equal(token_create(&t, path, fresh(&error)), 0);
    assert_file_of(&t);
    assert_text(precious, "mine\n");
    token_remove(&t);
    assert_int_equal(unlink(precious), 0);
}

static void what_a_killed_clashd_left_is_replaced(void **state)
{
    token t = {0};

    (void)state;
    write_text(path, "an older token\n");
    write_text(fresh_path, "half of o");
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(chmod(fresh_path, 0), 0);
    assert_int_equal(token_create(&t, path, fresh(&error)), 0);
    assert_file_of(&t);
    token_remove(&t);
}

static void a_directory_in_the_way_is_said_and_left(void **state)
{
    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(path, EISDIR);
    assert_int_equal(access(fresh_path, F_OK), -1); /* what was begun does not stay */
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkdir(fresh_path, 0700), 0);
    assert_refused(path, EISDIR);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(fresh_path), 0);
}

static void a_path_without_a_place_is_said(void **state)
{
    char lengthy[PATH_MAX + 1], nowhere[160];

    (void)state;
    snprintf(nowhere, sizeof nowhere, "%s/none/x.token", root);
    assert_refused(nowhere, ENOENT);
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[0] = '/';
    lengthy[PATH_MAX] = '\0';
    assert_refused(lengthy, ENAMETOOLONG);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_disk_without_room_leaves_the_older_token(void **state)
{
    struct rlimit before;

    (void)state;
    write_text(path, "an older token\n");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit_files(0);
    errno = 0;
    assert_refused(path, EFBIG);
    limit_files(TOKEN_LENGTH / 2); /* a part goes: that is want of room too */
    errno = 0;
    assert_refused(path, ENOSPC);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_text(path, "an older token\n");
    assert_int_equal(access(fresh_path, F_OK), -1);
    assert_int_equal(unlink(path), 0);
}

static void only_its_own_file_goes_and_once(void **state)
{
    token t = {0};

    (void)state;
    token_remove(&t); /* there never was one */
    assert_int_equal(token_create(&t, path, fresh(&error)), 0);
    assert_int_equal(unlink(path), 0);
    token_remove(&t);
    assert_int_equal(token_create(&t, path, fresh(&error)), 0);
    token_remove(&t);
    write_text(path, "somebody else's\n"); /* perhaps with the same inode */
    token_remove(&t);
    assert_text(path, "somebody else's\n");
    assert_int_equal(unlink(path), 0);
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_beside_their_socket),
        WITH_ROOT(tokens_match_themselves_only),
        WITH_ROOT(it_is_64_digits_and_private_whatever_the_umask),
        WITH_ROOT(links_are_replaced_not_followed),
        WITH_ROOT(what_a_killed_clashd_left_is_replaced),
        WITH_ROOT(a_directory_in_the_way_is_said_and_left),
        WITH_ROOT(a_path_without_a_place_is_said),
        WITH_ROOT(a_disk_without_room_leaves_the_older_token),
        WITH_ROOT(only_its_own_file_goes_and_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
