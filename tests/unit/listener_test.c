/* Listening through trouble: many daemons at once, killed ones, want of descriptors, other users. */
#include "support/fresh.h"
#include "support/listening.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

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
        int won = 0, busy = 0, gate[2] = {-1, -1}, verdicts[2] = {-1, -1}, end[2] = {-1, -1};
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
                failure error = {0};
                close(gate[1]);
                close(end[1]);
                (void)!read(gate[0], &go, 1); /* all wake when the gate is closed */
                answer = (char)('0' + socket_path_take(f->path, false, &hold, fresh(&error)));
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

/* Takes and gives back, over and over; how often it was not alone is in `shared[1]`. */
static void churn(const char *path, atomic_int *shared)
{
    for (int got = 0; got < 200;) {
        socket_path_hold hold;
        failure error = {0};
        if (socket_path_take(path, false, &hold, fresh(&error)) != SOCKET_PATH_OK)
            continue;
        got++;
        if (atomic_fetch_add(&shared[0], 1) != 0)
            atomic_fetch_add(&shared[1], 1);
        sched_yield();
        atomic_fetch_sub(&shared[0], 1);
        socket_path_release(path, &hold);
    }
}

/* Each end removes the lock file under those that are about to lock it. */
static void starts_and_ends_that_cross_never_make_two(void **state)
{
    fixture *f = *state;
    atomic_int *shared = mmap(NULL, sizeof(atomic_int[2]), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;

    assert_ptr_not_equal(shared, MAP_FAILED);
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            churn(f->path, shared);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&shared[1]), 0);
    assert_int_equal(rmdir(f->root), 0); /* and nothing is left */
    assert_int_equal(mkdir(f->root, 0700), 0);
    munmap(shared, sizeof(atomic_int[2]));
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
        failure error = {0};
        byte = (char)socket_path_take(f->path, false, &hold, fresh(&error));
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
        memcpy(address.sun_path, f->path, strlen(f->path) + 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIRECTORY(only_its_own_socket_is_removed_at_the_end),
        WITH_DIRECTORY(of_many_that_start_at_once_one_wins),
        WITH_DIRECTORY(starts_and_ends_that_cross_never_make_two),
        WITH_DIRECTORY(one_that_was_killed_is_replaced),
        WITH_DIRECTORY(want_of_descriptors_is_waited_out),
        WITH_DIRECTORY(other_users_are_refused),
        WITH_DIRECTORY(sigpipe_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
