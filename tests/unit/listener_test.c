/* Listening sockets on a real file system: modes, what is in the way, two at once, and want of descriptors. */
#include "support/line_client.h"

#include "ipc/listener.h"
#include "ipc/socket_path.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CLIENTS_MAX 16

typedef struct fixture {
    char root[64]; /* a directory of its own, 0700 */
    char path[128];
    uv_loop_t loop;
    kept_log log;
    int fds[CLIENTS_MAX]; /* accepted */
    size_t fd_count;
    char error[512];
} fixture;

static void on_connection(void *context, int fd)
{
    fixture *f = context;

    assert_true(f->fd_count < CLIENTS_MAX);
    f->fds[f->fd_count++] = fd;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    snprintf(f->root, sizeof f->root, "/tmp/clashd-test-XXXXXX");
    assert_non_null(mkdtemp(f->root));
    snprintf(f->path, sizeof f->path, "%s/s.sock", f->root);
    assert_int_equal(uv_loop_init(&f->loop), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    char command[128];

    for (size_t i = 0; i < f->fd_count; i++)
        close(f->fds[i]);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", f->root);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static listener_result open_at(fixture *f, const char *path, bool make_directory, listener **out)
{
    const listener_settings settings = {.loop = &f->loop,
                                        .path = path,
                                        .make_directory = make_directory,
                                        .log = {.context = &f->log, .write = kept_log_write},
                                        .context = f,
                                        .connection = on_connection};

    *out = NULL;
    f->error[0] = '\0';
    return listener_open(&settings, out, f->error, sizeof f->error);
}

static listener *open_ok(fixture *f)
{
    listener *l;
    listener_result result = open_at(f, f->path, false, &l);

    if (result != LISTENER_OK)
        fail_msg("%s", f->error);
    return l;
}

static unsigned mode_of(const char *path)
{
    struct stat status;

    assert_int_equal(lstat(path, &status), 0);
    return (unsigned)(status.st_mode & 07777);
}

static bool is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

static int bind_elsewhere(const char *path, bool listening)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(address.sun_path, path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    if (listening)
        assert_int_equal(listen(fd, 8), 0);
    return fd;
}

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
    assert_non_null(strstr(f->error, "belongs to user 12345, expected user 0"));
    assert_non_null(strstr(f->error, directory));
}

static void a_chosen_directory_may_be_shared_but_not_open_to_all(void **state)
{
    fixture *f = *state;
    char path[512], directory[256];
    listener *l;

    snprintf(directory, sizeof directory, "%s/shared", f->root);
    snprintf(path, sizeof path, "%s/s.sock", directory);
    assert_int_equal(open_at(f, path, false, &l), LISTENER_ERROR); /* and is not made */
    assert_non_null(strstr(f->error, "No such file or directory"));
    assert_int_equal(mkdir(directory, 0700), 0);
    assert_int_equal(chmod(directory, 0777), 0);
    assert_int_equal(open_at(f, path, false, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error, "any user may replace files"));
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
    assert_string_equal(f->error, expected);
    line_client_connect(&c, f->path);
    WAIT_UNTIL(&f->loop, f->fd_count == 1);
    line_client_finish(&c);
    listener_close(l);
    /* one that holds no lock of ours */
    int fd = bind_elsewhere(f->path, true);
    assert_int_equal(open_at(f, f->path, false, &second), LISTENER_BUSY);
    assert_string_equal(f->error, expected);
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
        assert_non_null(strstr(f->error, "is no socket"));
        assert_non_null(strstr(f->error, f->path));
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
    assert_non_null(strstr(f->error, "108 bytes long, a socket's may have 107"));
    path[107] = '\0';
    assert_int_equal(open_at(f, path, false, &l), LISTENER_OK);
    listener_close(l);
    assert_int_equal(open_at(f, "", false, &l), LISTENER_BAD);
    assert_non_null(strstr(f->error, "empty"));
}

static void only_its_own_socket_is_removed_at_the_end(void **state)
{
    fixture *f = *state;
    listener *l = open_ok(f);

    assert_int_equal(unlink(f->path), 0);
    int fd = bind_elsewhere(f->path, true);
    listener_close(l);
    assert_true(is_there(f->path));
    close(fd);
}

/* Many at once, now over a dead socket, now over nothing: one gets it, the others are told, and it works. */
static void of_many_that_start_at_once_one_wins(void **state)
{
    enum { STARTERS = 8, ROUNDS = 25 };
    fixture *f = *state;

    for (int round = 0; round < ROUNDS; round++) {
        int won = 0, busy = 0, gate[2], verdicts[2], end[2];
        char answer, go = 0;
        line_client c;
        if (round % 2 == 0) {
            unlink(f->path);
            close(bind_elsewhere(f->path, true));
        }
        assert_true(pipe(gate) == 0 && pipe(verdicts) == 0 && pipe(end) == 0);
        for (int i = 0; i < STARTERS; i++) {
            if (fork() == 0) {
                socket_path_hold hold;
                char error[512];
                close(gate[1]);
                close(end[1]);
                (void)!read(gate[0], &go, 1); /* all wake when the gate is closed */
                answer = (char)('0' + socket_path_take(f->path, false, &hold, error, sizeof error));
                (void)!write(verdicts[1], &answer, 1);
                (void)!read(end[0], &go, 1); /* holds it until all have tried */
                if (round % 3 != 0)          /* else it dies without tidying */
                    socket_path_release(f->path, &hold);
                _exit(0);
            }
        }
        close(gate[1]);
        for (int i = 0; i < STARTERS; i++) {
            assert_int_equal(read(verdicts[0], &answer, 1), 1);
            won += answer == '0' + SOCKET_PATH_OK;
            busy += answer == '0' + SOCKET_PATH_BUSY;
        }
        assert_int_equal(won, 1);
        assert_int_equal(busy, STARTERS - 1);
        line_client_connect(&c, f->path);
        line_client_finish(&c);
        close(end[1]);
        for (int i = 0; i < STARTERS; i++)
            wait(NULL);
        close(gate[0]), close(end[0]), close(verdicts[0]), close(verdicts[1]);
    }
}

static void one_that_was_killed_is_replaced(void **state)
{
    fixture *f = *state;
    int ready[2];
    char byte = 0;
    listener *l;

    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        socket_path_hold hold;
        char error[512];
        byte = (char)socket_path_take(f->path, false, &hold, error, sizeof error);
        (void)!write(ready[1], &byte, 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, SOCKET_PATH_OK);
    assert_int_equal(open_at(f, f->path, false, &l), LISTENER_BUSY);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(is_there(f->path));
    listener_close(open_ok(f));
    close(ready[0]), close(ready[1]);
}

/* Clients wait in the backlog until there are descriptors again; none is lost, the loop does not spin, it is said once. */
static void want_of_descriptors_is_waited_out(void **state)
{
    enum { CLIENTS = 5 };
    fixture *f = *state;
    listener *l = open_ok(f);
    line_client clients[CLIENTS];
    struct rlimit before, low;
    uint64_t until;
    unsigned turns = 0;

    for (int i = 0; i < CLIENTS; i++)
        line_client_connect(&clients[i], f->path);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int lowest = dup(0); /* the next descriptor there would be */
    close(lowest);
    low = before;
    low.rlim_cur = (rlim_t)lowest + 2; /* room for two at most */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    until = uv_hrtime() + 450000000u;
    while (uv_hrtime() < until) {
        uv_run(&f->loop, UV_RUN_ONCE); /* waits for what comes: returns all the time if it spins */
        turns++;
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(f->fd_count < CLIENTS);
    assert_true(listener_get_counters(l)->accept_errors >= 1);
    assert_true(turns < 100);
    assert_int_equal(f->log.count, 1);
    assert_non_null(strstr(f->log.last, "Too many open files"));
    WAIT_UNTIL(&f->loop, f->fd_count == CLIENTS);
    assert_int_equal(listener_get_counters(l)->accepted, CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        line_client_finish(&clients[i]);
    listener_close(l);
}

/* The socket's mode keeps other users out; should somebody widen it, the listener does. */
static void other_users_are_refused(void **state)
{
    fixture *f = *state;

    if (geteuid() != 0)
        skip();
    listener *l = open_ok(f);
    assert_int_equal(chmod(f->root, 0755), 0);
    assert_int_equal(chmod(f->path, 0666), 0);
    pid_t child = fork();
    if (child == 0) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        char byte;
        strcpy(address.sun_path, f->path);
        if (setgid(12345) != 0 || setuid(12345) != 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
            _exit(2);
        _exit(read(fd, &byte, 1) == 0 ? 0 : 1);
    }
    WAIT_UNTIL(&f->loop, listener_get_counters(l)->refused_user == 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(f->fd_count, 0);
    assert_non_null(strstr(f->log.last, "user 12345"));
    listener_close(l);
}

static void sigpipe_is_ignored(void **state)
{
    fixture *f = *state;
    struct sigaction action;

    signal(SIGPIPE, SIG_DFL);
    listener_close(open_ok(f));
    assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
    assert_ptr_equal(action.sa_handler, SIG_IGN);
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
#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_DIRECTORY(the_socket_is_private_whatever_the_umask),
        WITH_DIRECTORY(the_default_directory_is_made_and_private),
        WITH_DIRECTORY(a_default_directory_of_another_user_is_refused),
        WITH_DIRECTORY(a_chosen_directory_may_be_shared_but_not_open_to_all),
        WITH_DIRECTORY(a_dead_socket_is_replaced),
        WITH_DIRECTORY(a_live_one_is_left_alone),
        WITH_DIRECTORY(what_is_no_socket_is_never_removed),
        WITH_DIRECTORY(a_path_that_is_too_long_is_refused),
        WITH_DIRECTORY(only_its_own_socket_is_removed_at_the_end),
        WITH_DIRECTORY(of_many_that_start_at_once_one_wins),
        WITH_DIRECTORY(one_that_was_killed_is_replaced),
        WITH_DIRECTORY(want_of_descriptors_is_waited_out),
        WITH_DIRECTORY(other_users_are_refused),
        WITH_DIRECTORY(sigpipe_is_ignored),
        cmocka_unit_test(the_default_path_follows_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
