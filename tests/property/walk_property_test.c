/* The walk of daemon/geometry/examples for 100,000 frames of random keys, and for fewer with seven-league boots and frames that
 * take a quarter of a second: never inside a wall, through one, below the ground or out of the stage, by what the stage is made
 * of and by all of its triangles; and it does get about. A failure prints seed and frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/examples/stage.h"
#include "geometry/examples/wanderer.h"
#include "support/near.h"
#include "support/random.h"
#include "support/surface_pair.h"

static uint64_t seed;
static stage *made;
static clash_obstacle scene = {{CLASH_SHAPE_MESH, {.mesh = NULL}}, {{0, 0, 0, 1}, {0, 0, 0}}};

#define FAIL(i, ...)                                                                \
    do {                                                                            \
        print_error("seed %llu, frame %ld: ", (unsigned long long)seed, (long)(i)); \
        fail_msg(__VA_ARGS__);                                                      \
    } while (0)

/* What push-out leaves, and rounding, m. */
#define LEFT 2e-4

static clash_vec3 point_of(const walker *w, double along)
{
    return clash_vec3_add(
        w->feet.position,
        clash_vec3_add_scaled(walker_body.base, clash_vec3_sub(walker_body.tip, walker_body.base), along));
}

/** How far the body's axis is from the nearest of all triangles, one by one, by code that is not libclash's. */
static double nearest_triangle(const walker *w)
{
    const ref_vec axis[2] = {ref_of(point_of(w, 0)), ref_of(point_of(w, 1))};
    double nearest = INFINITY;

    for (uint32_t k = 0; k < made->triangle_count; k++) {
        ref_vec corners[3];

        for (int n = 0; n < 3; n++)
            corners[n] = ref_of(made->vertices[made->triangles[k][n]]);
        nearest = fmin(nearest, surface_pair_of(axis, corners).distance);
    }
    return nearest;
}

static void check_place(const walker *w, long i)
{
    const clash_vec3 base = point_of(w, 0), tip = point_of(w, 1), feet = w->feet.position;
    const double room = (double)(STAGE_HALF - WALKER_RADIUS) + LEFT;
    const double distance = (double)clash_shape_distance(base, tip, &scene.shape, &scene.pose, NULL);

    if (distance < (double)WALKER_RADIUS - LEFT)
        FAIL(i, "%g m from a wall at %g %g %g", distance, (double)feet.x, (double)feet.y, (double)feet.z);
    if (fabs((double)feet.x) > room || fabs((double)feet.z) > room)
        FAIL(i, "out of the stage at %g %g", (double)feet.x, (double)feet.z);
    if (feet.y < stage_ground(made, feet.x, feet.z) - 1e-3f)
        FAIL(i, "%g m below the ground at %g %g", (double)(stage_ground(made, feet.x, feet.z) - feet.y), (double)feet.x,
             (double)feet.z);
    for (size_t k = 0; k < made->block_count; k++) {
        const stage_block *b = &made->blocks[k];

        if (base.x > b->low.x && base.x < b->high.x && base.z > b->low.z && base.z < b->high.z && base.y < b->high.y &&
            tip.y > b->low.y)
            FAIL(i, "in block %zu at %g %g %g", k, (double)feet.x, (double)feet.y, (double)feet.z);
    }
    if (i % 1000 == 0)
        assert_near(nearest_triangle(w), distance, 1e-5);
    assert_true(w->rise >= -WALKER_FALL_MAX);
}

/** Whether the way of a point from one frame to the next goes through a screen. */
static bool crosses(const stage_screen *s, clash_vec3 a, clash_vec3 b)
{
    const double ux = (double)s->x1 - (double)s->x0, uz = (double)s->z1 - (double)s->z0;
    const double first = ux * ((double)a.z - (double)s->z0) - uz * ((double)a.x - (double)s->x0);
    const double last = ux * ((double)b.z - (double)s->z0) - uz * ((double)b.x - (double)s->x0);
    double t, x, z, along;

    if ((first < 0) == (last < 0))
        return false;
    t = first / (first - last);
    x = (double)a.x + t * ((double)b.x - (double)a.x) - (double)s->x0;
    z = (double)a.z + t * ((double)b.z - (double)a.z) - (double)s->z0;
    along = (x * ux + z * uz) / (ux * ux + uz * uz);
    return along >= 0 && along <= 1 && (double)a.y + t * ((double)b.y - (double)a.y) < (double)s->top;
}

static void check_way(const walker *before, const walker *after, long i)
{
    for (size_t k = 0; k < made->screen_count; k++)
        for (int n = 0; n < 3; n++)
            if (crosses(&made->screens[k], point_of(before, n / 2.0), point_of(after, n / 2.0)))
                FAIL(i, "through screen %zu to %g %g %g", k, (double)after->feet.position.x,
                     (double)after->feet.position.y, (double)after->feet.position.z);
}

typedef struct seen {
    double walked;
    long jumps, on_ground, high, indoors;
} seen;

static clash_vec3 start_of(int number)
{
    const float x = stage_place(number / 2 % 9).x, z = stage_place(number / 2 % 9).z;

    return number % 2 ? (clash_vec3){x + 4.5f, 3, z + 1} : (clash_vec3){x + 1, 0.1f, z + 1};
}

static seen wander(long frames, float speed, float seconds)
{
    walker w = {.feet = {{0, 0, 0, 1}, {0, 1, 0}}}, before;
    wanderer fingers = {.state = seed};
    seen s = {0};

    for (long i = 0; i < frames; i++) {
        walker_wish wish = wanderer_next(&fingers);

        if (i % 2000 == 0) /* now in one of the houses, now on top of a flight of stairs */
            w = (walker){.feet = {{0, 0, 0, 1}, start_of((int)(i / 2000))}};
        before = w;
        wish.x *= speed;
        wish.z *= speed;
        walker_step(&w, wish, seconds, &scene, 1);
        check_place(&w, i);
        check_way(&before, &w, i);
        s.walked += (double)clash_vec3_distance(before.feet.position, w.feet.position);
        s.jumps += before.on_ground && w.rise > 0;
        s.on_ground += w.on_ground;
        s.high += w.on_ground && w.feet.position.y > 1.5f;
        for (int k = 0; k < 9; k++) /* within the walls of a house, which it gets into by its doorway */
            s.indoors += k != 4 && fabsf(w.feet.position.x - stage_place(k).x) < 2.8f && w.feet.position.y < 2 &&
                         fabsf(w.feet.position.z - stage_place(k).z) < 2.8f;
    }
    return s;
}

static void a_hundred_thousand_frames(void **state)
{
    const seen s = wander(random_cases(100000), 1, 1.0f / 60);

    (void)state;
    assert_true(made->triangle_count > 16500 && made->triangle_count < 17500);
    assert_true(s.walked > (double)random_enough(5000) && s.jumps > random_enough(500));
    assert_true(s.on_ground > random_enough(25000) && s.high > random_enough(33) && s.indoors > random_enough(5000));
}

static void much_too_fast(void **state)
{
    (void)state;
    assert_true(wander(random_cases(10000), 60, 1.0f / 60).walked > (double)random_enough(2000));
    assert_true(wander(random_cases(10000), 1, 0.25f).walked > (double)random_enough(1500));
    /* 16 m a frame, and the walls are 30 m high; less than 2000 frames it spends in the first house */
    assert_true(wander(random_cases(2000), 20, 0.1f).walked > 1000 || random_cases(2000) < 2000);
}

/** Up steps, not up what is higher; down them; to the height of a jump; no faster than may be. */
static void steps_jumps_and_falls(void **state)
{
    walker w = {.feet = {{0, 0, 0, 1}, {4.5f, 0, -4}}};
    float top = 0;

    (void)state;
    for (int i = 0; i < 200; i++)
        walker_step(&w, (walker_wish){0, 1.5f, false}, 1.0f / 60, &scene, 1);
    assert_true(w.on_ground);
    assert_near(w.feet.position.y, 1.6, 1e-4); /* eight steps of 0.2 m, of which it is on the last */
    for (int i = 0; i < 200; i++)
        walker_step(&w, (walker_wish){0, -1.5f, false}, 1.0f / 60, &scene, 1);
    assert_near(w.feet.position.y, 0, 1e-4);
    assert_true(w.on_ground);
    for (int i = 0; i < 120; i++) {
        walker_step(&w, (walker_wish){0, 0, i == 0}, 1.0f / 60, &scene, 1);
        top = fmaxf(top, w.feet.position.y);
    }
    assert_near(top, 4.5 * 4.5 / 2 / 9.81, 0.05);
    assert_true(w.on_ground && w.feet.position.y < 1e-4f);
    w = (walker){.feet = {{0, 0, 0, 1}, {0, 500, 0}}};
    for (int i = 0; i < 60 * 40; i++) {
        walker_step(&w, (walker_wish){0, 0, false}, 1.0f / 60, &scene, 1);
        assert_true(w.rise >= -WALKER_FALL_MAX);
        assert_true(w.rise == -WALKER_FALL_MAX || w.on_ground || i < 140);
    }
    assert_near(w.feet.position.y, 0, 1e-4);
    assert_true(w.on_ground);
}

static int set_up(void **state)
{
    clash_mesh *mesh;

    (void)state;
    made = stage_create();
    mesh = made ? stage_mesh(made) : NULL;
    scene.shape.as.mesh = mesh;
    return mesh ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    clash_mesh_destroy((clash_mesh *)scene.shape.as.mesh);
    free(made);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_frames),
        cmocka_unit_test(much_too_fast),
        cmocka_unit_test(steps_jumps_and_falls),
    };

    seed = random_seed(43);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
