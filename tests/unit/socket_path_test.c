/* Where a socket may be: modes, directories, and what stands in the way. */
#include "support/listening.h"

static void the_socket_is_private_whatever_the_umask(void **state)
{
    fixture *f = *state;
    const mode_t masks[] = {0, 022, 077};
    mode_t before = umask(0);

    for (size_t i = 0; i < 3; i++) {
        umask(masks[i]);
        listener *l = open_ok(f);
        assert_int_equal(umask(masks[i]), masks[i]);
        assert_int_equal(mode_of(f->path), 0600);
        line_client c;
        line_client_connect(&c, f->path);
        WAIT_UNTIL(&f->loop, f->fd_count == i + 1);
        line_client_finish(&c);
        listener_close(l);
        assert_false(is_there(f->path));
        uv_run(&f->loop, UV_RUN_DEFAULT);
    }
    umask(before);
    assert_int_equal(rmdir(f->root), 0); /* nothing is left behind, not even the lock */
    assert_int_equal(mkdir(f->root, 0700), 0);
}

static void the_default_directory_is_made_and_private(void **state)
{
    fixture *f = *state;
    char path[512], directory[256], parent[128];
    mode_t before = umask(0);
    listener *l;

    snprintf(parent, sizeof parent, "%s/a", f->root);
    snprintf(directory, sizeof directory, "%s/b", parent);
    snprintf(path, sizeof path, "%s/clashd.sock", directory);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_OK);
    assert_int_equal(mode_of(parent), 0700);
    assert_int_equal(mode_of(directory), 0700);
    listener_close(l);
    assert_int_equal(chmod(directory, 0777), 0); /* one that others could enter is closed to them */
    assert_int_equal(open_at(f, path, true, &l), LISTENER_OK);
    assert_int_equal(mode_of(directory), 0700);
    listener_close(l);
    umask(before);
}

static void a_default_directory_of_another_user_is_refused(void **state)
{
    fixture *f = *state;
    char path[512], directory[256];
    listener *l;

    if (geteuid() != 0)
        skip();
    snprintf(directory, sizeof directory, "%s/d", f->root);
    snprintf(path, sizeof path, "%s/clashd.sock", directory);
    assert_int_equal(mkdir(directory, 0700), 0);
    assert_int_equal(chown(directory, 12345, 12345), 0);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "belongs to user 12345, expected user 0"));
    assert_non_null(strstr(f->error.text, directory));
}

/* The fallback below /tmp: who made it first may have made it for himself. */
static void a_fallback_that_somebody_else_made_is_refused(void **state)
{
    fixture *f = *state;
    char parent[128], path[256], elsewhere[128];
    listener *l;

    snprintf(parent, sizeof parent, "%s/clashd-77", f->root);
    snprintf(path, sizeof path, "%s/clashd/clashd.sock", parent);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", f->root);
    assert_int_equal(chmod(f->root, 01777), 0);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_OK); /* where nobody did */
    assert_int_equal(mode_of(parent), 0700);
    listener_close(l);
    assert_int_equal(chmod(parent, 0755), 0);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "with mode 755; expected a directory"));
    assert_int_equal(rename(parent, elsewhere), 0);
    assert_int_equal(chmod(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, parent), 0);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "is a link"));
    assert_int_equal(unlink(parent), 0);
    if (geteuid() == 0) {
        assert_int_equal(mkdir(parent, 0700), 0);
        assert_int_equal(chown(parent, 12345, 12345), 0);
        assert_int_equal(open_at(f, path, true, &l), LISTENER_BAD);
        assert_non_null(strstr(f->error.text, "of user 12345 with mode 700; expected a directory of user 0"));
    }
    assert_int_equal(chmod(f->root, 0700), 0);
}

static void a_default_directory_that_can_be_replaced_is_refused(void **state)
{
    fixture *f = *state;
    char parent[128], directory[160], path[256], elsewhere[128];
    listener *l;

    snprintf(parent, sizeof parent, "%s/run", f->root);
    snprintf(directory, sizeof directory, "%s/clashd", parent);
    snprintf(path, sizeof path, "%s/clashd.sock", directory);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", f->root);
    assert_int_equal(mkdir(parent, 0700), 0);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(chmod(parent, 0777), 0);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "any user may replace files"));
    assert_int_equal(chmod(parent, 0755), 0);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_OK);
    listener_close(l);
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(symlink(elsewhere, directory), 0);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "is no directory"));
}

static void a_chosen_directory_may_be_shared_but_not_open_to_all(void **state)
{
    fixture *f = *state;
    char path[512], directory[256];
    listener *l;

    snprintf(directory, sizeof directory, "%s/shared", f->root);
    snprintf(path, sizeof path, "%s/s.sock", directory);
    assert_int_equal(open_at(f, path, false, &l), LISTENER_ERROR); /* and is not made */
    assert_non_null(strstr(f->error.text, "No such file or directory"));
    assert_int_equal(mkdir(directory, 0700), 0);
    assert_int_equal(chmod(directory, 0777), 0);
    assert_int_equal(open_at(f, path, false, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "any user may replace files"));
    assert_int_equal(chmod(directory, 01777), 0);
    assert_int_equal(open_at(f, path, false, &l), LISTENER_OK);
    listener_close(l);
    assert_int_equal(chmod(directory, 0775), 0);
    assert_int_equal(open_at(f, path, false, &l), LISTENER_OK);
    assert_int_equal(mode_of(directory), 0775); /* whose it is not to change */
    listener_close(l);
}

static void a_dead_socket_is_replaced(void **state)
{
    fixture *f = *state;
    line_client c;

    close(bind_elsewhere(f->path, true));
    assert_true(is_there(f->path));
    listener *l = open_ok(f);
    line_client_connect(&c, f->path);
    WAIT_UNTIL(&f->loop, f->fd_count == 1);
    line_client_finish(&c);
    listener_close(l);
}

static void a_live_one_is_left_alone(void **state)
{
    fixture *f = *state;
    char expected[256];
    line_client c;
    listener *second;

    snprintf(expected, sizeof expected, "another clashd is listening on %s", f->path);
    listener *l = open_ok(f);
    assert_int_equal(open_at(f, f->path, false, &second), LISTENER_BUSY);
    assert_string_equal(f->error.text, expected);
    line_client_connect(&c, f->path);
    WAIT_UNTIL(&f->loop, f->fd_count == 1);
    line_client_finish(&c);
    listener_close(l);
    /* one that holds no lock of ours */
    int fd = bind_elsewhere(f->path, true);
    assert_int_equal(open_at(f, f->path, false, &second), LISTENER_BUSY);
    assert_string_equal(f->error.text, expected);
    line_client_connect(&c, f->path);
    line_client_finish(&c);
    close(fd);
}

static void what_is_no_socket_is_never_removed(void **state)
{
    fixture *f = *state;
    char target[128];
    listener *l;

    snprintf(target, sizeof target, "%s/target", f->root);
    close(bind_elsewhere(target, true));
    for (int kind = 0; kind < 4; kind++) {
        FILE *file;
        if (kind == 0) {
            assert_non_null(file = fopen(f->path, "w"));
            fputs("precious", file);
            fclose(file);
        } else if (kind == 1) {
            assert_int_equal(mkdir(f->path, 0700), 0);
        } else if (kind == 2) {
            assert_int_equal(mkfifo(f->path, 0600), 0);
        } else {
            assert_int_equal(symlink(target, f->path), 0); /* not even one that leads to a socket */
        }
        assert_int_equal(open_at(f, f->path, false, &l), LISTENER_BAD);
        assert_non_null(strstr(f->error.text, "is no socket"));
        assert_non_null(strstr(f->error.text, f->path));
        assert_true(is_there(f->path));
        assert_int_equal(remove(f->path), 0);
    }
    assert_true(is_there(target));
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    fixture *f = *state;
    char path[300];
    listener *l;
    int length = snprintf(path, sizeof path, "%s/", f->root);

    memset(path + length, 'x', 108 - (size_t)length);
    path[108] = '\0';
    assert_int_equal(open_at(f, path, false, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "108 bytes long, a socket's may have 107"));
    path[107] = '\0';
    assert_int_equal(open_at(f, path, false, &l), LISTENER_OK);
    listener_close(l);
    assert_int_equal(open_at(f, "", false, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "empty"));
}

static void the_default_path_follows_the_environment(void **state)
{
    char path[256], expected[256], small[10];

    (void)state;
    setenv("XDG_RUNTIME_DIR", "/run/somewhere", 1);
    assert_int_equal(socket_path_default(path, sizeof path), 0);
    assert_string_equal(path, "/run/somewhere/clashd/clashd.sock");
    assert_int_equal(socket_path_default(small, sizeof small), -1);
    setenv("XDG_RUNTIME_DIR", "not/absolute", 1);
    assert_int_equal(socket_path_default(path, sizeof path), 0);
    snprintf(expected, sizeof expected, "%lu/clashd/clashd.sock", (unsigned long)geteuid());
    assert_non_null(strstr(path, expected));
    assert_int_equal(path[0], '/');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIRECTORY(the_socket_is_private_whatever_the_umask),
        WITH_DIRECTORY(the_default_directory_is_made_and_private),
        WITH_DIRECTORY(a_default_directory_of_another_user_is_refused),
        WITH_DIRECTORY(a_chosen_directory_may_be_shared_but_not_open_to_all),
        WITH_DIRECTORY(a_fallback_that_somebody_else_made_is_refused),
        WITH_DIRECTORY(a_default_directory_that_can_be_replaced_is_refused),
        WITH_DIRECTORY(a_dead_socket_is_replaced),
        WITH_DIRECTORY(a_live_one_is_left_alone),
        WITH_DIRECTORY(what_is_no_socket_is_never_removed),
        WITH_DIRECTORY(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(the_default_path_follows_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
