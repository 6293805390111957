/* The set of obstacles (clash/obstacles.h) beside a plain list of the same obstacles: after any history of additions, changes and
 * removals every query gives the bits that a loop over the list gives. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <clash/mesh.h>
#include <clash/obstacles.h>

#include "support/queries.h"

enum { MOST = 400, ROUNDS = 40, STEPS = 30, NEAR_MOST = 64 };

/** The list: by handle. */
typedef struct plain {
    bool is_used[MOST];
    clash_obstacle obstacles[MOST];
    clash_layers layers[MOST];
    uint32_t used;
} plain;

static clash_mesh *mesh;

static clash_obstacle any_obstacle(random_state *r, double room)
{
    const clash_vec3 off = random_below(r, 2) ? random_box(r, 3) : (clash_vec3){0, 0, 0};
    const float size = (float)random_in(r, 0, random_below(r, 8) ? 0.5 : 20);
    const int kind = random_below(r, 4);
    clash_obstacle o = {.pose.orientation = random_turn(r, 6.28)};

    o.pose.position = random_box(r, room);
    if (kind == 0)
        o.shape = (clash_shape){.kind = CLASH_SHAPE_SPHERE, .as.sphere = {off, size}};
    else if (kind == 1)
        o.shape = (clash_shape){.kind = CLASH_SHAPE_CAPSULE, .as.capsule = {off, random_box(r, 2), size}};
    else if (kind == 2)
        o.shape = (clash_shape){.kind = CLASH_SHAPE_BOX, .as.box = {off, random_turn(r, 6.28), {size, 0.3f, size}}};
    else
        o.shape = (clash_shape){.kind = CLASH_SHAPE_MESH, .as.mesh = mesh};
    if (random_below(r, 50) == 0) /* valid, though its square is not in the range of float */
        o.pose.orientation = (clash_quat){0, 0, 1e-30f, 0};
    return o;
}

static clash_layers any_layers(random_state *r)
{
    const uint32_t layers = 1u << random_below(r, 3), mask = (uint32_t)random_below(r, 8);

    return random_below(r, 2) ? (clash_layers){false, 0, 0} : clash_layers_of(layers, mask);
}

static bool agree(clash_layers a, clash_layers b)
{
    return (clash_layers_own(&a) & clash_layers_mask(&b)) && (clash_layers_own(&b) & clash_layers_mask(&a));
}

static void change_something(random_state *r, clash_obstacle_set *set, plain *p, double room)
{
    const uint32_t any = (uint32_t)random_below(r, MOST);
    clash_obstacle o = any_obstacle(r, room), bad = o;
    const clash_layers layers = any_layers(r);
    uint32_t handle;

    bad.pose.position.y = (float)NAN;
    assert_int_equal(clash_obstacle_set_add(set, &bad, layers), CLASH_NO_OBSTACLE);
    assert_false(clash_obstacle_set_change(set, any, &bad));
    if (random_below(r, 3) == 0) {
        assert_int_equal(clash_obstacle_set_remove(set, any), p->is_used[any]);
        p->used -= p->is_used[any];
        p->is_used[any] = false;
    } else if (random_below(r, 2) || p->used == MOST) {
        assert_int_equal(clash_obstacle_set_change(set, any, &o), p->is_used[any]);
        if (p->is_used[any])
            p->obstacles[any] = o;
    } else {
        handle = clash_obstacle_set_add(set, &o, layers);
        assert_true(handle < MOST && !p->is_used[handle]);
        p->is_used[handle] = true;
        p->obstacles[handle] = o;
        p->layers[handle] = layers;
        p->used++;
    }
    assert_int_equal(clash_obstacle_set_get(set, any) != NULL, p->is_used[any]);
}

/** All whose layers agree, in the order of their handles. */
static size_t listed(const plain *p, clash_layers layers, clash_obstacle out[MOST], uint32_t out_handles[MOST])
{
    size_t count = 0;

    for (uint32_t h = 0; h < MOST; h++) {
        if (!p->is_used[h] || !agree(p->layers[h], layers))
            continue;
        out_handles[count] = h;
        out[count++] = p->obstacles[h];
    }
    return count;
}

static void compare_push_out(random_state *r, const clash_obstacle_set *set, const plain *p, double room)
{
    static clash_obstacle all[MOST], near[MOST];
    uint32_t handles[MOST], first[3];
    clash_obstacle few[3];
    const clash_layers layers = any_layers(r);
    const clash_body blade = query_body(r, room, 0.3, 0.5, 0.03);
    clash_push_input in = clash_push_input_default();
    clash_push_output of_all = {0}, of_near = {0};
    clash_push_result result;
    size_t count;

    in.capsules = &blade.shape;
    in.capsule_count = 1;
    in.pose = blade.motion.to;
    in.from = random_below(r, 2) ? &blade.motion.from : NULL;
    in.obstacles = all;
    in.obstacle_count = listed(p, layers, all, handles);
    result = clash_push_out(&in, &of_all);
    count = clash_obstacle_set_near(set, &in, layers, near, handles, MOST);
    assert_true(count <= in.obstacle_count);
    assert_int_equal(clash_obstacle_set_near(set, &in, layers, few, first, 3), count);
    assert_memory_equal(first, handles, (count < 3 ? count : 3) * sizeof *first);
    assert_int_equal(clash_obstacle_set_near(set, &in, layers, NULL, NULL, 0), count);
    for (size_t k = 0; k < count; k++)
        assert_memory_equal(&near[k], &p->obstacles[handles[k]], sizeof near[k]);
    if (count > NEAR_MOST)
        return;
    in.obstacles = near;
    in.obstacle_count = count;
    assert_int_equal(clash_push_out(&in, &of_near), result);
    assert_memory_equal(&of_near, &of_all, sizeof of_all);
}

static void compare_ray(random_state *r, const clash_obstacle_set *set, const plain *p, double room)
{
    const clash_vec3 origin = random_box(r, room);
    clash_vec3 direction = random_direction(r);
    const clash_layers layers = any_layers(r);
    const double most = random_below(r, 2) ? INFINITY : random_in(r, 0, room);
    uint32_t first = CLASH_NO_OBSTACLE, found = CLASH_NO_OBSTACLE;
    clash_ray_hit hit, of_set, least = {.parameter = INFINITY};

    if (random_below(r, 4) == 0) /* along an axis */
        direction = (clash_vec3){0, random_below(r, 2) ? 1 : -1, 0};
    for (uint32_t h = 0; h < MOST; h++) {
        if (!p->is_used[h] || !agree(p->layers[h], layers) ||
            clash_ray_shape(origin, direction, most, &p->obstacles[h].shape, &p->obstacles[h].pose, &hit) != 1 ||
            (first != CLASH_NO_OBSTACLE && hit.parameter >= least.parameter))
            continue;
        first = h;
        least = hit;
    }
    assert_int_equal(clash_obstacle_set_ray(set, origin, direction, most, layers, &of_set, &found),
                     first != CLASH_NO_OBSTACLE);
    assert_int_equal(found, first);
    if (found != CLASH_NO_OBSTACLE) {
        assert_true(of_set.parameter == least.parameter && of_set.triangle == least.triangle);
        assert_memory_equal(&of_set.point, &least.point, sizeof least.point);
        assert_memory_equal(&of_set.normal, &least.normal, sizeof least.normal);
    }
    direction.x = (float)NAN;
    assert_int_equal(clash_obstacle_set_ray(set, origin, direction, most, layers, NULL, NULL), -1);
}

static void compare_overlaps(random_state *r, const clash_obstacle_set *set, const plain *p, double room)
{
    static clash_obstacle_touch all[MOST], of_set[MOST];
    const clash_layers layers = any_layers(r);
    clash_body blade = query_body(r, room, 0.1, 0.1, random_below(r, 2) ? 0.05 : 2);
    clash_obstacle_touch few[2];
    size_t count = 0, found = 99, again = 99;

    for (uint32_t h = 0; h < MOST; h++) {
        clash_obstacle_touch touch = {.handle = h};

        if (p->is_used[h] && agree(p->layers[h], layers) &&
            clash_overlap_of(&blade.shape, &blade.motion.to, &p->obstacles[h], &touch.overlap) &&
            touch.overlap.depth >= 0)
            all[count++] = touch;
    }
    assert_true(clash_obstacle_set_overlaps(set, &blade.shape, &blade.motion.to, layers, of_set, MOST, &found));
    assert_int_equal(found, count);
    assert_memory_equal(of_set, all, count * sizeof *all);
    assert_true(clash_obstacle_set_overlaps(set, &blade.shape, &blade.motion.to, layers, few, 2, &again));
    assert_int_equal(again, count);
    assert_memory_equal(few, all, (count < 2 ? count : 2) * sizeof *all);
    assert_true(clash_obstacle_set_overlaps(set, &blade.shape, &blade.motion.to, layers, NULL, 0, &again));
    assert_int_equal(again, count);
    blade.shape.tip.z = INFINITY;
    again = 99;
    assert_false(clash_obstacle_set_overlaps(set, &blade.shape, &blade.motion.to, layers, few, 2, &again));
    assert_int_equal(again, 99);
}

static void a_set_answers_as_a_list_does(void **state)
{
    static plain p;

    (void)state;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        random_state r = {77 + (i << 8)};
        const double room = random_below(&r, 2) ? 3 : random_below(&r, 2) ? 30 : 3000;
        clash_obstacle_set *set = clash_obstacle_set_create();

        assert_non_null(set);
        memset(&p, 0, sizeof p);
        for (int step = 0; step < STEPS; step++) {
            const int changes = random_below(&r, 60);

            for (int k = 0; k < changes; k++)
                change_something(&r, set, &p, room);
            compare_push_out(&r, set, &p, room);
            compare_ray(&r, set, &p, room);
            compare_overlaps(&r, set, &p, room);
        }
        clash_obstacle_set_destroy(set);
    }
}

static int set_up(void **state)
{
    static const clash_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

    (void)state;
    mesh = clash_mesh_create(corners, 4, triangles, 4);
    return mesh ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    clash_mesh_destroy(mesh);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_set_answers_as_a_list_does)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
