/* How the API layer's sessions end: lost, with handles that come again, in a child of the game's, while it connects, and beside
 * others in other threads. */
#include "support/layer_chain.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the runtime leaves in the state it was asked to fill is no time: were it taken for one, nothing later would be sent. */
static void a_session_that_is_about_to_be_lost(void **state)
{
    playing p = begin(make_instance());

    (void)state;
    play_frame(&p, 0);
    located = 0;
    is_losing = true;
    p.frame.predictedDisplayTime = INT64_MAX / 2;
    play_frame(&p, 0);
    is_losing = false;
    assert_int_equal(located, 0);
    p.frame.predictedDisplayTime = 1 + 2 * PERIOD;
    play_frame(&p, 0);
    assert_int_equal(located, 2);
    assert_true(located_at == 1 + 3 * PERIOD);
    assert_int_equal(FIND(p.instance, xrDestroySession)(p.session), XR_SUCCESS);
    assert_int_equal(FIND(p.instance, xrDestroyInstance)(p.instance), XR_SUCCESS);
    created = 0;
}

/* Handles of a session that is no more come again: what was known of them is not. */
static void a_handle_that_is_used_again(void **state)
{
    playing first = begin(make_instance()), second;

    (void)state;
    for (int i = 0; i < 3; i++)
        play_frame(&first, 0);
    assert_int_equal(FIND(first.instance, xrDestroySession)(first.session), XR_SUCCESS);
    second = begin(first.instance);
    assert_ptr_equal(second.session, first.session);
    located = 0;
    play_frame(&second, 0); /* at a time that the first one has seen */
    assert_int_equal(located, 3);
    assert_true(located_at == 1 + PERIOD);
    assert_int_equal(FIND(first.instance, xrDestroyInstance)(first.instance), XR_SUCCESS); /* with its session */
    created = 0;
    second = begin(make_instance());
    assert_ptr_equal(second.instance, first.instance);
    located = 0;
    play_frame(&second, 0);
    assert_int_equal(located, 3);
    assert_int_equal(FIND(second.instance, xrDestroyInstance)(second.instance), XR_SUCCESS);
    created = 0;
}

/* Of a game that forks: the layer's thread is the parent's alone, with whatever it was about to change. */
static void a_child_can_end_what_its_parent_began(void **state)
{
    playing p = begin(make_instance());
    int status = -1;
    pid_t child;

    (void)state;
    play_frame(&p, 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        play_frame(&p, 0);
        FIND(p.instance, xrDestroySession)(p.session);
        FIND(p.instance, xrDestroyInstance)(p.instance);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    play_frame(&p, 0);
    assert_int_equal(FIND(p.instance, xrDestroyInstance)(p.instance), XR_SUCCESS);
    created = 0;
}

/* In all states of a connection: nobody listens, nobody answers, somebody hangs up. */
static void a_session_that_ends_while_it_connects(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    (void)state;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/layer_chain_test.%d.sock", TEST_BUILD, (int)getpid());
    assert_int_equal(bind(listening, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listening, 1), 0);
    setenv("CLASHD_SOCKET", address.sun_path, 1);
    for (int i = 0; i < 60; i++) {
        playing p = begin(make_instance());
        int taken = i % 3 == 0 ? accept(listening, NULL, NULL) : -1;

        for (int frame = i % 4; frame > 0; frame--)
            play_frame(&p, 0);
        if (taken >= 0)
            close(taken);
        if (i % 2)
            assert_int_equal(FIND(p.instance, xrDestroySession)(p.session), XR_SUCCESS);
        assert_int_equal(FIND(p.instance, xrDestroyInstance)(p.instance), XR_SUCCESS);
        created = 0;
    }
    close(listening);
    unlink(address.sun_path);
    setenv("CLASHD_SOCKET", "/nowhere/clashd.sock", 1);
}

typedef struct caller {
    playing p;
    int frames;
} caller;

static void *call(void *context)
{
    caller *c = context;

    for (int i = 0; i < c->frames; i++)
        play_frame(&c->p, 0);
    return NULL;
}

/* Frames of one session, while another of the same process comes and goes. */
static void two_instances_in_two_threads(void **state)
{
    caller c = {.p = begin(make_instance()), .frames = 3000};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, call, &c), 0);
    for (int i = 0; i < 30; i++) {
        playing p = begin(make_instance());

        assert_ptr_not_equal(p.instance, c.p.instance);
        assert_int_equal(FIND(p.instance, xrDestroySession)(p.session), XR_SUCCESS);
        assert_int_equal(FIND(p.instance, xrDestroyInstance)(p.instance), XR_SUCCESS);
        created = 1;
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(FIND(c.p.instance, xrDestroyInstance)(c.p.instance), XR_SUCCESS);
    created = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_is_about_to_be_lost),
        cmocka_unit_test(a_handle_that_is_used_again),
        cmocka_unit_test(a_child_can_end_what_its_parent_began),
        cmocka_unit_test(a_session_that_ends_while_it_connects),
        cmocka_unit_test(two_instances_in_two_threads),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}
