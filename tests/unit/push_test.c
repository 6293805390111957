/* What clients push, without a daemon: whose names are whose, limits on count, rate and time, what is told to the sinks and
 * in which order, silence, and that a refused request has changed nothing. */
#include "app/push.h"

#include "app/assembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define EPOCH_NS INT64_C(5000000000)
#define TIMEOUT_NS (250 * MS)

/* What the sinks and the pipeline were told, in order, as words: "+npc", "-npc", "-device", "frame 2@10" (poses, ms),
 * "clash", "release removed", "tracking npc/hand lost". */
typedef struct bench {
    pipeline *pipeline;
    push *push;
    event_sink sinks;
    char told[4096];
} bench;

static const int alice = 1, bob = 2;

__attribute__((format(printf, 2, 3))) static void tell(bench *b, const char *format, ...)
{
    size_t length = strlen(b->told);
    va_list arguments;

    assert_true(length + 200 < sizeof b->told);
    if (length > 0)
        length += (size_t)snprintf(b->told + length, sizeof b->told - length, ", ");
    va_start(arguments, format);
    vsnprintf(b->told + length, sizeof b->told - length, format, arguments);
    va_end(arguments);
}

static void on_event(void *context, const clash_event *event)
{
    static const char *const reasons[] = {
        [CLASH_RELEASE_APART] = "apart", [CLASH_RELEASE_TRACK_CUT] = "track_cut", [CLASH_RELEASE_REMOVED] = "removed"};

    if (event->kind == CLASH_EVENT_CLASH)
        tell(context, "clash %s %s", event->blades[0], event->blades[1]);
    else if (event->kind == CLASH_EVENT_RELEASE)
        tell(context, "release %s", reasons[event->as.release.reason]);
    else if (event->kind == CLASH_EVENT_TRACKING)
        tell(context, "tracking %s %s", event->as.tracking.device, event->as.tracking.tracked ? "found" : "lost");
}

static void on_frame(void *context, const pose_frame *frame)
{
    tell(context, "frame %u@%lld%s", frame->count, (long long)((frame->time_ns - EPOCH_NS) / MS),
         frame->more ? "+" : "");
}

static void on_blade(void *context, int64_t time_ns, const pose_blade *blade)
{
    assert_true(time_ns >= EPOCH_NS);
    tell(context, "+%s", blade->name);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    assert_true(time_ns >= EPOCH_NS && (blade == NULL) != (device == NULL));
    tell(context, "-%s", blade ? blade : device);
}

static int set_up(void **state)
{
    static const app_config config;
    const pipeline_settings settings = {
        .release_margin = 0.005f, .full_intensity_speed = 10.0f, .max_gap_ns = 100 * MS, .require_tracked = true};
    const pipeline_blade left = {.name = "left", .shape = {.tip = {0, 0, -1}, .radius = 0.02f}};
    bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->sinks =
        (event_sink){.context = b, .event = on_event, .frame = on_frame, .blade = on_blade, .removed = on_removed};
    b->pipeline = pipeline_create(&settings, on_event, b);
    assert_non_null(b->pipeline);
    assert_int_equal(pipeline_device(b->pipeline, "tracker"), 0);
    assert_int_equal(pipeline_add_blade(b->pipeline, &left), 0);
    b->push = push_create(&(push_settings){.pipeline = b->pipeline,
                                           .sinks = &b->sinks,
                                           .config = &config,
                                           .epoch_ns = EPOCH_NS,
                                           .timeout_ns = TIMEOUT_NS});
    assert_non_null(b->push);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;

    push_destroy(b->push);
    pipeline_destroy(b->pipeline);
    free(b);
    return 0;
}

static protocol_request blade(const char *name, const char *device)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_BLADE};

    snprintf(r.blade.name, sizeof r.blade.name, "%s", name);
    snprintf(r.blade.device, sizeof r.blade.device, "%s", device);
    r.blade.shape = (clash_capsule){.base = {-1, 0, 0}, .tip = {1, 0, 0}, .radius = 0.02f};
    return r;
}

static protocol_request removal(const char *name)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_REMOVE};

    snprintf(r.blade.name, sizeof r.blade.name, "%s", name);
    return r;
}

static void add_pose(protocol_request *r, const char *device, float y)
{
    protocol_own_pose *pose = &r->poses.poses[r->poses.count++];

    r->type = PROTOCOL_REQUEST_POSES;
    *pose = (protocol_own_pose){.pose = {{0, 0, 0, 1}, {0, y, 0}}, .tracked = true, .valid = true};
    snprintf(pose->device, sizeof pose->device, "%s", device);
}

static protocol_request poses(const char *device, float y)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_POSES};

    add_pose(&r, device, y);
    return r;
}

static protocol_request timed(protocol_request r, int64_t time_ns)
{
    r.poses.has_time = true;
    r.poses.time_ns = time_ns;
    return r;
}

static void taken(bench *b, const int *client, protocol_request r, int64_t now_ns)
{
    protocol_error error = {0};

    if (push_request(b->push, client, &r, now_ns, &error) != 0)
        fail_msg("refused: %s", error.message);
}

/* Also that nothing has been told, and that the message names what `says`. */
static void refused(bench *b, const int *client, protocol_request r, int64_t now_ns, protocol_error_code code,
                    const char *says)
{
    protocol_error error = {0};
    char before[sizeof b->told];

    memcpy(before, b->told, sizeof before);
    assert_int_equal(push_request(b->push, client, &r, now_ns, &error), -1);
    assert_int_equal(error.code, code);
    if (!strstr(error.message, says))
        fail_msg("expected \"%s\" in: %s", says, error.message);
    assert_string_equal(b->told, before);
}

static void told(bench *b, const char *expected)
{
    assert_string_equal(b->told, expected);
    b->told[0] = '\0';
}

static uint64_t counter(const bench *b, const char *name)
{
    protocol_counter all[PUSH_COUNTERS_MAX];
    size_t count = push_list_counters(b->push, all, PUSH_COUNTERS_MAX);

    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

static void names_have_owners(void **state)
{
    bench *b = *state;

    refused(b, &alice, blade("left", "npc"), 0, PROTOCOL_ERROR_NAME_TAKEN, "left");
    refused(b, &alice, blade("npc", "tracker"), 0, PROTOCOL_ERROR_NAME_TAKEN, "tracker");
    refused(b, &alice, blade("npc", "/user/hand/left"), 0, PROTOCOL_ERROR_NAME_TAKEN, "/user/hand/left");
    assert_false(push_owns(b->push, "npc") || push_owns(b->push, "npc/hand"));
    taken(b, &alice, blade("npc", "npc/hand"), 0);
    assert_true(push_owns(b->push, "npc") && push_owns(b->push, "npc/hand"));
    assert_false(push_owns(b->push, "left"));
    refused(b, &bob, blade("npc", "other"), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc");
    refused(b, &bob, blade("other", "npc/hand"), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc/hand");
    refused(b, &bob, removal("npc"), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc");
    refused(b, &alice, removal("left"), 0, PROTOCOL_ERROR_NAME_TAKEN, "left");
    refused(b, &alice, removal("nothing"), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "nothing");
    refused(b, &bob, poses("npc/hand", 1), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "npc/hand");
    refused(b, &alice, poses("npc", 1), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "npc");
    told(b, "+npc");
    push_client_gone(b->push, &alice, 1);
    told(b, "-npc, -npc/hand");
    taken(b, &bob, blade("npc", "npc/hand"), 2);
    assert_int_equal(counter(b, "pushed_blades"), 1);
}

static void a_device_goes_with_its_last_blade(void **state)
{
    bench *b = *state;

    taken(b, &alice, blade("one", "hand"), 0);
    taken(b, &alice, blade("two", "hand"), 0);
    taken(b, &alice, poses("hand", 1), MS);
    told(b, "+one, +two, frame 1@1, tracking hand found");
    taken(b, &alice, removal("one"), 2 * MS);
    taken(b, &alice, poses("hand", 1), 3 * MS);
    told(b, "-one, frame 1@3");
    taken(b, &alice, blade("two", "other"), 4 * MS);
    told(b, "+two, tracking hand lost, -hand");
    refused(b, &alice, poses("hand", 1), 5 * MS, PROTOCOL_ERROR_UNKNOWN_NAME, "hand");
    taken(b, &alice, poses("other", 1), 5 * MS);
    assert_int_equal(app_pipeline_find_device(b->pipeline, "hand"), UINT32_MAX);
    assert_int_equal(pipeline_blade_count(b->pipeline), 2);
    assert_int_equal(counter(b, "pushed_blades"), 1);
}

/* Everything told in the order in which a recording needs it. */
static void who_goes_lets_go(void **state)
{
    bench *b = *state;

    taken(b, &alice, blade("npc", "npc/hand"), 0);
    taken(b, &bob, blade("wall", "wall"), 0);
    for (int i = 0; i < 3; i++) {
        taken(b, &bob, poses("wall", 0), (10 * i + 5) * MS);
        taken(b, &alice, poses("npc/hand", 0.5f - 0.25f * (float)i), (10 * i + 10) * MS);
    }
    taken(b, &bob, poses("wall", 0), 40 * MS);
    assert_non_null(strstr(b->told, "clash npc wall"));
    b->told[0] = '\0';
    push_client_gone(b->push, &alice, 50 * MS);
    told(b, "-npc, release removed, tracking npc/hand lost, -npc/hand");
    push_client_gone(b->push, &alice, 50 * MS);
    told(b, "");
}

static void times_are_checked(void **state)
{
    const int64_t now = 10000 * MS;
    bench *b = *state;

    taken(b, &alice, blade("npc", "hand"), 0);
    refused(b, &alice, timed(poses("hand", 1), now + PUSH_AHEAD_MAX_NS + 1), now, PROTOCOL_ERROR_BAD_TIME, "future");
    refused(b, &alice, timed(poses("hand", 1), now - PUSH_BEHIND_MAX_NS - 1), now, PROTOCOL_ERROR_BAD_TIME, "hand");
    taken(b, &alice, timed(poses("hand", 1), now - PUSH_BEHIND_MAX_NS), now);
    refused(b, &alice, timed(poses("hand", 1), now - PUSH_BEHIND_MAX_NS), now, PROTOCOL_ERROR_BAD_TIME, "hand");
    taken(b, &alice, timed(poses("hand", 1), now + PUSH_AHEAD_MAX_NS), now);
    refused(b, &alice, poses("hand", 1), now, PROTOCOL_ERROR_BAD_TIME, "hand");
    taken(b, &alice, poses("hand", 1), now + PUSH_AHEAD_MAX_NS + 1);
    assert_int_equal(counter(b, "push_refused_future"), 1);
    assert_int_equal(counter(b, "push_refused_late"), 3);
    assert_int_equal(counter(b, "pushed_poses"), 3);
}

/* One pose of many is wrong, the first ones are not taken either. */
static void a_message_is_taken_as_a_whole(void **state)
{
    bench *b = *state;
    protocol_request r = {.type = PROTOCOL_REQUEST_POSES};
    char name[8];

    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "d%d", i);
        taken(b, &alice, blade(name, name), 0);
        add_pose(&r, name, 1);
    }
    b->told[0] = '\0';
    add_pose(&r, "d3", 1);
    refused(b, &alice, r, MS, PROTOCOL_ERROR_BAD_MESSAGE, "d3");
    r.poses.count--;
    add_pose(&r, "nobody", 1);
    refused(b, &alice, r, MS, PROTOCOL_ERROR_UNKNOWN_NAME, "nobody");
    r.poses.count--;
    taken(b, &alice, r, MS);
    assert_memory_equal(b->told, "frame 16@1+, frame 4@1, tracking d0 found", 41);
    assert_int_equal(counter(b, "pushed_messages"), 1);
    assert_int_equal(counter(b, "pushed_poses"), 20);
}

static void there_are_limits(void **state)
{
    bench *b = *state;
    static const int clients[4];
    char name[16];

    for (int i = 0; i < PUSH_ALL_BLADES_MAX; i++) {
        snprintf(name, sizeof name, "b%d", i);
        taken(b, &clients[i / PUSH_BLADES_MAX], blade(name, name), 0);
        b->told[0] = '\0';
    }
    refused(b, &clients[0], blade("more", "more"), 0, PROTOCOL_ERROR_LIMIT, "64");
    refused(b, &clients[3], blade("more", "more"), 0, PROTOCOL_ERROR_LIMIT, "192");
    taken(b, &clients[0], blade("b0", "elsewhere"), 0);
    assert_int_equal(counter(b, "push_refused_limit"), 2);
    push_client_gone(b->push, &clients[1], 1);
    assert_int_equal(counter(b, "pushed_blades"), PUSH_ALL_BLADES_MAX - PUSH_BLADES_MAX);
}

static void messages_have_a_rate(void **state)
{
    bench *b = *state;
    int64_t now = 0;
    unsigned count = 0;

    taken(b, &alice, blade("npc", "hand"), now);
    for (int i = 0; i < PUSH_RATE_HZ; i++, b->told[0] = '\0')
        taken(b, &alice, poses("hand", 1), ++now);
    refused(b, &alice, poses("hand", 1), ++now, PROTOCOL_ERROR_LIMIT, "2000");
    for (int i = 0; i < 4000; i++, b->told[0] = '\0') {
        protocol_request r = poses("hand", 1);
        protocol_error error;

        now += MS / 4; /* twice as often as is allowed */
        count += push_request(b->push, &alice, &r, now, &error) == 0;
    }
    assert_in_range(count, PUSH_RATE_HZ - 1, PUSH_RATE_HZ + 1);
    taken(b, &bob, blade("other", "other"), now);
    taken(b, &bob, poses("other", 1), now);
}

static void silence_cuts(void **state)
{
    bench *b = *state;

    assert_false(push_check_silence(b->push, 0));
    taken(b, &alice, blade("npc", "hand"), 0);
    taken(b, &alice, poses("hand", 1), 10 * MS);
    assert_true(push_check_silence(b->push, 10 * MS + TIMEOUT_NS - 1));
    told(b, "+npc, frame 1@10, tracking hand found");
    assert_true(push_check_silence(b->push, 10 * MS + TIMEOUT_NS));
    assert_true(push_check_silence(b->push, 10 * MS + 2 * TIMEOUT_NS));
    told(b, "tracking hand lost");
    taken(b, &alice, poses("hand", 1), 600 * MS);
    told(b, "frame 1@600, tracking hand found");
    assert_int_equal(counter(b, "push_silent"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_have_owners, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_goes_with_its_last_blade, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_goes_lets_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_message_is_taken_as_a_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(there_are_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(messages_have_a_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(silence_cuts, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
