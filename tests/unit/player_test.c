/* The player: what each kind of item says to a listener, and that it says it of itself, without a clock or a loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sources/replay/player.h"

#define POSE(device, more) \
    "{\"device\":\"" device "\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":" more "}"

typedef struct fixture {
    player player;
    recording_item item;
    char heard[4096];
    char devices[64][PROTOCOL_NAME_MAX];
    uint32_t device_count;
    bool stops; /* at the first frame */
} fixture;

__attribute__((format(printf, 2, 3))) static void hear(fixture *f, const char *format, ...)
{
    const size_t length = strlen(f->heard);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(f->heard + length, sizeof f->heard - length, format, arguments);
    va_end(arguments);
}

static uint32_t on_device(void *context, const char *name)
{
    fixture *f = context;

    assert_true(f->device_count < 64);
    snprintf(f->devices[f->device_count], PROTOCOL_NAME_MAX, "%s", name);
    return f->device_count++;
}

static void on_frame(void *context, const pose_frame *frame)
{
    fixture *f = context;

    hear(f, "%d:frame", (int)frame->time_ns);
    if (frame->count > 2)
        hear(f, " of %u", frame->count);
    for (uint32_t i = 0; i < frame->count && frame->count <= 2; i++)
        hear(f, " %s/%x", f->devices[frame->samples[i].device], frame->samples[i].flags);
    hear(f, "%s\n", frame->more ? " more" : "");
    f->player.is_stopped = f->stops;
}

static void on_lost(void *context, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    fixture *f = context;

    hear(f, "%d:lost %s %d\n", (int)time_ns, f->devices[device], reason == CLASH_TRACKING_RUNTIME_STALLED);
}

static void on_space(void *context, int64_t time_ns)
{
    hear(context, "%d:space\n", (int)time_ns);
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    hear(context, "%d:blade %s on %s, %d parts\n", (int)time_ns, blade->name, blade->device,
         blade->sword ? (int)blade->sword->part_count : 0);
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    hear(context, "%d:removed %s %s\n", (int)time_ns, blade ? "blade" : "device", blade ? blade : device);
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    hear(context, "%d:target %s\n", (int)time_ns, target->name);
}

static void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    hear(context, "%d:removed target %s\n", (int)time_ns, target);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->player.listener = (pose_listener){.context = f,
                                         .device = on_device,
                                         .frame = on_frame,
                                         .lost = on_lost,
                                         .space_changed = on_space,
                                         .blade = on_blade,
                                         .removed = on_removed,
                                         .target = on_target,
                                         .target_removed = on_target_removed};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void take(fixture *f, const char *line)
{
    if (!recording_parse(line, &f->item))
        fail_msg("no item: %s", line);
    f->heard[0] = '\0';
}

/* What it says, as of the time 7. */
static const char *played(fixture *f, const char *line)
{
    take(f, line);
    player_play(&f->player, &f->item, 7);
    return f->heard;
}

static const char *removed(fixture *f, const char *line)
{
    take(f, line);
    player_remove(&f->player, &f->item, 7);
    return f->heard;
}

#define BLADE                                                                                              \
    "{\"type\":\"blade\",\"time_ns\":1,\"name\":\"b\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0,-1]," \
    "\"radius\":0.01}"
#define TARGET                                                                                                  \
    "{\"type\":\"target\",\"time_ns\":1,\"name\":\"t\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"box\":" \
    "{\"center\":[0,0,0],\"orientation\":[0,0,0,1],\"size\":[1,1,1]}}"
#define REMOVE(what) "{\"type\":\"remove\",\"time_ns\":1,\"" what "\":\"x\"}"

static void each_kind_says_what_it_is(void **state)
{
    fixture *f = *state;

    assert_string_equal(played(f, "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[" POSE("a", "true") "," POSE(
                                      "b", "true,\"valid\":false,\"teleport\":true") "]}"),
                        "7:frame a/3 b/4\n");
    assert_string_equal(played(f, "{\"type\":\"tracking\",\"seq\":1,\"time_ns\":1,\"device\":\"a\",\"tracked\":false,"
                                  "\"reason\":\"runtime_stalled\"}"),
                        "7:lost a 1\n");
    assert_string_equal(played(f, "{\"type\":\"space_changed\",\"seq\":1,\"time_ns\":1}"), "7:space\n");
    assert_string_equal(played(f, BLADE), "7:blade b on d, 0 parts\n");
    assert_string_equal(played(f, TARGET), "7:target t\n");
    assert_string_equal(played(f, REMOVE("blade")), "7:removed blade x\n");
    assert_string_equal(played(f, REMOVE("target")), "7:removed target x\n");
    assert_string_equal(played(f, REMOVE("device")), "7:removed device x\n");
}

static void what_is_found_anew_says_nothing(void **state)
{
    const recording_item_kind kinds[] = {RECORDING_EVENT, RECORDING_EQUIPMENT, RECORDING_GAP,
                                         RECORDING_MARK,  RECORDING_LATER,     RECORDING_END};
    fixture *f = *state;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        f->item.kind = kinds[i];
        assert_false(player_takes(kinds[i]));
        assert_int_equal(player_play(&f->player, &f->item, 7), 0);
    }
    assert_string_equal(f->heard, "");
}

static void a_definition_is_taken_back(void **state)
{
    fixture *f = *state;

    played(f, REMOVE("target")); /* whose name stays in the item */
    assert_string_equal(removed(f, BLADE), "7:removed blade b\n");
    assert_string_equal(removed(f, TARGET), "7:removed target t\n");
    assert_string_equal(played(f, REMOVE("device")), "7:removed device x\n");
}

/* As many as POSE_FRAME_SAMPLES_MAX in a frame. An empty line is a frame only if it ends a step. */
static void a_step_is_several_frames(void **state)
{
    fixture *f = *state;

    take(f, "{\"type\":\"poses\",\"time_ns\":1,\"more\":true,\"poses\":[" POSE("a", "true") "]}");
    f->item.pose_count = 2 * POSE_FRAME_SAMPLES_MAX + 3;
    assert_int_equal(player_play(&f->player, &f->item, 7), 3);
    assert_string_equal(f->heard, "7:frame of 16 more\n7:frame of 16 more\n7:frame of 3 more\n");
    assert_true(f->player.is_in_step);
    assert_string_equal(played(f, "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[]}"), "7:frame\n");
    assert_false(f->player.is_in_step);
    assert_string_equal(played(f, "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[]}"), "");
}

static void a_listener_stops_it(void **state)
{
    fixture *f = *state;

    take(f, "{\"type\":\"poses\",\"time_ns\":1,\"poses\":[" POSE("a", "true") "]}");
    f->item.pose_count = (size_t)2 * POSE_FRAME_SAMPLES_MAX;
    f->stops = true;
    assert_int_equal(player_play(&f->player, &f->item, 7), 1);
}

static void a_listener_need_not_listen_to_definitions(void **state)
{
    fixture *f = *state;

    f->player.listener.blade = NULL;
    f->player.listener.removed = NULL;
    f->player.listener.target = NULL;
    f->player.listener.target_removed = NULL;
    assert_string_equal(played(f, BLADE), "");
    assert_string_equal(played(f, TARGET), "");
    assert_string_equal(played(f, REMOVE("blade")), "");
    assert_string_equal(played(f, REMOVE("target")), "");
    assert_string_equal(played(f, REMOVE("device")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_kind_says_what_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_found_anew_says_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_definition_is_taken_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_is_several_frames, setup, teardown),
        cmocka_unit_test_setup_teardown(a_listener_stops_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_listener_need_not_listen_to_definitions, setup, teardown),
    };

    return cmocka_run_group_tests_name("player", tests, NULL, NULL);
}
