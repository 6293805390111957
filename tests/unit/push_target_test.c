/* Targets that clients push, without a daemon: whose names are whose, what is told to the sinks and in which order, how many
 * there may be, and that a refused request has changed nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "support/push_bench.h"

/* A ball of 10 cm, which stands at `y` where there is no device. */
static protocol_request ball(const char *name, const char *device, float y)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_TARGET};

    snprintf(r.target.name, sizeof r.target.name, "%s", name);
    snprintf(r.target.device, sizeof r.target.device, "%s", device);
    r.target.pose = (clash_pose){{0, 0, 0, 1}, {0, y, 0}};
    r.target.kind = CLASH_SHAPE_SPHERE;
    r.target.as.sphere.radius = 0.1f;
    return r;
}

static void names_have_owners(void **state)
{
    bench *b = *state;

    refused(b, &alice, ball("left", "", 0), 0, PROTOCOL_ERROR_NAME_TAKEN, "\"left\" is the name of a blade");
    refused(b, &alice, ball("rock", "tracker", 0), 0, PROTOCOL_ERROR_NAME_TAKEN, "tracker");
    refused(b, &alice, ball("rock", "/user/hand/left", 0), 0, PROTOCOL_ERROR_NAME_TAKEN, "/user/hand/left");
    taken(b, &alice, ball("rock", "", 0), 0);
    assert_ptr_equal(scene_owner_of(&b->scene, "rock"), &alice);
    refused(b, &bob, ball("rock", "", 0), 0, PROTOCOL_ERROR_NAME_TAKEN, "rock");
    refused(b, &bob, removal("rock"), 0, PROTOCOL_ERROR_NAME_TAKEN, "the target \"rock\" is not this client's");
    refused(b, &alice, blade("rock", "npc"), 0, PROTOCOL_ERROR_NAME_TAKEN, "\"rock\" is the name of a target");
    refused(b, &alice, removal("nothing"), 0, PROTOCOL_ERROR_UNKNOWN_NAME, "nothing");
    taken(b, &alice, blade("npc", "hand"), 0);
    refused(b, &alice, ball("npc", "", 0), 0, PROTOCOL_ERROR_NAME_TAKEN, "npc");
    refused(b, &bob, ball("shield", "hand", 0), 0, PROTOCOL_ERROR_NAME_TAKEN, "hand");
    told(b, "+rock, +npc");
    taken(b, &alice, removal("rock"), 1);
    told(b, "-rock");
    taken(b, &bob, ball("rock", "", 0), 2);
    assert_int_equal(counter(b, "pushed_targets"), 1);
    assert_int_equal(pipeline_target_count(b->pipeline), 1);
}

/* A device stays as long as a blade or a target is on it. */
static void a_device_goes_with_the_last_thing_on_it(void **state)
{
    bench *b = *state;

    taken(b, &alice, ball("shield", "arm", 0), 0);
    taken(b, &alice, blade("dagger", "arm"), 0);
    taken(b, &alice, poses("arm", 1), MS);
    told(b, "+shield, +dagger, frame 1@1, tracking arm found");
    taken(b, &alice, removal("dagger"), 2 * MS);
    taken(b, &alice, poses("arm", 1), 3 * MS);
    told(b, "-dagger, frame 1@3");
    taken(b, &alice, ball("shield", "", 0), 4 * MS);
    told(b, "+shield, tracking arm lost, -arm");
    refused(b, &alice, poses("arm", 1), 5 * MS, PROTOCOL_ERROR_UNKNOWN_NAME, "arm");
    assert_int_equal(pipeline_find_device(b->pipeline, "arm"), UINT32_MAX);
    assert_int_equal(pipeline_target_count(b->pipeline), 1);
}

/* A blade falls on a rock; the rock is moved away, and told before what that does. */
static void a_target_is_struck_and_changed(void **state)
{
    bench *b = *state;

    taken(b, &alice, ball("rock", "", 0), 0);
    taken(b, &bob, blade("npc", "npc/hand"), 0);
    for (int i = 0; i < 3; i++)
        taken(b, &bob, poses("npc/hand", 0.5f - 0.25f * (float)i), (10 * i + 10) * MS);
    assert_non_null(strstr(b->told, "clash npc rock"));
    b->told[0] = '\0';
    taken(b, &alice, ball("rock", "", 5), 40 * MS);
    told(b, "+rock, release removed");
    taken(b, &bob, poses("npc/hand", -0.25f), 45 * MS);
    told(b, "frame 1@45");
}

static void who_goes_lets_go(void **state)
{
    bench *b = *state;

    taken(b, &alice, ball("rock", "", 0), 0);
    taken(b, &alice, ball("shield", "arm", 0), 0);
    taken(b, &bob, blade("npc", "npc/hand"), 0);
    for (int i = 0; i < 3; i++)
        taken(b, &bob, poses("npc/hand", 0.5f - 0.25f * (float)i), (10 * i + 10) * MS);
    b->told[0] = '\0';
    while (push_client_goes(b->push, &alice, 50 * MS))
        continue;
    told(b, "-shield, -arm, -rock, release removed");
    assert_int_equal(pipeline_target_count(b->pipeline), 0);
    assert_int_equal(pipeline_target_count(b->pipeline), 0);
    assert_null(scene_owner_of(&b->scene, "rock"));
}

/* Once for each, however often it comes anew. */
static void negative_sizes_are_warned_of_once(void **state)
{
    bench *b = *state;
    protocol_request rock = ball("rock", "", 0), npc = blade("npc", "npc/hand");

    rock.target.unity_negative = true;
    npc.blade.properties.unity_negative = true;
    taken(b, &alice, ball("rock", "", 0), 0);
    taken(b, &alice, rock, 0);
    taken(b, &alice, rock, 0);
    told(b, "+rock, +rock, warning target 'rock': unity_collider has a negative size: its absolute value counts, as in "
            "Unity, +rock");
    taken(b, &alice, npc, 0);
    taken(b, &alice, npc, 0); /* the same again: nothing changes */
    npc.blade.properties.shape.radius += 0.01f;
    taken(b, &alice, npc, 0);
    told(b,
         "+npc, warning blade 'npc': unity_collider has a negative size: its absolute value counts, as in Unity, +npc");
    taken(b, &alice, removal("rock"), 1);
    taken(b, &alice, ball("other", "", 0), 2);
    told(b, "-rock, +other");
}

static void a_mesh_is_kept_as_long_as_its_target(void **state)
{
    bench *b = *state;
    protocol_request r = ball("wall", "", 0);

    r.target.kind = CLASH_SHAPE_MESH;
    r.target.as.mesh = (clash_target_mesh){.scale = 1,
                                           .vertex_count = 3,
                                           .triangle_count = 1,
                                           .vertices = {{-2, 0, -2}, {2, 0, -2}, {0, 0, 4}},
                                           .triangles = {{0, 2, 1}}};
    taken(b, &alice, r, 0);
    taken(b, &bob, blade("npc", "npc/hand"), 0);
    for (int i = 0; i < 3; i++)
        taken(b, &bob, poses("npc/hand", 0.5f - 0.25f * (float)i), (10 * i + 10) * MS);
    assert_non_null(strstr(b->told, "clash npc wall"));
    taken(b, &alice, removal("wall"), 40 * MS);
    assert_non_null(strstr(b->told, "-wall, release removed"));
    b->told[0] = '\0';
    r.target.as.mesh.vertices[0].x = INFINITY;
    refused(b, &alice, r, 50 * MS, PROTOCOL_ERROR_LIMIT, "mesh");
    assert_null(scene_owner_of(&b->scene, "wall"));
}

static void there_are_limits(void **state)
{
    static const int clients[4];
    bench *b = *state;
    char name[16];

    for (int i = 0; i < PUSH_ALL_TARGETS_MAX; i++) {
        snprintf(name, sizeof name, "t%d", i);
        taken(b, &clients[i / PUSH_TARGETS_MAX], ball(name, i % 2 ? name : "", (float)i), 0);
        b->told[0] = '\0';
    }
    refused(b, &clients[0], ball("more", "", 0), 0, PROTOCOL_ERROR_LIMIT, "64");
    refused(b, &clients[3], ball("more", "", 0), 0, PROTOCOL_ERROR_LIMIT, "192");
    taken(b, &clients[0], ball("t0", "elsewhere", 0), 0);
    assert_int_equal(counter(b, "push_refused_limit"), 2);
    b->told[0] = '\0';
    while (push_client_goes(b->push, &clients[1], 1))
        continue;
    assert_int_equal(counter(b, "pushed_targets"), PUSH_ALL_TARGETS_MAX - PUSH_TARGETS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_have_owners, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_goes_with_the_last_thing_on_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_target_is_struck_and_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_goes_lets_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(negative_sizes_are_warned_of_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mesh_is_kept_as_long_as_its_target, set_up, tear_down),
        cmocka_unit_test_setup_teardown(there_are_limits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
