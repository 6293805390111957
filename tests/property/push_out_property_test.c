/* Push-out on random overlaps and in random rooms. An overlap's depth and normal: moved that way it just touches, and no
 * shorter way leads out. The depenetrator: where it says outside it is outside, by distances that the push-out has no part in;
 * where it says stuck no place outside is found by trying many. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <clash/push_out.h>

#include "support/push.h"
#include "support/target_queries.h"

static uint64_t seed;

/** Gap of the capsule, moved by x, and the obstacle: by the exhaustive search's distances. 0 less the radius inside. */
static double gap_of(const clash_capsule *c, const clash_pose *pose, const clash_obstacle *o, ref_vec x)
{
    clash_pose moved = {pose->orientation, {0, 0, 0}};
    ref_quat q = ref_unit(pose->orientation);
    impact_target target = {o->shape, {o->pose, o->pose}};
    clash_body blade = {*c, {moved, moved}};
    truth_target t = truth_target_of(&blade, (clash_span){0, 1}, &target, (clash_span){0, 1});
    ref_vec at = ref_mad(ref_of(pose->position), x, 1), own[2], axis;
    ref_quat p = ref_unit(o->pose.orientation), back = {p.w, {-p.v.x, -p.v.y, -p.v.z}};

    own[0] = ref_mad(at, ref_turn(q, ref_of(c->base)), 1);
    own[1] = ref_mad(at, ref_turn(q, ref_of(c->tip)), 1);
    for (int i = 0; i < 2; i++)
        own[i] = truth_into_core(&t, ref_turn(back, truth_from_to(ref_of(o->pose.position), own[i])));
    axis = truth_axis_point(&t, own[0], own[1]);
    return fmax(0, truth_core_distance(&t, axis) - t.radius) - (double)c->radius;
}

static void overlaps_end_at_their_depth(void **state)
{
    long deep = 0;

    (void)state;
    for (long i = 0; i < random_cases(8000); i++) {
        random_state r = {seed + ((uint64_t)i << 8)};
        target_query q = target_query_any(&r, QUERY_HITS, random_below(&r, TARGET_SHAPES));
        clash_obstacle o = {q.target.shape, q.target.motion.from};
        clash_vec3 inside = clash_pose_apply(&o.pose, (clash_vec3){0, 0, -0.5f});
        clash_pose pose = {q.blade.motion.from.orientation, query_add(inside, random_box(&r, 0.4))};
        clash_overlap got;
        ref_vec n;

        if (!clash_overlap_of(&q.blade.shape, &pose, &o, &got))
            fail_msg("seed %llu case %ld: refused", (unsigned long long)seed, i);
        n = ref_of(got.normal);
        if (fabs(ref_length(n) - 1) > 1e-6 ||
            fabs(gap_of(&q.blade.shape, &pose, &o, truth_scaled(n, (double)got.depth))) > 2e-6)
            fail_msg("seed %llu case %ld: a gap of %g after moving %g out", (unsigned long long)seed, i,
                     gap_of(&q.blade.shape, &pose, &o, truth_scaled(n, (double)got.depth)), (double)got.depth);
        if (got.depth < 0)
            continue;
        deep++;
        for (int k = 0; k < 40; k++) {
            ref_vec way = truth_scaled(ref_of(random_direction(&r)), (double)got.depth * 0.999 - 1e-6);

            if (gap_of(&q.blade.shape, &pose, &o, way) > 2e-6)
                fail_msg("seed %llu case %ld: out in less than %g", (unsigned long long)seed, i, (double)got.depth);
        }
    }
    assert_true(deep > random_enough(500));
}

enum { OBSTACLES = 6 };

typedef struct room {
    clash_capsule parts[2];
    size_t part_count, count;
    clash_pose pose;
    clash_obstacle obstacles[OBSTACLES];
    float reach;
} room;

/** Walls, slopes, balls and posts around the blade or the person, who is somewhere among them. */
static room room_of(random_state *r)
{
    room m = {.part_count = (size_t)1 + (size_t)random_below(r, 2),
              .count = (size_t)1 + (size_t)random_below(r, OBSTACLES)};

    m.pose = (clash_pose){random_turn(r, 6.28), random_box(r, 100)};
    m.parts[0] = hard_blade(r, random_in(r, 0.2, 1.5), random_in(r, 0.01, 0.3));
    m.parts[1] = (clash_capsule){{-0.1f, 0, 0}, {0.1f, 0, 0}, 0.02f};
    m.reach = (float)random_in(r, 0.05, 0.6);
    for (size_t k = 0; k < m.count; k++) {
        clash_capsule like = hard_blade(r, random_in(r, 0.3, 2), random_in(r, 0.02, 0.3));

        m.obstacles[k].shape = target_query_shape(r, random_below(r, TARGET_SHAPES), &like);
        m.obstacles[k].pose = (clash_pose){random_turn(r, 6.28), query_add(m.pose.position, random_box(r, 0.8))};
    }
    return m;
}

static double least_gap(const room *m, ref_vec x)
{
    double least = HUGE_VAL;

    for (size_t i = 0; i < m->part_count; i++)
        for (size_t k = 0; k < m->count; k++)
            least = fmin(least, gap_of(&m->parts[i], &m->pose, &m->obstacles[k], x));
    return least;
}

static void resolved_poses_are_outside(void **state)
{
    long results[4] = {0}, escapes = 0;

    (void)state;
    for (long i = 0; i < random_cases(3000); i++) {
        random_state r = {seed + 77 + ((uint64_t)i << 8)};
        room m = room_of(&r);
        clash_pose out;
        clash_push_result result = push_pose(m.parts, m.part_count, &m.pose, m.obstacles, m.count, m.reach, &out);
        ref_vec x = truth_from_to(ref_of(m.pose.position), ref_of(out.position));
        double gap = least_gap(&m, x);

        results[result]++;
        if (result == CLASH_PUSH_INVALID || (result != CLASH_PUSH_MOVED && ref_length(x) != 0))
            fail_msg("seed %llu case %ld: %d", (unsigned long long)seed, i, (int)result);
        if (result != CLASH_PUSH_STUCK && (gap < -1e-4 || ref_length(x) > (double)m.reach + 1e-5))
            fail_msg("seed %llu case %ld: %d, %g deep after %g m", (unsigned long long)seed, i, (int)result, -gap,
                     ref_length(x));
        if (result == CLASH_PUSH_STUCK) {
            for (int k = 0; k < 400; k++) {
                ref_vec way = truth_scaled(ref_of(random_direction(&r)), (double)m.reach * cbrt(random_in(&r, 0, 1)));

                if (least_gap(&m, way) < 1e-3)
                    continue;
                escapes++;
                print_error("seed %llu case %ld: stuck, but out by %g of %g\n", (unsigned long long)seed, i,
                            ref_length(way), (double)m.reach);
                break;
            }
        }
    }
    printf("free %ld, moved %ld, stuck %ld\n", results[CLASH_PUSH_FREE], results[CLASH_PUSH_MOVED],
           results[CLASH_PUSH_STUCK]);
    assert_true(results[CLASH_PUSH_FREE] > random_enough(0) && results[CLASH_PUSH_MOVED] > random_enough(100) &&
                results[CLASH_PUSH_STUCK] > random_enough(10));
    assert_int_equal(escapes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_end_at_their_depth),
        cmocka_unit_test(resolved_poses_are_outside),
    };

    seed = random_seed(20260707);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
