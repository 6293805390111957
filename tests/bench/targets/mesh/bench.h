/* What the parts of mesh_bench have in common: a mesh as plain arrays, a run of frames, and Bullet behind a C interface. */
#ifndef CLASHD_BENCH_MESH_H
#define CLASHD_BENCH_MESH_H

#include <clash/mesh.h>
#include <clash/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_mesh {
    clash_vec3 *vertices;
    uint32_t vertex_count;
    uint32_t (*triangles)[3];
    uint32_t count;
} bench_mesh;

/** A bumpy ball about half a metre in radius, of about that many triangles. Arrays are NULL when out of memory. */
bench_mesh bench_ball(uint32_t triangles);
void bench_ball_free(bench_mesh *mesh);

/** Consecutive frames at 90 Hz of a sword that is swung at the ball, past it and through it, as a hand does. */
void bench_swings(clash_body *out, size_t count);

typedef struct bullet_mesh bullet_mesh;

bullet_mesh *bullet_mesh_create(const bench_mesh *mesh);
void bullet_mesh_destroy(bullet_mesh *bullet);
/** convexSweepTest from the blade's first pose to its last; false where it finds nothing. */
bool bullet_mesh_sweep(bullet_mesh *bullet, const clash_body *blade, double *out_fraction);

#ifdef __cplusplus
}
#endif

#endif
