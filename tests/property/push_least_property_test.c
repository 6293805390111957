/* How long the ways out are that push-out finds: beside those that an exhaustive search finds (push_truth.h), of a blade, a
 * sword, a body in closed meshes, between plates, in heaps of solids and on slopes. And a cube of twelve triangles beside the
 * same cube as a box, whose way out is known in closed form. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/push.h"
#include "support/push_scenes.h"

#define REACH 1.0f

typedef struct push_tally {
    long cases, moved, longer; /* longer by more than a tenth */
    double worst;
} push_tally;

/** A terrain is no body: what is all below it, by its axis, is in nothing. */
static bool is_below(const push_scene *s)
{
    for (int i = 0; i < s->truth.axis_count; i++)
        for (int k = 0; k < 2; k++)
            if (!push_truth_inside(&s->truth, 0, s->truth.axes[i][k]))
                return false;
    return true;
}

static void measure(push_scene *s, uint64_t seed, long i, push_tally *t)
{
    clash_pose out;
    clash_push_result result = push_pose(s->parts, s->part_count, &s->pose, s->obstacles, s->count, REACH, &out);
    double length = ref_length(surface_from_to(ref_of(s->pose.position), ref_of(out.position))), least;
    ref_vec x = {0, 0, 0};

    t->cases++;
    if (result == CLASH_PUSH_FREE)
        return;
    if (result != CLASH_PUSH_MOVED)
        length = (double)REACH; /* then nothing may be found that is nearer */
    least = fmin(push_truth_least(&s->truth, length, PUSH_TRUTH_WAYS, &x), length);
    t->moved += result == CLASH_PUSH_MOVED;
    t->longer += length > 1.1 * least + 2e-4;
    t->worst = fmax(t->worst, (length - 2e-4) / least);
    if (length > 1.1 * least + 2e-4)
        print_message("seed %llu case %ld: %d, %g m, but %g %g %g is out, %g m\n", (unsigned long long)seed, i,
                      (int)result, length, x.x, x.y, x.z, least);
    assert_true(length < 2 * least + 2e-4);
}

static push_tally measure_scenes(push_scene_kind kind)
{
    static push_scene s;
    const uint64_t seed = random_seed(20261122 + (uint64_t)kind);
    push_tally t = {.worst = 0};

    for (long i = 0; i < random_cases(40); i++) {
        random_state r = {seed + ((uint64_t)i << 8)};

        push_scene_make(&s, kind, &r);
        if (kind != PUSH_HILLS || !is_below(&s))
            measure(&s, seed, i, &t);
        push_scene_finish(&s);
    }
    printf("%s: %ld cases, %ld moved, longer by a tenth %ld, at worst %.2f times\n", push_scene_names[kind], t.cases,
           t.moved, t.longer, t.worst);
    return t;
}

static void ways_are_short(void **state)
{
    long moved = 0, longer = 0;

    (void)state;
    for (int kind = 0; kind < PUSH_SCENES; kind++) {
        const push_tally t = measure_scenes((push_scene_kind)kind);

        moved += t.moved;
        longer += t.longer;
        assert_true(t.moved > t.cases / 3);
    }
    assert_true(100 * longer <= moved);
}

/** Its way out, which is that of the box, is known in closed form. */
static bool measure_cube(push_scene *s, random_state *r, push_tally *t)
{
    static push_solid m;
    const float size = (float)random_in(r, 0.05, 0.5);
    clash_overlap overlap;
    clash_pose out;
    double length, least;

    *s = (push_scene){.count = 0};
    push_scene_body(s, r);
    push_solid_box(&m, (clash_vec3){size, size, size});
    push_scene_mesh(s, &m, push_scene_lie(r, s, 0.7), random_below(r, 2));
    push_scene_box(s, (clash_vec3){size, size, size}, s->obstacles[0].pose);
    if (!clash_overlap_of(s->parts, &s->pose, &s->obstacles[1], &overlap) || overlap.depth < 1e-3f)
        return true;
    if (push_pose(s->parts, 1, &s->pose, s->obstacles, 1, 3, &out) != CLASH_PUSH_MOVED)
        return false;
    least = (double)overlap.depth;
    length = ref_length(surface_from_to(ref_of(s->pose.position), ref_of(out.position)));
    t->moved++;
    t->longer += length > 1.1 * least + 2e-4;
    t->worst = fmax(t->worst, (length - 2e-4) / least);
    return length > least - 2e-4;
}

static void a_cube_of_triangles_is_a_box(void **state)
{
    static push_scene s;
    const uint64_t seed = random_seed(20261121);
    push_tally t = {.worst = 0};

    (void)state;
    for (long i = 0; i < random_cases(8000); i++) {
        random_state r = {seed + ((uint64_t)i << 8)};
        bool is_out = measure_cube(&s, &r, &t);

        push_scene_finish(&s);
        if (!is_out)
            fail_msg("seed %llu case %ld: not out, or out in less than a box", (unsigned long long)seed, i);
    }
    printf("cube and box: %ld moved, longer by a tenth %ld, at worst %.2f times\n", t.moved, t.longer, t.worst);
    assert_true(t.moved > random_enough(1000) && 100 * t.longer <= t.moved && t.worst < 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ways_are_short),
                                       cmocka_unit_test(a_cube_of_triangles_is_a_box)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
