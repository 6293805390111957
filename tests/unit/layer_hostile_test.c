/* What no game should do, or only a strange one: a thousand instances, frames that were never waited for, times that are none, a
 * fork in the midst of a call, a session that goes while its frames are sent, calls of one session from four threads. */
#include "support/layer_guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** How many entries a directory of /proc/self has: descriptors, threads. */
static int count_entries(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;

    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void end(playing *p)
{
    assert_int_equal(FIND(p->instance, xrDestroyInstance)(p->instance), XR_SUCCESS);
    created = 0;
}

/** An instance with a session that plays so many frames; `frames` odd: it goes with its instance. */
static void come_and_go(int frames)
{
    playing p = begin(make_instance());

    for (int frame = 0; frame < frames; frame++)
        play_frame(&p, 0);
    if (frames % 2 == 0)
        assert_int_equal(FIND(p.instance, xrDestroySession)(p.session), XR_SUCCESS);
    end(&p);
}

static void a_thousand_instances_leave_nothing(void **state)
{
    int descriptors, threads;

    (void)state;
    come_and_go(1); /* a sanitizer has a thread of its own from the first one on */
    descriptors = count_entries("/proc/self/fd");
    threads = count_entries("/proc/self/task");
    for (int i = 0; i < 1000; i++)
        come_and_go(i % 4);
    assert_int_equal(count_entries("/proc/self/fd"), descriptors);
    for (int tries = 0; count_entries("/proc/self/task") > threads; tries++) {
        assert_true(tries < WAIT_MS); /* the last one is joined before it is gone from there */
        poll(NULL, 0, 1);
    }
}

static void end_frame(playing *p, XrTime time)
{
    const XrFrameEndInfo info = {.type = XR_TYPE_FRAME_END_INFO, .displayTime = time};

    assert_int_equal(FIND(p->instance, xrEndFrame)(p->session, &info), XR_SUCCESS);
}

/** As if the runtime predicted that. */
static void wait_for(playing *p, XrTime time)
{
    p->frame.predictedDisplayTime = time - PERIOD;
    assert_int_equal(FIND(p->instance, xrWaitFrame)(p->session, NULL, &p->frame), XR_SUCCESS);
}

static void frames_at_times_that_are_none(void **state)
{
    static const XrTime none[] = {0, -1, INT64_MIN, INT64_MAX};
    playing p = begin(make_instance());

    (void)state;
    located = 0;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        end_frame(&p, none[i]); /* none was waited for */
    end_frame(&p, now());
    wait_for(&p, 0);
    end_frame(&p, 0);
    wait_for(&p, -1);
    end_frame(&p, INT64_MAX);
    assert_int_equal(located, 0);
    p.frame.predictedDisplayTime = now();
    play_frame(&p, 0);
    assert_int_equal(located, 3);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        end_frame(&p, none[i]);
    assert_int_equal(located, 3);
    end(&p);
}

/* A runtime that for once predicts nonsense: the frames after that one come as before. */
static void a_time_far_ahead_silences_no_later_one(void **state)
{
    playing p = begin(make_instance());

    (void)state;
    p.frame.predictedDisplayTime = now();
    play_frame(&p, 0);
    wait_for(&p, INT64_MAX / 2);
    end_frame(&p, INT64_MAX / 2);
    located = 0;
    for (int frame = 1; frame <= 3; frame++) {
        p.frame.predictedDisplayTime = now();
        play_frame(&p, 0);
        assert_int_equal(located, 2 * frame);
    }
    end(&p);
}

static sem_t is_locating, may_return;

static void wait_while_locating(void)
{
    sem_post(&is_locating);
    sem_wait(&may_return);
}

static void *play_one(void *context)
{
    play_frame(context, 0);
    return NULL;
}

/* Some thread of the game is in the runtime, by way of the layer, if the game forks; the child ends by its usual way, as exit does it. */
static void a_fork_in_the_midst_of_a_call(void **state)
{
    playing p = begin(make_instance()), other = begin(make_instance());
    pthread_t thread;
    int status = -1;
    pid_t child;

    (void)state;
    sem_init(&is_locating, 0, 0);
    sem_init(&may_return, 0, 0);
    while_locating = wait_while_locating;
    assert_int_equal(pthread_create(&thread, NULL, play_one, &p), 0);
    sem_wait(&is_locating);
    while_locating = NULL;
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        play_frame(&other, 0);
        FIND(other.instance, xrDestroySession)(other.session);
        FIND(other.instance, xrDestroyInstance)(other.instance);
        FIND(p.instance, xrDestroyInstance)(p.instance);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    sem_post(&may_return);
    assert_int_equal(pthread_join(thread, NULL), 0);
    end(&other);
    end(&p);
    sem_destroy(&may_return);
    sem_destroy(&is_locating);
}

/* The game goes at once, whether or not clashd has read what it was sent; and what clashd then reads are whole lines, but for the last. */
static void a_session_that_goes_while_its_frames_are_sent(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        guest g = expect_guest();
        playing p = begin_fed(&g);

        for (int frame = 0; frame < i * 20; frame++)
            play(&p);
        if (i % 2)
            assert_int_equal(FIND(p.instance, xrDestroySession)(p.session), XR_SUCCESS);
        assert_int_equal(FIND(p.instance, xrDestroyInstance)(p.instance), XR_SUCCESS);
        while (take_line(&g))
            assert_non_null(strstr(g.bytes, "{\"type\":\"poses\""));
        end_guest(&g);
        created = 0;
    }
}

typedef struct caller {
    playing *p;
    atomic_bool *is_over;
} caller;

static void *sync_on_and_on(void *context)
{
    const caller *c = context;
    const XrActionsSyncInfo sync = {.type = XR_TYPE_ACTIONS_SYNC_INFO};

    while (!atomic_load(c->is_over))
        FIND(c->p->instance, xrSyncActions)(c->p->session, &sync);
    return NULL;
}

static void *look_on_and_on(void *context)
{
    const caller *c = context;
    const XrViewLocateInfo views = {.type = XR_TYPE_VIEW_LOCATE_INFO, .displayTime = now(), .space = c->p->drawn.space};

    while (!atomic_load(c->is_over)) {
        XrEventDataBuffer event = {.type = XR_TYPE_EVENT_DATA_BUFFER};

        FIND(c->p->instance, xrLocateViews)(c->p->session, &views, NULL, 0, NULL, NULL);
        FIND(c->p->instance, xrPollEvent)(c->p->instance, &event);
    }
    return NULL;
}

/** The space that the game draws in goes and comes again. */
static void *move_on_and_on(void *context)
{
    const caller *c = context;
    const XrReferenceSpaceCreateInfo info = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                             .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_LOCAL,
                                             .poseInReferenceSpace = {.orientation = {.w = 1}}};

    while (!atomic_load(c->is_over)) {
        XrSpace space = c->p->drawn.space;

        FIND(c->p->instance, xrDestroySpace)(space);
        FIND(c->p->instance, xrCreateReferenceSpace)(c->p->session, &info, &space);
    }
    return NULL;
}

static void calls_of_one_session_from_four_threads(void **state)
{
    void *(*const calls[])(void *) = {sync_on_and_on, look_on_and_on, move_on_and_on};
    pthread_t threads[sizeof calls / sizeof calls[0]];
    atomic_bool is_over = false;
    guest g = expect_guest();
    playing p = begin_fed(&g);
    caller c = {&p, &is_over};

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, calls[i], &c), 0);
    for (int frame = 0; frame < 1000; frame++) {
        play(&p);
        while (take_line(&g))
            continue;
    }
    atomic_store(&is_over, true);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    end_fed(&p, &g);
}

/* How many threads of the layer's there are. */
static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    assert_non_null(tasks);
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], name[32] = "";
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file))
            count += strcmp(name, "clashd-layer\n") == 0;
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return count;
}

/* As a program does that makes a daemon of itself. The layer then has nothing to wait on: it goes, and does not spin. */
static void a_game_that_closes_what_it_did_not_open(void **state)
{
    const int spare[] = {open("/dev/null", O_RDONLY),
                         open("/dev/null", O_RDONLY)}; /* what is opened below gets these numbers, */
    playing p = begin(make_instance());

    (void)state;
    for (int frame = 0; frame < 3; frame++)
        play_frame(&p, 0);
    for (int fd = 3; fd < 256; fd++) {
        char path[64], target[64] = "";

        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, target, sizeof target - 1) > 0 && strcmp(target, "anon_inode:[eventfd]") == 0)
            syscall(SYS_close, fd); /* and not this one, which the thread has: a race on purpose */
    }
    close(spare[0]);
    close(spare[1]);
    for (int tries = 0; count_threads() > 0; tries++) {
        assert_true(tries < WAIT_MS);
        play_frame(&p, 0);
        poll(NULL, 0, 1);
    }
    for (int frame = 0; frame < 1000; frame++)
        play_frame(&p, 0);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_instances_leave_nothing),
        cmocka_unit_test(frames_at_times_that_are_none),
        cmocka_unit_test(a_time_far_ahead_silences_no_later_one),
        cmocka_unit_test(a_game_that_closes_what_it_did_not_open),
        cmocka_unit_test(a_fork_in_the_midst_of_a_call),
        cmocka_unit_test(a_session_that_goes_while_its_frames_are_sent),
        cmocka_unit_test(calls_of_one_session_from_four_threads),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}
