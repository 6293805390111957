/* Terrains: a copy of the heights, and above them a pyramid of the least and greatest heights of ever larger squares of
 * cells, which is all the tree a grid needs. Pure except for memory. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

static bool size_is_valid(uint32_t columns, uint32_t rows)
{
    return columns >= 2 && rows >= 2 && (uint64_t)(columns - 1) * (rows - 1) <= CLASH_TRIANGLES_MAX / 2;
}

static bool reaches_are_valid(uint32_t columns, uint32_t rows, float spacing_x, float spacing_z)
{
    return spacing_x > 0.0f && spacing_z > 0.0f && isfinite((float)((double)(columns - 1) * (double)spacing_x)) &&
           isfinite((float)((double)(rows - 1) * (double)spacing_z));
}

static bool heights_are_valid(const float *heights, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(heights[i]))
            return false;
    }
    return true;
}

/** Compute how many squares each level has; return how many in all. */
static size_t plan_levels(clash_terrain *t)
{
    size_t sum = 0;

    t->widths[0] = t->columns - 1;
    t->lengths[0] = t->rows - 1;
    t->top = 0;
    while (t->widths[t->top] > 1 || t->lengths[t->top] > 1) {
        t->widths[t->top + 1] = (t->widths[t->top] + 1) / 2;
        t->lengths[t->top + 1] = (t->lengths[t->top] + 1) / 2;
        t->top++;
        sum += (size_t)t->widths[t->top] * t->lengths[t->top];
    }
    return sum;
}

/** Return a square's range from the up to four below it. */
static terrain_range range_of_four(const clash_terrain *t, int level, uint32_t column, uint32_t row)
{
    terrain_range all = terrain_range_of(t, level - 1, 2 * column, 2 * row);

    for (uint32_t k = 1; k < 4; k++) {
        uint32_t i = 2 * column + (k & 1), j = 2 * row + (k >> 1);
        terrain_range one;

        if (i >= t->widths[level - 1] || j >= t->lengths[level - 1])
            continue;
        one = terrain_range_of(t, level - 1, i, j);
        all = (terrain_range){fminf(all.low, one.low), fmaxf(all.high, one.high)};
    }
    return all;
}

static void fill_levels(clash_terrain *t)
{
    terrain_range *next = t->store;

    for (int level = 1; level <= t->top; level++) {
        t->squares[level] = next;
        for (uint32_t j = 0; j < t->lengths[level]; j++) {
            for (uint32_t i = 0; i < t->widths[level]; i++)
                *next++ = range_of_four(t, level, i, j);
        }
    }
}

static void set_bounds(clash_terrain *t)
{
    terrain_range all = terrain_range_of(t, t->top, 0, 0);

    t->low = terrain_point(t, 0, 0);
    t->high = terrain_point(t, t->columns - 1, t->rows - 1);
    t->low.y = all.low;
    t->high.y = all.high;
}

clash_terrain *clash_terrain_create(const float *heights, uint32_t columns, uint32_t rows, float spacing_x,
                                    float spacing_z)
{
    size_t count = (size_t)columns * rows, squares;
    clash_terrain *t;

    if (!size_is_valid(columns, rows) || !reaches_are_valid(columns, rows, spacing_x, spacing_z) ||
        !heights_are_valid(heights, count)) {
        errno = EINVAL;
        return NULL;
    }
    t = calloc(1, sizeof *t);
    if (!t) {
        errno = ENOMEM;
        return NULL;
    }
    *t = (clash_terrain){.columns = columns, .rows = rows, .spacing_x = spacing_x, .spacing_z = spacing_z};
    squares = plan_levels(t);
    t->heights = malloc(count * sizeof *t->heights);
    t->store = calloc(squares + 1, sizeof *t->store);
    if (!t->heights || !t->store) {
        clash_terrain_destroy(t);
        errno = ENOMEM;
        return NULL;
    }
    memcpy(t->heights, heights, count * sizeof *t->heights);
    fill_levels(t);
    set_bounds(t);
    return t;
}

void clash_terrain_destroy(clash_terrain *terrain)
{
    if (!terrain)
        return;
    free(terrain->heights);
    free(terrain->store);
    free(terrain);
}

uint32_t clash_terrain_triangle_count(const clash_terrain *terrain)
{
    return 2 * (terrain->columns - 1) * (terrain->rows - 1);
}

int clash_terrain_triangle(const clash_terrain *terrain, uint32_t triangle, clash_vec3 out_corners[3])
{
    uint32_t cell = triangle / 2, width = terrain->columns - 1;

    if (triangle >= clash_terrain_triangle_count(terrain))
        return -1;
    terrain_corners(terrain, cell % width, cell / width, triangle % 2, out_corners);
    return 0;
}
