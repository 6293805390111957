/* Swords for tests: put together part by part, or at random. */
#ifndef CLASHD_TESTS_SWORDS_H
#define CLASHD_TESTS_SWORDS_H

#include <stdio.h>

#include <clash/shape.h>

#include "support/queries.h"

/** Adds a part along `count` points, without an edge. */
static inline clash_sword_part *sword_add(clash_sword *sword, const char *name, const clash_vec3 *points,
                                          uint32_t count, float radius)
{
    clash_sword_part *part = &sword->parts[sword->part_count++];

    *part = (clash_sword_part){.first = sword->capsule_count, .count = count - 1};
    snprintf(part->name, sizeof part->name, "%s", name);
    for (uint32_t i = 0; i + 1 < count; i++)
        sword->capsules[sword->capsule_count++] = (clash_capsule){points[i], points[i + 1], radius};
    return part;
}

/** A curved blade of some pieces, and mostly a guard; up to eight capsules. */
static inline clash_sword random_sword(random_state *r, double length, double thickness)
{
    uint32_t pieces = 1 + (uint32_t)random_below(r, 6);
    clash_vec3 points[8] = {random_box(r, 0.05)}, across = random_direction(r);
    const float size = (float)(0.12 * length);
    clash_sword sword = {0};

    for (uint32_t i = 0; i < pieces; i++)
        points[i + 1] = query_add(query_add(points[i], random_box(r, 0.06 * length)),
                                  (clash_vec3){0, 0, (float)-(length / (double)pieces)});
    sword_add(&sword, "blade", points, pieces + 1, (float)random_in(r, 0.1 * thickness, thickness));
    sword.parts[0].has_edge = true;
    sword.parts[0].edge = (clash_vec3){0, -1, 0};
    points[0] = (clash_vec3){across.x * size, across.y * size, across.z * size};
    points[1] = (clash_vec3){-points[0].x, -points[0].y, -points[0].z};
    if (random_below(r, 4))
        sword_add(&sword, "guard", points, 2, (float)random_in(r, 0.1 * thickness, thickness));
    return sword;
}

#endif
