/* How long the ways out are that push-out finds: beside those that an exhaustive search finds (push_truth.h), of a blade, a
 * sword, a body in closed meshes, between plates, in heaps of solids and on slopes. And a cube of twelve triangles beside the
 * same cube as a box, whose way out is known in closed form. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/push_scenes.h"

#define REACH 1.0f

typedef struct push_tally {
    long cases, moved, longer, stuck; /* longer by more than a tenth; said to be stuck where there is a way */
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
    clash_push_result result =
        clash_resolve_pose(s->parts, s->part_count, &s->pose, s->obstacles, s->count, REACH, &out);
    double length = ref_length(surface_from_to(ref_of(s->pose.position), ref_of(out.position))), least;
    ref_vec x = {0, 0, 0};

    t->cases++;
    if (result == CLASH_PUSH_FREE)
        return;
    least = push_truth_least(&s->truth, REACH, PUSH_TRUTH_WAYS, &x);
    if (result == CLASH_PUSH_STUCK) {
        t->stuck += least < 0.99 * (double)REACH;
        if (least < 0.99 * (double)REACH)
            print_error("seed %llu case %ld: stuck, but out by %g\n", (unsigned long long)seed, i, least);
        return;
    }
    t->moved++;
    t->longer += length > 1.1 * least + 2e-4;
    t->worst = fmax(t->worst, (length - 2e-4) / least);
    if (length > 2 * least + 2e-4)
        print_error("seed %llu case %ld: %g m, but %g %g %g is out, %g m\n", (unsigned long long)seed, i, length, x.x, x.y,
                    x.z, least);
}

static void ways_are_short(push_scene_kind kind)
{
    static push_scene s;
    const uint64_t seed = random_seed(20261122 + (uint64_t)kind);
    const long cases = random_cases(100);
    push_tally t = {.worst = 0};

    for (long i = 0; i < cases; i++) {
        random_state r = {seed + ((uint64_t)i << 8)};

        push_scene_make(&s, kind, &r);
        if (kind != PUSH_HILLS || !is_below(&s))
            measure(&s, seed, i, &t);
        push_scene_finish(&s);
    }
    printf("%s: %ld cases, %ld moved, longer by a tenth %ld, at worst %.2f times, stuck with a way out %ld\n",
           push_scene_names[kind], t.cases, t.moved, t.longer, t.worst, t.stuck);
}

static void in_scenes(void **state)
{
    (void)state;
    for (int kind = 0; kind < PUSH_SCENES; kind++)
        ways_are_short((push_scene_kind)kind);
}

static void a_cube_of_triangles_is_a_box(void **state)
{
    static push_scene s;
    static push_solid m;
    const uint64_t seed = random_seed(20261121);
    long moved = 0, longer = 0, half = 0;
    double worst = 0;

    (void)state;
    for (long i = 0; i < random_cases(4000); i++) {
        random_state r = {seed + ((uint64_t)i << 8)};
        const float size = (float)random_in(&r, 0.05, 0.5);
        clash_overlap overlap;
        clash_pose out;
        double length;

        s = (push_scene){.count = 0};
        push_scene_body(&s, &r);
        s.part_count = 1;
        push_solid_box(&m, (clash_vec3){size, size, size});
        push_scene_mesh(&s, &m, push_scene_lie(&r, &s, 0.7), random_below(&r, 2));
        push_scene_box(&s, (clash_vec3){size, size, size}, s.obstacles[0].pose);
        if (clash_overlap_of(s.parts, &s.pose, &s.obstacles[1], &overlap) && overlap.depth > 1e-3f) {
            clash_push_result result = clash_resolve_pose(s.parts, 1, &s.pose, s.obstacles, 1, 3, &out);

            length = ref_length(surface_from_to(ref_of(s.pose.position), ref_of(out.position)));
            if (result != CLASH_PUSH_MOVED)
                print_error("seed %llu case %ld: %d, but %g deep\n", (unsigned long long)seed, i, (int)result,
                            (double)overlap.depth);
            moved++;
            longer += length > 1.1 * (double)overlap.depth + 2e-4;
            half += length > 1.5 * (double)overlap.depth + 2e-4 || result != CLASH_PUSH_MOVED;
            worst = fmax(worst, (length - 2e-4) / (double)overlap.depth);
        }
        push_scene_finish(&s);
    }
    printf("cube and box: %ld moved, longer by a tenth %ld, by half %ld, at worst %.2f times\n", moved, longer, half, worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_scenes), cmocka_unit_test(a_cube_of_triangles_is_a_box)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
