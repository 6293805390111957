/* Steps that take longer than a turn of the loop may: tasks wait in the order of arrival, and nothing is left undone. Every step
 * here begins when its turn is over already, so it pauses at once. */
#include "support/scene.h"

#include "scene/inbox.h"

#define BLADES 6
#define ONE_TURN_NS (UINT64_C(1000000) * (INBOX_TURN_MS + 2))

typedef struct room {
    uv_loop_t loop;
    pipeline *pipeline;
    inbox *inbox;
    char told[1000]; /* a letter for each thing that happens, brackets for holding the source, a blank for each turn */
    bool is_held;
    int leaving;       /* things of a client that has gone */
    int64_t begins_ns; /* the step that a request begins; 0: none */
    int64_t source_ns; /* the same of the source, which has it ready */
} room;

static void tell(room *r, char what)
{
    const size_t length = strlen(r->told);

    assert_true(length + 1 < sizeof r->told);
    r->told[length] = what;
}

static void take_long(void)
{
    const uint64_t until_ns = uv_hrtime() + ONE_TURN_NS;

    while (uv_hrtime() < until_ns)
        continue;
}

static void on_event(void *context, const clash_event *event)
{
    tell(context, event->kind == CLASH_EVENT_CLASH ? 'c' : event->kind == CLASH_EVENT_RELEASE ? 'r' : 't');
}

/* Device 0 stands, device 1 goes in or out. */
static void move(room *r, int64_t time_ns, double x)
{
    pose_frame frame = scene_frame(time_ns);

    scene_frame_add(&frame, 0, SCENE_GOOD, scene_at(0, 0, 0));
    scene_frame_add(&frame, 1, SCENE_GOOD, scene_at(x, 0, 0));
    pipeline_frame(r->pipeline, &frame);
}

static bool finished(void *context, const void *subject, int64_t number)
{
    (void)subject, (void)number;
    tell(context, 'f');
    return true;
}

/* As a frame's user does. */
static void step(room *r, int64_t time_ns, double x)
{
    take_long();
    move(r, time_ns, x);
    if (!inbox_after_step(r->inbox, &(inbox_task){.run = finished, .context = r}))
        finished(r, NULL, 0);
}

static void on_hold(void *context, bool is_held)
{
    room *r = context;
    const int64_t source_ns = is_held ? 0 : r->source_ns;

    if (r->is_held != is_held)
        tell(r, is_held ? '(' : ')');
    r->is_held = is_held;
    if (!is_held)
        r->source_ns = 0;
    if (source_ns > 0)
        step(r, source_ns, 5);
}

/* Remove one of a client's things. */
static bool leave(void *context, const void *client, int64_t number)
{
    room *r = context;

    (void)number;
    assert_ptr_equal(client, &r->leaving);
    assert_false(pipeline_is_unfinished(r->pipeline));
    tell(r, 'x');
    take_long();
    return --r->leaving == 0;
}

static void put_departure(room *r)
{
    assert_true(
        inbox_put(r->inbox, &(inbox_task){.run = leave, .context = r, .subject = &r->leaving, .is_for_end = true}));
}

/* A request, whose number is its letter; 'S' begins a step. It changes the session, so it takes the turn. */
static bool serve(void *context, const void *client, int64_t number)
{
    room *r = context;

    (void)client;
    assert_true(inbox_take_turn(r->inbox));
    assert_false(pipeline_is_unfinished(r->pipeline));
    tell(r, (char)number);
    if (number == 'S')
        step(r, r->begins_ns, 5);
    return true;
}

static void put_request(room *r, char letter)
{
    assert_true(
        inbox_put(r->inbox, &(inbox_task){.run = serve, .context = r, .subject = &r->begins_ns, .number = letter}));
}

static room *open_room(void)
{
    const pipeline_settings settings = scene_settings();
    room *r = calloc(1, sizeof *r);

    assert_non_null(r);
    assert_int_equal(uv_loop_init(&r->loop), 0);
    r->pipeline = pipeline_create(&settings, on_event, r);
    assert_non_null(r->pipeline);
    for (uint32_t device = 0; device < 2; device++) {
        assert_int_equal(pipeline_device(r->pipeline, device == 0 ? "a" : "b"), device);
        for (int i = 0; i < (device == 0 ? 1 : BLADES); i++) {
            char name[16];
            pipeline_blade blade;

            snprintf(name, sizeof name, "%u/%d", device, i);
            blade = scene_blade(name, device, (clash_capsule){{0, 0, 0}, {0, 0, -1}, 0.1f});
            assert_null(pipeline_add_blade(r->pipeline, &blade));
        }
    }
    move(r, 0, 5);
    r->inbox = inbox_create(&r->loop, r->pipeline, on_hold, r);
    assert_non_null(r->inbox);
    memset(r->told, 0, sizeof r->told);
    uv_update_time(&r->loop);
    return r;
}

static void close_room(room *r)
{
    inbox_end(r->inbox);
    inbox_close(r->inbox);
    assert_int_equal(uv_run(&r->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&r->loop), 0);
    pipeline_destroy(r->pipeline);
    free(r);
}

/* What has been told without blanks and brackets: on a busy machine any turn may be over at any time, and then there are more. */
static void assert_told(const room *r, const char *expected)
{
    char letters[sizeof r->told] = "";
    size_t count = 0;

    for (const char *at = r->told; *at; at++)
        if (!strchr(" ()", *at))
            letters[count++] = *at;
    assert_string_equal(letters, expected);
}

/* Until nothing is left to do, which takes some turns. */
static void run(room *r, const char *expected, size_t turns_at_least)
{
    size_t count = 0;

    while (!inbox_is_idle(r->inbox) || uv_loop_alive(&r->loop)) {
        uv_run(&r->loop, UV_RUN_NOWAIT);
        if (r->told[0] && r->told[strlen(r->told) - 1] != ' ')
            tell(r, ' ');
    }
    for (const char *at = r->told; *at; at++)
        count += *at == ' ';
    assert_true(count >= turns_at_least);
    assert_told(r, expected);
    assert_false(pipeline_is_unfinished(r->pipeline));
    assert_false(r->is_held);
}

static void a_step_takes_as_many_turns_as_it_needs(void **state)
{
    room *r = open_room();

    (void)state;
    step(r, 10 * SCENE_MS, 0);
    assert_true(!inbox_is_idle(r->inbox) && r->is_held);
    run(r, "ccccccf", 1);
    close_room(r);
}

/* The source has waited since the first step, so its turn comes before the requests. */
static void all_that_waits_comes_in_the_order_of_arrival(void **state)
{
    room *r = open_room();

    (void)state;
    r->begins_ns = 30 * SCENE_MS;
    r->source_ns = 20 * SCENE_MS;
    step(r, 10 * SCENE_MS, 0);
    put_request(r, 'S');
    put_request(r, 's');
    run(r, "ccccccfrrrrrrfSfs", 2);
    close_room(r);
}

/* A task that begins a step, and the next one: the step comes between the two. */
static void a_step_ends_before_the_next_task(void **state)
{
    room *r = open_room();

    (void)state;
    r->begins_ns = 20 * SCENE_MS;
    step(r, 10 * SCENE_MS, 0);
    put_request(r, 'S');
    put_request(r, 's');
    run(r, "ccccccfSrrrrrrfs", 2);
    close_room(r);
}

/* It has read its next poses before it was held. */
static void the_source_may_begin_another_at_once(void **state)
{
    room *r = open_room();

    (void)state;
    r->source_ns = 20 * SCENE_MS;
    step(r, 10 * SCENE_MS, 0);
    run(r, "ccccccfrrrrrrf", 2);
    close_room(r);
}

static void an_idle_inbox_runs_a_task_at_once(void **state)
{
    room *r = open_room();

    (void)state;
    put_request(r, 's');
    assert_told(r, "s");
    assert_true(inbox_is_idle(r->inbox));
    run(r, "s", 0);
    close_room(r);
}

/* One request changes something; what the same client asks next waits behind the others. */
static void a_turn_is_taken_once(void **state)
{
    room *r = open_room();

    (void)state;
    step(r, 10 * SCENE_MS, 0);
    assert_false(inbox_take_turn(r->inbox));
    put_request(r, 's');
    put_request(r, 't');
    run(r, "ccccccfst", 1);
    assert_true(inbox_take_turn(r->inbox) && inbox_take_turn(r->inbox));
    close_room(r);
}

static bool try_twice(void *context, const void *subject, int64_t number)
{
    room *r = context;

    (void)subject, (void)number;
    tell(r, inbox_take_turn(r->inbox) ? 'y' : 'n');
    tell(r, inbox_take_turn(r->inbox) ? 'y' : 'n');
    return true;
}

static void a_task_gives_its_turn_to_one_change_while_others_wait(void **state)
{
    room *r = open_room();

    (void)state;
    step(r, 10 * SCENE_MS, 0);
    assert_true(inbox_put(r->inbox, &(inbox_task){.run = try_twice, .context = r}));
    put_request(r, 's');
    assert_true(inbox_put(r->inbox, &(inbox_task){.run = try_twice, .context = r}));
    run(r, "ccccccfynsyy", 1); /* behind the last one nobody waits */
    close_room(r);
}

static void what_a_client_leaves_goes_a_turn_each(void **state)
{
    room *r = open_room();

    (void)state;
    r->leaving = 3;
    put_departure(r);
    assert_false(inbox_is_idle(r->inbox));
    put_request(r, 's');
    run(r, "xxxs", 3);
    close_room(r);
}

/* After the step that it may have begun. */
static void a_client_that_leaves_within_a_step_goes_after_it(void **state)
{
    room *r = open_room();

    (void)state;
    r->leaving = 1;
    step(r, 10 * SCENE_MS, 0);
    put_departure(r);
    run(r, "ccccccfx", 1);
    close_room(r);
}

static void what_is_forgotten_is_not_run(void **state)
{
    room *r = open_room();

    (void)state;
    r->leaving = 1;
    step(r, 10 * SCENE_MS, 0);
    put_request(r, 's');
    put_departure(r);
    put_request(r, 't');
    inbox_forget(r->inbox, serve, &r->begins_ns);
    inbox_forget(r->inbox, serve, &r->leaving); /* another subject's */
    inbox_forget(r->inbox, finished, NULL);
    run(r, "ccccccx", 1);
    close_room(r);
}

static void another_caller_may_end_the_step(void **state)
{
    room *r = open_room();

    (void)state;
    step(r, 10 * SCENE_MS, 0);
    assert_int_equal(pipeline_remove_blade(r->pipeline, "1/0"), 0);
    assert_false(inbox_is_idle(r->inbox));
    run(r, "ccccccrf", 1);
    close_room(r);
}

static void at_the_end_all_is_done_at_once(void **state)
{
    room *r = open_room();

    (void)state;
    r->leaving = 2;
    step(r, 10 * SCENE_MS, 0);
    put_request(r, 's');
    put_departure(r);
    inbox_end(r->inbox);
    assert_told(r, "ccccccfxx");
    step(r, 20 * SCENE_MS, 5);
    assert_told(r, "ccccccfxxrrrrrrf");
    assert_false(pipeline_is_unfinished(r->pipeline));
    close_room(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_takes_as_many_turns_as_it_needs),
        cmocka_unit_test(all_that_waits_comes_in_the_order_of_arrival),
        cmocka_unit_test(a_step_ends_before_the_next_task),
        cmocka_unit_test(the_source_may_begin_another_at_once),
        cmocka_unit_test(an_idle_inbox_runs_a_task_at_once),
        cmocka_unit_test(a_turn_is_taken_once),
        cmocka_unit_test(a_task_gives_its_turn_to_one_change_while_others_wait),
        cmocka_unit_test(what_a_client_leaves_goes_a_turn_each),
        cmocka_unit_test(a_client_that_leaves_within_a_step_goes_after_it),
        cmocka_unit_test(what_is_forgotten_is_not_run),
        cmocka_unit_test(another_caller_may_end_the_step),
        cmocka_unit_test(at_the_end_all_is_done_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
