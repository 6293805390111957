/* The simplest scene: blade A along z on device "a", blade B along x on device "b", both of 1/128 m radius, crossing at
 * right angles. They touch if their heights differ by at most 1/64 m; at TOUCHING they are well within. */
#ifndef CLASHD_TESTS_TOUCHING_H
#define CLASHD_TESTS_TOUCHING_H

#include "support/scene.h"

#define RADIUS 0.0078125f
#define TOUCHING 0.0078125

static const clash_capsule along_z = {{0, 0, -0.5f}, {0, 0, 0.5f}, RADIUS};
static const clash_capsule along_x = {{-0.5f, 0, 0}, {0.5f, 0, 0}, RADIUS};

static inline void add_blade(scene *s, const char *name, uint32_t device, clash_capsule shape)
{
    pipeline_blade blade = scene_blade(name, device, shape);

    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

static inline scene *two_blades(pipeline_settings settings)
{
    scene *s = scene_create(&settings);

    add_blade(s, "A", 0, along_z);
    add_blade(s, "B", 1, along_x);
    return s;
}

static inline clash_pose low(void)
{
    return scene_at(0, 0, 0);
}

static inline clash_pose high(double y)
{
    return scene_at(0, y, 0);
}

/** Two static blades that touch, swept from 0 to 20 ms in two pieces; the clash has been sent. */
static inline scene *touching_scene(pipeline_settings settings)
{
    scene *s = two_blades(settings);

    for (int i = 0; i <= 2; i++)
        scene_push_both(s, 10 * SCENE_MS * i, low(), high(TOUCHING));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 0);
    return s;
}

#endif
