/* Push-out with any amount of work, in the scenes of push_scenes.h: it spends no more, what it then says is out is out, it never
 * says that what overlaps is free, and with enough of it the answer is the one that there is without a bound. The same
 * question costs the same every time. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/push.h"
#include "support/push_scenes.h"

enum { PLENTY = 4000000000u };

static clash_push_result resolve(const push_scene *s, uint32_t *work, clash_pose *out)
{
    return push_pose_for(s->parts, s->part_count, &s->pose, s->obstacles, s->count, 1, work, out);
}

/** As far as solids go: surfaces have been judged by the tests of what they are. */
static bool is_free(const push_scene *s, const clash_pose *at)
{
    for (size_t i = 0; i < s->part_count; i++) {
        for (size_t k = 0; k < s->count; k++) {
            clash_overlap o;

            if (!clash_overlap_of(&s->parts[i], at, &s->obstacles[k], &o) || o.depth > CLASH_PUSH_DEPTH + 5e-6f)
                return false;
        }
    }
    return true;
}

static bool is_same_place(const clash_pose *a, const clash_pose *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z;
}

/** What is wrong with the answer; NULL: nothing. */
static const char *judge(const push_scene *s, uint32_t granted, clash_push_result whole, long counts[5])
{
    uint32_t left = granted, again = granted;
    clash_pose out = {0}, other = {0};
    const clash_push_result result = resolve(s, &left, &out);

    counts[result]++;
    if (resolve(s, &again, &other) != result || again != left || !is_same_place(&out, &other))
        return "another answer the second time";
    if (left > granted || (result == CLASH_PUSH_SPENT) > (left == 0))
        return "it spent what it had not, or had some left";
    if (result == CLASH_PUSH_INVALID || (result == CLASH_PUSH_FREE) > (whole == CLASH_PUSH_FREE))
        return "free, and it is not";
    if (result == CLASH_PUSH_MOVED ? !is_free(s, &out) : !is_same_place(&out, &s->pose))
        return "where it is put is not out";
    return result == CLASH_PUSH_STUCK && whole != CLASH_PUSH_STUCK ? "stuck, and there is a way" : NULL;
}

static void any_work_is_enough_or_spent(void **state)
{
    static push_scene s;
    const uint64_t seed = random_seed(20261125);
    long counts[5] = {0};

    (void)state;
    for (long i = 0; i < random_cases(3000); i++) {
        random_state r = {seed + ((uint64_t)i << 8)};
        uint32_t plenty = PLENTY, granted;
        clash_push_result whole;
        const char *wrong;
        clash_pose out;

        push_scene_make(&s, (push_scene_kind)(i % PUSH_HILLS), &r);
        whole = resolve(&s, &plenty, &out);
        granted = (uint32_t)((double)(PLENTY - plenty) * random_in(&r, 0, 1.1)) + 1;
        wrong = judge(&s, granted, whole, counts);
        push_scene_finish(&s);
        if (wrong)
            fail_msg("seed %llu case %ld, %u of %u: %s", (unsigned long long)seed, i, granted, PLENTY - plenty, wrong);
    }
    printf("free %ld, moved %ld, stuck %ld, spent %ld\n", counts[CLASH_PUSH_FREE], counts[CLASH_PUSH_MOVED],
           counts[CLASH_PUSH_STUCK], counts[CLASH_PUSH_SPENT]);
    assert_true(counts[CLASH_PUSH_FREE] > random_enough(10) && counts[CLASH_PUSH_MOVED] > random_enough(500) &&
                counts[CLASH_PUSH_SPENT] > random_enough(100));
}

static void without_work_nothing_is_known(void **state)
{
    static push_scene s;
    random_state r = {3};
    uint32_t work = 0;
    clash_pose out = {0};

    (void)state;
    push_scene_make(&s, PUSH_CUBE, &r);
    assert_int_equal(resolve(&s, &work, &out), CLASH_PUSH_SPENT);
    assert_int_equal(work, 0);
    assert_true(is_same_place(&out, &s.pose));
    work = 7;
    s.parts[0].radius = -1;
    assert_int_equal(resolve(&s, &work, &out), CLASH_PUSH_INVALID);
    assert_int_equal(work, 7);
    push_scene_finish(&s);
}

enum { FAR_ONES = 150 };

/** An obstacle of any kind, 20 m to 200 m away, whose shape may be off its own origin. */
static clash_obstacle far_obstacle(random_state *r, const push_scene *s, const clash_mesh *mesh)
{
    clash_vec3 way = random_direction(r), off = random_box(r, 5);
    const double distance = random_in(r, 20, 200);
    const int kind = random_below(r, 4);
    clash_obstacle o = {.pose.orientation = random_turn(r, 6.28)};

    if (kind == 0)
        o.shape = (clash_shape){.kind = CLASH_SHAPE_SPHERE, .as.sphere = {off, 1}};
    else if (kind == 1)
        o.shape = (clash_shape){.kind = CLASH_SHAPE_CAPSULE, .as.capsule = {off, {1, 2, 0}, 0.5f}};
    else if (kind == 2)
        o.shape = (clash_shape){.kind = CLASH_SHAPE_BOX, .as.box = {off, random_turn(r, 6.28), {1, 0.5f, 2}}};
    else
        o.shape = (clash_shape){.kind = CLASH_SHAPE_MESH, .as.mesh = mesh};
    o.pose.position = clash_vec3_add_scaled(s->pose.position, way, distance);
    if (kind != 3)
        o.pose.position = clash_vec3_sub(o.pose.position, clash_pose_rotate(&o.pose, off));
    return o;
}

/** Before, between and behind the scene's own, which keep their order. */
static size_t with_far_ones(random_state *r, const push_scene *s, const clash_mesh *mesh, clash_obstacle *out)
{
    size_t near = 0, count = 0;

    while (near < s->count || count < FAR_ONES) {
        const bool is_far = near == s->count || random_below(r, FAR_ONES / 4);

        out[count++] = is_far ? far_obstacle(r, s, mesh) : s->obstacles[near++];
    }
    return count;
}

/** Whether or not it came from somewhere, with all the work that is usual, or with little. */
static void compare_with_far_ones(random_state *r, const push_scene *s, const clash_mesh *mesh)
{
    static clash_obstacle all[8 * FAR_ONES];
    clash_push_input in = push_input(s->parts, s->part_count, &s->pose, s->obstacles, s->count, 1);
    clash_push_output alone = {0}, among = {0};
    clash_pose from = s->pose;
    clash_push_result result;

    from.position.y += 3;
    in.from = random_below(r, 2) ? &from : NULL;
    in.work = random_below(r, 2) ? CLASH_PUSH_WORK_USUAL : (uint32_t)random_below(r, 3000);
    result = clash_push_out(&in, &alone);
    in.obstacle_count = with_far_ones(r, s, mesh, all);
    in.obstacles = all;
    assert_int_equal(clash_push_out(&in, &among), result);
    assert_memory_equal(&among, &alone, sizeof alone);
    all[random_below(r, (int)in.obstacle_count)].pose.orientation = (clash_quat){0, 0, 0, 0};
    assert_int_equal(clash_push_out(&in, &among), CLASH_PUSH_INVALID);
}

/** What is far away costs no work and changes no bit, however much of it there is; but it has to be valid. */
static void far_obstacles_do_not_count(void **state)
{
    static const clash_vec3 corners[3] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 1}};
    static const uint32_t triangle[1][3] = {{0, 1, 2}};
    clash_mesh *mesh = clash_mesh_create(corners, 3, triangle, 1);
    static push_scene s;

    (void)state;
    assert_non_null(mesh);
    for (int kind = 0; kind < PUSH_SCENES; kind++) {
        for (uint64_t i = 0; i < 60; i++) {
            random_state r = {1000 + (uint64_t)kind + (i << 8)};

            push_scene_make(&s, (push_scene_kind)kind, &r);
            compare_with_far_ones(&r, &s, mesh);
            push_scene_finish(&s);
        }
    }
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_work_is_enough_or_spent),
                                       cmocka_unit_test(without_work_nothing_is_known),
                                       cmocka_unit_test(far_obstacles_do_not_count)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
