/* Steps that take longer than a turn of the loop may: others come in between, in turns, and nothing is left undone. Whatever
 * hears of an event here takes longer than a whole turn, so each part of a step is as short as parts can be. */
#include "support/scene.h"

#include "scene/turns.h"

#define BLADES 6
#define ONE_TURN_NS (UINT64_C(1000000) * (TURNS_MS + 2))

typedef struct room {
    uv_loop_t loop;
    pipeline *pipeline;
    turns *turns;
    char told[1000]; /* a letter for each thing that happens, brackets for holding the source, a blank for each turn */
    bool is_held;
    int waiting;       /* requests */
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
    take_long();
}

static void on_finished(void *context)
{
    tell(context, 'f');
}

/* Device 0 stands, device 1 goes in or out. */
static void move(room *r, int64_t time_ns, double x)
{
    pose_frame frame = scene_frame(time_ns);

    scene_frame_add(&frame, 0, SCENE_GOOD, scene_at(0, 0, 0));
    scene_frame_add(&frame, 1, SCENE_GOOD, scene_at(x, 0, 0));
    pipeline_frame(r->pipeline, &frame);
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
        move(r, source_ns, 5);
}

static bool on_remove(void *context, const void *client)
{
    room *r = context;

    assert_ptr_equal(client, &r->leaving);
    assert_false(pipeline_is_unfinished(r->pipeline));
    if (r->leaving == 0)
        return false;
    tell(r, 'x');
    take_long();
    r->leaving--;
    return true;
}

static bool on_serve(void *context)
{
    room *r = context;

    assert_false(turns_are_taken(r->turns));
    if (r->waiting == 0)
        return false;
    tell(r, 's');
    r->waiting--;
    if (r->begins_ns > 0)
        move(r, r->begins_ns, 5);
    r->begins_ns = 0;
    return r->waiting > 0;
}

static room *open_room(void)
{
    const pipeline_settings settings = scene_settings();
    room *r = calloc(1, sizeof *r);
    const turns_user user = {
        .context = r, .hold = on_hold, .finished = on_finished, .remove = on_remove, .serve = on_serve};

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
    r->turns = turns_create(&r->loop, r->pipeline, &user);
    assert_non_null(r->turns);
    memset(r->told, 0, sizeof r->told);
    uv_update_time(&r->loop);
    return r;
}

static void close_room(room *r)
{
    turns_end(r->turns);
    turns_close(r->turns);
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

    while (turns_are_taken(r->turns) || uv_loop_alive(&r->loop)) {
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
    move(r, 10 * SCENE_MS, 0);
    assert_true(turns_are_taken(r->turns) && r->is_held);
    run(r, "ccccccf", 7);
    close_room(r);
}

/* A request that begins another step, then the source, then the next request. */
static void those_that_wait_take_turns_with_the_source(void **state)
{
    room *r = open_room();

    (void)state;
    r->waiting = 2;
    r->begins_ns = 20 * SCENE_MS;
    move(r, 10 * SCENE_MS, 0);
    run(r, "ccccccfsrrrrrrfs", 14);
    close_room(r);
}

/* It has read its next poses before it was held. */
static void the_source_may_begin_another_at_once(void **state)
{
    room *r = open_room();

    (void)state;
    r->source_ns = 20 * SCENE_MS;
    move(r, 10 * SCENE_MS, 0);
    run(r, "ccccccfrrrrrrf", 13);
    close_room(r);
}

static void what_a_client_leaves_goes_a_turn_each(void **state)
{
    room *r = open_room();

    (void)state;
    r->leaving = 3;
    r->waiting = 1;
    turns_client_gone(r->turns, &r->leaving);
    assert_true(turns_are_taken(r->turns));
    run(r, "xxxs", 4);
    close_room(r);
}

/* After the step that it may have begun. */
static void whoever_goes_within_a_step_goes_after_it(void **state)
{
    room *r = open_room();

    (void)state;
    r->leaving = 1;
    move(r, 10 * SCENE_MS, 0);
    turns_client_gone(r->turns, &r->leaving);
    run(r, "ccccccfx", 8);
    close_room(r);
}

static void somebody_else_may_end_the_step(void **state)
{
    room *r = open_room();

    (void)state;
    move(r, 10 * SCENE_MS, 0);
    assert_int_equal(pipeline_remove_blade(r->pipeline, "1/0"), 0);
    assert_true(turns_are_taken(r->turns));
    run(r, "ccccccrf", 2);
    close_room(r);
}

static void at_the_end_all_is_done_at_once(void **state)
{
    room *r = open_room();

    (void)state;
    r->leaving = r->waiting = 2;
    move(r, 10 * SCENE_MS, 0);
    turns_client_gone(r->turns, &r->leaving);
    turns_end(r->turns);
    assert_told(r, "ccccccfxx");
    move(r, 20 * SCENE_MS, 5);
    assert_told(r, "ccccccfxxrrrrrr");
    assert_false(pipeline_is_unfinished(r->pipeline));
    close_room(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_takes_as_many_turns_as_it_needs),
        cmocka_unit_test(those_that_wait_take_turns_with_the_source),
        cmocka_unit_test(the_source_may_begin_another_at_once),
        cmocka_unit_test(what_a_client_leaves_goes_a_turn_each),
        cmocka_unit_test(whoever_goes_within_a_step_goes_after_it),
        cmocka_unit_test(somebody_else_may_end_the_step),
        cmocka_unit_test(at_the_end_all_is_done_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
