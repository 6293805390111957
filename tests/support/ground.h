/* Rough ground that all tests of a group stand on, as shapes take it. */
#ifndef CLASHD_TESTS_GROUND_H
#define CLASHD_TESTS_GROUND_H

#include <stdint.h>

#include <clash/mesh.h>

#define GROUND_SIDE_MAX 65u

static clash_terrain *ground;

/** Make it of `side` by `side` heights, `spacing` m apart. A height is one of `levels`, each `rise` m above the one before; the next one
 *  lies `stride` levels further on, and begins anew at the lowest after the highest. Return what a group's setup returns. */
static inline int ground_make(uint32_t side, float spacing, uint32_t levels, float rise, uint32_t stride)
{
    static float heights[GROUND_SIDE_MAX * GROUND_SIDE_MAX];

    for (uint32_t i = 0; i < side * side; i++)
        heights[i] = (float)(i * stride % levels) * rise;
    ground = clash_terrain_create(heights, side, side, spacing, spacing);
    return ground ? 0 : -1;
}

/** A group's teardown. */
static inline int ground_remove(void **state)
{
    (void)state;
    clash_terrain_destroy(ground);
    return 0;
}

#endif
