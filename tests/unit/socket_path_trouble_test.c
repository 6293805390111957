/* What stands in the way of a socket's path, and what is done with it: said by name, and left as it was. */
#include "support/listening.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* `run` ends it: with 0 where all is well. */
static void in_a_child(fixture *f, void (*run)(fixture *))
{
    int status;
    pid_t child;

    fflush(NULL); /* else the child says it again */
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run(f);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Says by its exit whether the default is in a directory of that user's own. */
static void look_at_the_default(fixture *f)
{
    char path[256];

    (void)f;
    if (unsetenv("XDG_RUNTIME_DIR") != 0 || seteuid(54321) != 0 || socket_path_default(path, sizeof path) != 0)
        exit(2);
    if (seteuid(0) != 0)
        exit(3);
    exit(strcmp(path, "/tmp/clashd-54321/clashd/clashd.sock") == 0 ? 0 : 1);
}

static void without_a_session_the_default_is_in_tmp(void **state)
{
    if (geteuid() != 0)
        skip();
    in_a_child(*state, look_at_the_default);
}

static void listen_by_a_relative_path(fixture *f)
{
    listener *l;

    if (chdir(f->root) != 0 || open_at(f, "here.sock", false, &l) != LISTENER_OK)
        exit(1);
    if (!is_there("here.sock") || mode_of("here.sock") != 0600)
        exit(2);
    listener_close(l);
    exit(is_there("here.sock") || is_there("here.sock.lock") ? 3 : 0);
}

static void a_relative_path_is_in_the_working_directory(void **state)
{
    in_a_child(*state, listen_by_a_relative_path);
}

static void a_directory_that_is_none_is_said(void **state)
{
    fixture *f = *state;
    char file[128], path[256];
    listener *l;

    snprintf(file, sizeof file, "%s/file", f->root);
    close(open(file, O_WRONLY | O_CREAT, 0600));
    snprintf(path, sizeof path, "%s/s.sock", file);
    assert_int_equal(open_at(f, path, false, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "is no directory"));
    assert_non_null(strstr(f->error.text, file));
    snprintf(path, sizeof path, "%s/below/and/below/s.sock", file);
    assert_int_equal(open_at(f, path, true, &l), LISTENER_ERROR);
    assert_non_null(strstr(f->error.text, "cannot make directory"));
    assert_non_null(strstr(f->error.text, path));
    assert_int_equal(mode_of(file), 0600); /* untouched */
}

static void a_lock_that_is_no_file_is_left_alone(void **state)
{
    fixture *f = *state;
    char lock[160], target[128];
    listener *l;

    snprintf(lock, sizeof lock, "%s.lock", f->path);
    snprintf(target, sizeof target, "%s/target", f->root);
    assert_int_equal(mkfifo(lock, 0600), 0);
    assert_int_equal(open_at(f, f->path, false, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error.text, "is no regular file"));
    assert_non_null(strstr(f->error.text, lock));
    assert_int_equal(remove(lock), 0);
    assert_int_equal(symlink(target, lock), 0); /* not followed: it may lead anywhere */
    assert_int_equal(open_at(f, f->path, false, &l), LISTENER_ERROR);
    assert_non_null(strstr(f->error.text, "cannot open lock file"));
    assert_non_null(strstr(f->error.text, lock));
    assert_false(is_there(target));
    assert_int_equal(remove(lock), 0);
    assert_int_equal(mkdir(lock, 0700), 0);
    assert_int_equal(open_at(f, f->path, false, &l), LISTENER_ERROR);
    assert_int_equal(remove(lock), 0);
    listener_close(open_ok(f));
}

static void a_socket_of_another_kind_is_left_alone(void **state)
{
    fixture *f = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    listener *l;

    memcpy(address.sun_path, f->path, strlen(f->path) + 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(open_at(f, f->path, false, &l), LISTENER_ERROR);
    assert_non_null(strstr(f->error.text, "cannot tell whether anybody listens on"));
    assert_true(is_there(f->path));
    close(fd);
}

/* However few descriptors there are: said, and nothing is left behind. */
static void want_of_descriptors_is_said(void **state)
{
    fixture *f = *state;
    struct rlimit before, limit;
    listener *l = NULL;
    unsigned refused = 0;
    int next = dup(0);

    assert_true(next > 0);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    close(bind_elsewhere(f->path, true)); /* a dead one, so that there is most to do */
    for (limit = before, limit.rlim_cur = (rlim_t)next;; limit.rlim_cur++) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        listener_result result = open_at(f, f->path, false, &l);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        if (result == LISTENER_OK)
            break;
        assert_int_equal(result, LISTENER_ERROR);
        assert_non_null(strstr(f->error.text, f->path));
        assert_non_null(strstr(f->error.text, strerror(EMFILE)));
        refused++;
    }
    assert_true(refused >= 2); /* one for the lock, one for the socket, more where numbers are taken between */
    listener_close(l);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(rmdir(f->root), 0);
    assert_int_equal(mkdir(f->root, 0700), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIRECTORY(without_a_session_the_default_is_in_tmp),
        WITH_DIRECTORY(a_relative_path_is_in_the_working_directory),
        WITH_DIRECTORY(a_directory_that_is_none_is_said),
        WITH_DIRECTORY(a_lock_that_is_no_file_is_left_alone),
        WITH_DIRECTORY(a_socket_of_another_kind_is_left_alone),
        WITH_DIRECTORY(want_of_descriptors_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
