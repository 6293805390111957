/* Where what a hand holds lies in its controller's grip: poses of it, and what a change of controllers or offsets does. */
#include "support/openxr_stage.h"
#include "support/random.h"

#include "sources/openxr/offset.h"

#define VIVE "/interaction_profiles/htc/vive_controller"
#define INDEX "/interaction_profiles/valve/index_controller"

/* ---- one hand ---- */

static const clash_pose ahead = {.orientation = {0, 0, 0, 1}, .position = {0, 0, -0.5f}};
static const clash_pose quarter = {.orientation = {0, 0.70710678f, 0, 0.70710678f}, .position = {1, 2, 3}};

static pose_offsets offsets_of(const char *profile, clash_pose pose)
{
    pose_offsets all = {.count = 1};

    snprintf(all.offsets[0].profile, POSE_PROFILE_MAX, "%s", profile);
    all.offsets[0].grip_from_held = pose;
    return all;
}

static pose_sample placed(xr_offset *o, clash_pose pose, uint32_t flags)
{
    pose_sample sample = {.pose = pose, .flags = flags};

    xr_offset_place(o, &sample);
    return sample;
}

static void assert_near(clash_vec3 a, float x, float y, float z)
{
    assert_true(clash_vec3_distance(a, (clash_vec3){x, y, z}) < 1e-6f);
}

static void poses_are_those_of_what_is_held(void **state)
{
    const pose_offsets all = offsets_of(INDEX, ahead), turned = offsets_of(INDEX, quarter);
    xr_offset o = {XR_OFFSET_NONE, false};
    pose_sample sample;

    (void)state;
    xr_offset_choose(&o, &all, INDEX);
    /* a quarter to the left: ahead is to the left, -x */
    sample = placed(&o, quarter, STAGE_TRACKED);
    assert_near(sample.pose.position, 0.5f, 2, 3);
    assert_true(pose_is_same(&(clash_pose){sample.pose.orientation, quarter.position}, &quarter));
    /* twice a quarter is half a turn; what is on the right of the grip, +x, is then behind, -z */
    xr_offset_choose(&o, &turned, INDEX);
    sample = placed(&o, quarter, STAGE_TRACKED);
    assert_near(sample.pose.position, 1 + 3, 2 + 2, 3 - 1);
    assert_near(clash_pose_rotate(&sample.pose, (clash_vec3){1, 0, 0}), -1, 0, 0);
    assert_near(clash_pose_rotate(&sample.pose, (clash_vec3){0, 1, 0}), 0, 1, 0);
}

/* A point that is held is where it is by both ways: through the told pose, and through the grip. */
static void held_points_stay_where_they_are(void **state)
{
    random_state r = {random_seed(7)};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        const clash_pose grip = {random_turn(&r, STAGE_PI), random_box(&r, 2.0)},
                         offset = {random_turn(&r, STAGE_PI), random_box(&r, 0.3)};
        const clash_vec3 point = random_box(&r, 1.0), in_grip = clash_pose_apply(&offset, point);
        const pose_offsets all = offsets_of(INDEX, offset);
        xr_offset o = {XR_OFFSET_NONE, false};
        pose_sample sample;

        xr_offset_choose(&o, &all, INDEX);
        sample = placed(&o, grip, STAGE_TRACKED);
        assert_true(clash_vec3_distance(clash_pose_apply(&sample.pose, point), clash_pose_apply(&grip, in_grip)) <
                    1e-6f);
        assert_true(clash_quat_is_unit(sample.pose.orientation, 1e-6f));
    }
}

static void without_an_offset_bits_stay(void **state)
{
    const clash_pose odd = {{0.1f, 0.2f, 0.3f, 0.927f}, {1e-30f, -0.0f, 9999}};
    const pose_offsets all = offsets_of(INDEX, ahead);
    xr_offset o = {XR_OFFSET_NONE, false};
    pose_sample sample;

    (void)state;
    xr_offset_choose(&o, &all, VIVE);
    xr_offset_choose(&o, &all, "");
    sample = placed(&o, odd, STAGE_TRACKED);
    assert_memory_equal(&sample.pose, &odd, sizeof odd);
    assert_int_equal(sample.flags, STAGE_TRACKED);
}

static void the_first_good_pose_after_a_change_is_cut_off(void **state)
{
    static const clash_pose zero = {.position = {1, 2, 3}}, far = {{0, 0, 0, 1}, {0, 0, 9999.9f}};
    pose_offsets all = offsets_of(INDEX, ahead);
    xr_offset o = {XR_OFFSET_NONE, false};
    pose_sample sample;

    (void)state;
    xr_offset_choose(&o, &all, INDEX);
    xr_offset_choose(&o, &all, INDEX);
    assert_int_equal(placed(&o, quarter, 0).flags, 0);
    sample = placed(&o, zero, STAGE_TRACKED);
    assert_int_equal(sample.flags, STAGE_TRACKED);
    assert_memory_equal(&sample.pose, &zero, sizeof zero); /* who takes it refuses it as what it is */
    assert_int_equal(placed(&o, quarter, POSE_VALID).flags, POSE_VALID | POSE_TELEPORT);
    assert_int_equal(placed(&o, quarter, STAGE_TRACKED).flags, STAGE_TRACKED);
    all.offsets[0].grip_from_held.position.z = 0.5f; /* beyond the bound, so nobody takes it */
    xr_offset_choose(&o, &all, INDEX);
    assert_int_equal(placed(&o, far, STAGE_TRACKED).flags, STAGE_TRACKED | POSE_TELEPORT);
    assert_int_equal(placed(&o, quarter, STAGE_TRACKED).flags, STAGE_TRACKED | POSE_TELEPORT);
    assert_int_equal(placed(&o, quarter, STAGE_TRACKED).flags, STAGE_TRACKED);
}

/* ---- the source ---- */

/* The script's hands stay at 0.35 m from the middle: what is added to that is the offset's. */
static float offset_of(const pose_sample *sample)
{
    const clash_vec3 back = {0, 0, 0.5f}, grip = clash_pose_apply(&sample->pose, back);

    return fabsf(fabsf(grip.x) - 0.35f) < 1e-5f                    ? 0.5f
           : fabsf(fabsf(sample->pose.position.x) - 0.35f) < 1e-5f ? 0.0f
                                                                   : NAN;
}

/* Return from where on the hand has that offset. Until then it has `before`. */
static size_t wait_offset(probe *p, size_t from, float before, float offset)
{
    size_t at = from;

    for (;; at++) {
        const pose_sample *sample;

        PROBE_WAIT(p, p->count > at);
        sample = stage_sample(&p->reports[at], STAGE_LEFT);
        if (sample && offset_of(sample) == offset)
            break;
        if (sample)
            assert_true(offset_of(sample) == before);
    }
    return at;
}

static void controllers_and_settings_change(void **state)
{
    const pose_offsets none = {0}, all = offsets_of(VIVE, ahead);
    size_t cuts = 0, first, second;
    probe *p;

    (void)state;
    stage_set_up("profile@500ms:" VIVE);
    p = stage_start();
    p->source->offset(p->source, &all);
    first = wait_offset(p, 0, 0.0f, 0.5f);
    PROBE_WAIT(p, p->count > first + 20);
    p->source->offset(p->source, &all); /* the same again */
    PROBE_WAIT(p, p->count > first + 40);
    p->source->offset(p->source, &none);
    second = wait_offset(p, first, 0.5f, 0.0f);
    PROBE_WAIT(p, p->count > second + 20);
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t hand = STAGE_LEFT; hand <= STAGE_RIGHT; hand++) {
            const pose_sample *sample = stage_sample(&p->reports[i], hand);

            if (!sample || !(sample->flags & POSE_TELEPORT))
                continue;
            assert_true(i == first || i == second);
            cuts++;
        }
    assert_int_equal(cuts, 4);
    assert_non_null(strstr(p->equipment, "=" VIVE));
    probe_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_those_of_what_is_held),
        cmocka_unit_test(held_points_stay_where_they_are),
        cmocka_unit_test(without_an_offset_bits_stay),
        cmocka_unit_test(the_first_good_pose_after_a_change_is_cut_off),
        cmocka_unit_test(controllers_and_settings_change),
    };

    return cmocka_run_group_tests_name("openxr offset", tests, stage_open, stage_close);
}
