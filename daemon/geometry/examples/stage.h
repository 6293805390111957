/* A stage of some 17,000 triangles to walk about in, one mesh: hills around a yard, four walls around everything,
 * buildings with doors and low ceilings, stairs, pillars, and screens without thickness. Always the same. */
#ifndef STAGE_H
#define STAGE_H

#include <clash/mesh.h>
#include <math.h>
#include <stdlib.h>

enum {
    STAGE_CELLS = 84,
    STAGE_BLOCKS_MAX = 256,
    STAGE_SCREENS_MAX = 32,
    STAGE_VERTICES_MAX = 24000,
    STAGE_TRIANGLES_MAX = 24000
};

/* The ground reaches from -STAGE_HALF to STAGE_HALF along x and z, m. */
#define STAGE_HALF 40.0f
#define STAGE_TOP 30.0f

/** Axis-aligned, solid: a step, a wall, a roof. */
typedef struct stage_block {
    clash_vec3 low, high;
} stage_block;

/** Upright, from one place to another, of no thickness. */
typedef struct stage_screen {
    float x0, z0, x1, z1, top;
} stage_screen;

typedef struct stage {
    clash_vec3 vertices[STAGE_VERTICES_MAX];
    uint32_t triangles[STAGE_TRIANGLES_MAX][3], vertex_count, triangle_count;
    stage_block blocks[STAGE_BLOCKS_MAX];
    stage_screen screens[STAGE_SCREENS_MAX];
    size_t block_count, screen_count;
    float heights[STAGE_CELLS + 1][STAGE_CELLS + 1]; /* by z, then by x */
} stage;

static inline uint32_t stage_vertex(stage *s, float x, float y, float z)
{
    s->vertices[s->vertex_count] = (clash_vec3){x, y, z};
    return s->vertex_count++;
}

static inline void stage_triangle(stage *s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = s->triangles[s->triangle_count++];

    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/** a b c d counter-clockwise seen from where one can be. */
static inline void stage_quad(stage *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    stage_triangle(s, a, b, c);
    stage_triangle(s, a, c, d);
}

static inline float stage_grid(int i)
{
    return -STAGE_HALF + 2.0f * STAGE_HALF * (float)i / STAGE_CELLS;
}

/** Flat in the yard, hills around it. Plain arithmetic, so that it is the same on every machine. */
static inline float stage_hill(float x, float z)
{
    float out = fmaxf(fabsf(x), fabsf(z)) - 20.0f, rise = out < 0.0f ? 0.0f : out > 6.0f ? 1.0f : out / 6.0f;
    float u = 0.09f * x - floorf(0.09f * x), v = 0.07f * z - floorf(0.07f * z);

    return rise * 24.0f * u * (1.0f - u) * v * (1.0f - v);
}

/** The ground's height below or above a place of the stage. */
static inline float stage_ground(const stage *s, float x, float z)
{
    float column = (x + STAGE_HALF) * STAGE_CELLS / (2.0f * STAGE_HALF);
    float row = (z + STAGE_HALF) * STAGE_CELLS / (2.0f * STAGE_HALF);
    int i = (int)fminf(fmaxf(column, 0.0f), STAGE_CELLS - 1), j = (int)fminf(fmaxf(row, 0.0f), STAGE_CELLS - 1);
    float u = column - (float)i, v = row - (float)j, a = s->heights[j][i], b = s->heights[j][i + 1];
    float c = s->heights[j + 1][i], d = s->heights[j + 1][i + 1];

    return u + v <= 1.0f ? a + (b - a) * u + (c - a) * v : d + (c - d) * (1.0f - u) + (b - d) * (1.0f - v);
}

static inline void stage_add_ground(stage *s)
{
    uint32_t first = s->vertex_count;

    for (int j = 0; j <= STAGE_CELLS; j++) {
        for (int i = 0; i <= STAGE_CELLS; i++) {
            s->heights[j][i] = stage_hill(stage_grid(i), stage_grid(j));
            stage_vertex(s, stage_grid(i), s->heights[j][i], stage_grid(j));
        }
    }
    for (uint32_t j = 0; j < STAGE_CELLS; j++) {
        for (uint32_t i = 0; i < STAGE_CELLS; i++) {
            uint32_t a = first + j * (STAGE_CELLS + 1) + i, c = a + STAGE_CELLS + 1;

            stage_triangle(s, a, c, a + 1);
            stage_triangle(s, a + 1, c, c + 1);
        }
    }
}

static inline void stage_add_screen(stage *s, float x0, float z0, float x1, float z1, float top)
{
    uint32_t a = stage_vertex(s, x0, -2.0f, z0), b = stage_vertex(s, x1, -2.0f, z1);
    uint32_t c = stage_vertex(s, x1, top, z1), d = stage_vertex(s, x0, top, z0);

    s->screens[s->screen_count++] = (stage_screen){x0, z0, x1, z1, top};
    stage_quad(s, a, b, c, d);
}

static inline void stage_add_block(stage *s, float x0, float y0, float z0, float x1, float y1, float z1)
{
    static const uint32_t faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                         {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    uint32_t v[8];

    for (uint32_t k = 0; k < 8; k++)
        v[k] = stage_vertex(s, k & 1 ? x1 : x0, k & 2 ? y1 : y0, k & 4 ? z1 : z0);
    for (int f = 0; f < 6; f++)
        stage_quad(s, v[faces[f][3]], v[faces[f][2]], v[faces[f][1]], v[faces[f][0]]);
    s->blocks[s->block_count++] = (stage_block){{x0, y0, z0}, {x1, y1, z1}};
}

/** Upright, of 16 sides, with a roof to jump on. */
static inline void stage_add_pillar(stage *s, float x, float z, float radius, float top)
{
    static const float turns[5] = {0.0f, 0.38268343f, 0.70710678f, 0.92387953f,
                                   1.0f}; /* sines of eighths of a quarter */
    uint32_t low[16], high[16];

    for (uint32_t k = 0; k < 16; k++) {
        uint32_t quarter = k / 4, part = k % 4;
        float sine = turns[part], cosine = turns[4 - part];
        float u = quarter == 0 ? cosine : quarter == 1 ? -sine : quarter == 2 ? -cosine : sine;
        float v = quarter == 0 ? sine : quarter == 1 ? cosine : quarter == 2 ? -sine : -cosine;

        low[k] = stage_vertex(s, x + radius * u, -2.0f, z + radius * v);
        high[k] = stage_vertex(s, x + radius * u, top, z + radius * v);
    }
    for (uint32_t k = 0; k < 16; k++)
        stage_quad(s, low[(k + 1) % 16], low[k], high[k], high[(k + 1) % 16]);
    for (uint32_t k = 2; k < 16; k++)
        stage_triangle(s, high[0], high[k], high[k - 1]);
}

/** Walls 10 cm thick with a door, and a roof that is low over one half. */
static inline void stage_add_house(stage *s, float x, float z)
{
    stage_add_block(s, x - 3, -1, z - 3, x + 3, 3, z - 2.9f);
    stage_add_block(s, x - 3, -1, z - 2.9f, x - 2.9f, 3, z + 3);
    stage_add_block(s, x + 2.9f, -1, z - 2.9f, x + 3, 3, z + 3);
    stage_add_block(s, x - 2.9f, -1, z + 2.9f, x - 0.6f, 3, z + 3);
    stage_add_block(s, x + 0.6f, -1, z + 2.9f, x + 2.9f, 3, z + 3);
    stage_add_block(s, x - 3, 3, z - 3, x + 3, 3.1f, z + 3);
    stage_add_block(s, x - 2.9f, 1.8f, z - 2.9f, x, 1.9f, z + 1); /* headroom to stand, but not to jump */
    stage_add_block(s, x - 2.5f, -1, z - 2.5f, x - 1.5f, 0.3f, z - 1.5f);
}

static inline void stage_add_stairs(stage *s, float x, float z, float step)
{
    for (int k = 0; k < 8; k++)
        stage_add_block(s, x, -1, z + 0.4f * (float)k, x + 2, step * (float)(k + 1), z + 0.4f * (float)(k + 1));
}

/** The middles of the yard's nine places: a house on each but the middle one, stairs beside it. */
static inline clash_vec3 stage_place(int k)
{
    int column = k % 3 - 1, row = k / 3 - 1;

    return (clash_vec3){11.0f * (float)column, 0.0f, 11.0f * (float)row};
}

static inline void stage_add_all(stage *s)
{
    stage_add_ground(s);
    stage_add_screen(s, -STAGE_HALF, -STAGE_HALF, STAGE_HALF, -STAGE_HALF, STAGE_TOP);
    stage_add_screen(s, STAGE_HALF, -STAGE_HALF, STAGE_HALF, STAGE_HALF, STAGE_TOP);
    stage_add_screen(s, STAGE_HALF, STAGE_HALF, -STAGE_HALF, STAGE_HALF, STAGE_TOP);
    stage_add_screen(s, -STAGE_HALF, STAGE_HALF, -STAGE_HALF, -STAGE_HALF, STAGE_TOP);
    for (int k = 0; k < 9; k++) {
        float x = stage_place(k).x, z = stage_place(k).z;

        if (k != 4)
            stage_add_house(s, x, z);
        stage_add_stairs(s, x + 3.5f, z - 2, k % 2 ? 0.3f : 0.2f);
        stage_add_pillar(s, x + 4.5f, z + 4.5f, 0.2f + 0.05f * (float)k, 1.0f + 0.5f * (float)k);
        stage_add_pillar(s, x - 4.5f, z + 4.0f, 0.3f, 0.3f);
    }
    for (int k = 0; k < 12; k++) { /* a maze of screens on the hills, some of which meet at a sharp angle */
        float x = -34.0f + 5.5f * (float)k;

        stage_add_screen(s, x, 24.0f, x + 4.0f, 24.0f + (k % 3 ? 6.0f : 1.0f), 12.0f);
        stage_add_screen(s, x, 24.0f, x + 1.0f, 33.0f, 9.0f);
    }
    for (int k = 0; k < 40; k++) /* stones, each no higher than a jump */
        stage_add_block(s, -38.0f + 1.9f * (float)k, -2, -30, -37.2f + 1.9f * (float)k, 3.0f + 0.2f * (float)(k % 5),
                        -27);
}

/** Return NULL when out of memory. */
static inline stage *stage_create(void)
{
    stage *s = calloc(1, sizeof *s);

    if (s)
        stage_add_all(s);
    return s;
}

static inline clash_mesh *stage_mesh(const stage *s)
{
    return clash_mesh_create(s->vertices, s->vertex_count, s->triangles, s->triangle_count);
}

#endif
