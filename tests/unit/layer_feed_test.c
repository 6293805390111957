/* When a game's frames are at clashd: as soon as the layer has located them, whoever else has nothing to do, so that clashd's answer can
 * be there when the game has gone on; and what becomes of them when clashd does not read, and in a child of the game's. */
#include "support/layer_guest.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNREAD_FRAMES 6000

static long long time_of(const guest *g)
{
    const char *at = strstr(g->bytes, "\"time_ns\":");

    assert_non_null(strstr(g->bytes, "{\"type\":\"poses\""));
    assert_non_null(at);
    return strtoll(at + strlen("\"time_ns\":"), NULL, 10);
}

/** As a game does that draws after it: waits, syncs, and later ends the frame. Whether the frame came between these two. */
static bool play_and_look(playing *p, guest *g)
{
    const XrActionsSyncInfo sync = {.type = XR_TYPE_ACTIONS_SYNC_INFO};
    const XrCompositionLayerBaseHeader *layers[] = {(const XrCompositionLayerBaseHeader *)&p->drawn};
    struct pollfd waits = {.fd = g->fd, .events = POLLIN};
    XrFrameEndInfo end = {.type = XR_TYPE_FRAME_END_INFO, .layerCount = 1, .layers = layers};
    bool is_there;

    p->frame.predictedDisplayTime = now();
    assert_int_equal(FIND(p->instance, xrWaitFrame)(p->session, NULL, &p->frame), XR_SUCCESS);
    assert_false(take_line(g));
    assert_int_equal(FIND(p->instance, xrSyncActions)(p->session, &sync), XR_SUCCESS);
    is_there = poll(&waits, 1, WAIT_MS) == 1 && take_line(g);
    end.displayTime = p->frame.predictedDisplayTime;
    assert_int_equal(FIND(p->instance, xrEndFrame)(p->session, &end), XR_SUCCESS);
    return is_there;
}

/** What /proc says in a task's status file after that word; NULL: no such word. Valid until the next call. */
static const char *status_of(const char *task, const char *word)
{
    static char line[128];
    char path[300];
    const char *found = NULL;
    FILE *status;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    status = fopen(path, "r");
    while (status && !found && fgets(line, sizeof line, status))
        found = strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
    if (status)
        fclose(status);
    return found;
}

/** The layer's thread. */
static pid_t find_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    pid_t found = -1;

    assert_non_null(tasks);
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
        const char *name = status_of(task->d_name, "Name:\t");

        if (name && strcmp(name, "clashd-layer\n") == 0)
            found = (pid_t)strtol(task->d_name, NULL, 10);
    }
    closedir(tasks);
    assert_true(found > 0);
    return found;
}

/** How often that has stopped running to wait for something. */
static long waits_of_thread(void)
{
    char task[16];
    const char *waits;

    snprintf(task, sizeof task, "%d", (int)find_thread());
    waits = status_of(task, "voluntary_ctxt_switches:");
    assert_non_null(waits);
    return strtol(waits, NULL, 10);
}

/* A thread that looks every so often would have waited many times meanwhile, and would see a frame that much later. */
static void a_frame_is_sent_by_the_sync_that_located_it(void **state)
{
    guest g = expect_guest();
    playing p = begin_fed(&g);
    long waits = -1;

    (void)state;
    for (int frame = 0; frame < 300; frame++)
        assert_true(play_and_look(&p, &g));
    for (int tries = 0; waits != waits_of_thread(); tries++) {
        assert_true(tries < WAIT_MS / 200);
        waits = waits_of_thread();
        poll(NULL, 0, 200);
    }
    assert_true(play_and_look(&p, &g));
    end_fed(&p, &g);
}

static atomic_bool is_over;

static void *take_processor(void *context)
{
    while (!atomic_load(&is_over))
        continue;
    return context;
}

/** The layer's thread gets nothing but what is left of a processor of which nothing is. */
static pthread_t starve_thread(void)
{
    const struct sched_param none = {.sched_priority = 0};
    pthread_t hog;
    cpu_set_t allowed, one;
    size_t cpu = 0;

    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET(cpu, &allowed))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(pthread_create(&hog, NULL, take_processor, NULL), 0);
    assert_int_equal(pthread_setaffinity_np(hog, sizeof one, &one), 0);
    assert_int_equal(sched_setaffinity(find_thread(), sizeof one, &one), 0);
    assert_int_equal(sched_setscheduler(find_thread(), SCHED_IDLE, &none), 0);
    return hog;
}

/* If the thread comes too late again and again, the frame is there when the sync returns, and the thread is let sleep. */
static void a_frame_of_a_busy_machine_waits_for_no_thread(void **state)
{
    guest g = expect_guest();
    playing p = begin_fed(&g);
    pthread_t hog;

    (void)state;
    atomic_store(&is_over, false);
    hog = starve_thread();
    for (int in_a_row = 0, frames = 0; in_a_row < 20; frames++) {
        long waits = waits_of_thread();

        assert_true(frames < WAIT_MS);
        p.frame.predictedDisplayTime = now();
        play_frame(&p, 0);
        in_a_row = take_line(&g) && waits_of_thread() == waits ? in_a_row + 1 : 0;
        poll(NULL, 0, 1);
        while (take_line(&g))
            continue;
    }
    atomic_store(&is_over, true);
    pthread_join(hog, NULL);
    for (long waits = waits_of_thread(); waits_of_thread() == waits;) /* free again, it is asked again */
        assert_true(play_and_look(&p, &g));
    end_fed(&p, &g);
}

static atomic_bool is_slow;
static pthread_t games;
static int by_game; /* frames that its thread has sent */

/* The layer's, too. Clashd, which has the bytes, takes the processor of whoever sent them. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
__attribute__((visibility("default"))) ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    ssize_t sent = sendto(fd, bytes, count, flags, NULL, 0);

    if (atomic_load(&is_slow) && pthread_equal(pthread_self(), games))
        by_game++;
    else if (atomic_load(&is_slow))
        poll(NULL, 0, 2);
    return sent;
}

/* The thread was in time, so the game's own does not send in its place. */
static void a_send_that_comes_back_late_was_not_late(void **state)
{
    guest g = expect_guest();
    playing p = begin_fed(&g);

    (void)state;
    games = pthread_self();
    atomic_store(&is_slow, true);
    for (int in_a_row = 0, frames = 0; in_a_row < 25; frames++) { /* of a busy machine some are */
        int before = by_game;

        assert_true(frames < WAIT_MS / 6);
        assert_true(play_and_look(&p, &g));
        in_a_row = by_game == before ? in_a_row + 1 : 0;
        poll(NULL, 0, 6);
    }
    atomic_store(&is_slow, false);
    end_fed(&p, &g);
}

static atomic_long woken; /* how often the game's thread has woken the layer's */

/* The layer's, too. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
__attribute__((visibility("default"))) ssize_t write(int fd, const void *bytes, size_t count)
{
    woken += pthread_equal(pthread_self(), games) && count == sizeof(uint64_t);
    return syscall(SYS_write, fd, bytes, count);
}

/* The thread knows the rate of the game, and is awake when a frame comes: waking it would take the game's time. */
static void a_frame_that_was_foreseen_wakes_nobody(void **state)
{
    guest g = expect_guest();
    playing p = begin_fed(&g);

    (void)state;
    games = pthread_self();
    for (int in_a_row = 0, frames = 0; in_a_row < 15; frames++) { /* a busy machine is late with some */
        long before = woken;

        assert_true(frames < WAIT_MS / 10);
        assert_true(play_and_look(&p, &g));
        in_a_row = woken == before ? in_a_row + 1 : 0;
        poll(NULL, 0, 10);
    }
    end_fed(&p, &g);
}

/* Nobody reads until all buffers are full: the frames that fit come whole and in order, and once that is read the next are there at
 * once again. */
static void a_clashd_that_does_not_read(void **state)
{
    guest g = expect_guest();
    playing p = begin_fed(&g);
    struct pollfd waits = {.fd = g.fd, .events = POLLIN};
    int lines = 0;

    (void)state;
    for (int frame = 0; frame < UNREAD_FRAMES; frame++)
        play(&p);
    for (long long last = 0; poll(&waits, 1, 1000) == 1;)
        for (; take_line(&g); lines++) {
            assert_true(time_of(&g) > last);
            last = time_of(&g);
        }
    assert_in_range(lines, 100, UNREAD_FRAMES - 1);
    for (int frame = 0; frame < 50; frame++)
        assert_true(play_and_look(&p, &g));
    end_fed(&p, &g);
}

/* A child has the parent's connection, and is not to talk on it. */
static void a_child_says_nothing(void **state)
{
    guest g = expect_guest();
    playing p = begin_fed(&g);
    int status = -1;
    pid_t child = fork();

    (void)state;
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        for (int frame = 0; frame < 10; frame++)
            play(&p);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(take_line(&g));
    assert_true(play_and_look(&p, &g));
    end_fed(&p, &g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_sent_by_the_sync_that_located_it),
        cmocka_unit_test(a_frame_of_a_busy_machine_waits_for_no_thread),
        cmocka_unit_test(a_send_that_comes_back_late_was_not_late),
        cmocka_unit_test(a_frame_that_was_foreseen_wakes_nobody),
        cmocka_unit_test(a_clashd_that_does_not_read),
        cmocka_unit_test(a_child_says_nothing),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}
