/* Eight floats at a time, and eight bodies laid out field by field: the batch's view of bodies. One AVX register where
 * there is AVX, two SSE or NEON ones elsewhere; the same results either way. */
#ifndef CLASH_GEOMETRY_WIDE_H
#define CLASH_GEOMETRY_WIDE_H

#include <clash/sweep.h>

#include "lanes.h"

#define WIDE 8

/* A loop that the compiler leaves standing keeps its vectors in memory. */
#if defined(__clang__)
#define WIDE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define WIDE_UNROLL _Pragma("GCC unroll 8")
#endif

typedef float wide __attribute__((vector_size(4 * WIDE)));
/* In memory that is not aligned for it. Read by a plain load: gcc copies 32 bytes in two halves, which a load of the whole must
 * then wait for. */
typedef float wide_in_memory __attribute__((vector_size(4 * WIDE), aligned(4), may_alias));
typedef int32_t wide_bits __attribute__((vector_size(4 * WIDE)));

typedef struct wide3 {
    wide x, y, z;
} wide3;

typedef struct wide_quat {
    wide3 v;
    wide w;
} wide_quat;

/** Eight bodies: lane i of each field is that of body i. */
typedef struct wide_bodies {
    wide3 base, tip;
    wide radius;
    wide_quat from_turn, to_turn;
    wide3 from, to;
    bool finite; /* all of the eight are certain to be; their sums are */
} wide_bodies;

LANES_INLINE wide wide_all(float s)
{
    return (wide){s, s, s, s, s, s, s, s};
}

LANES_INLINE wide_bits wide_all_bits(int32_t bits)
{
    return (wide_bits){bits, bits, bits, bits, bits, bits, bits, bits};
}

/* As in lanes.h. */
LANES_INLINE wide wide_choose(wide_bits where, wide yes, wide no)
{
#if defined(LANES_BLEND)
    return (wide)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)where);
#else
    return (wide)((where & (wide_bits)yes) | (~where & (wide_bits)no));
#endif
}

LANES_INLINE wide wide_max(wide a, wide b)
{
#if defined(__AVX__)
    return (wide)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return wide_choose(a > b, a, b);
#endif
}

LANES_INLINE wide wide_min(wide a, wide b)
{
#if defined(__AVX__)
    return (wide)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return wide_choose(a < b, a, b);
#endif
}

LANES_INLINE wide wide_clamp01(wide a)
{
    return wide_min(wide_max(a, wide_all(0.0f)), wide_all(1.0f));
}

LANES_INLINE wide wide_abs(wide a)
{
    return (wide)((wide_bits)a & 0x7fffffff);
}

LANES_INLINE wide wide_sqrt(wide a)
{
#if defined(__AVX__)
    return (wide)_mm256_sqrt_ps((__m256)a);
#else
    wide root;

    for (int i = 0; i < WIDE; i++)
        root[i] = sqrtf(a[i]);
    return root;
#endif
}

/** Bit i is set where lane i is. */
LANES_INLINE unsigned wide_mask(wide_bits where)
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)where);
#else
    unsigned mask = 0;

    for (int i = 0; i < WIDE; i++)
        mask |= (where[i] ? 1u : 0u) << i;
    return mask;
#endif
}

LANES_INLINE wide3 wide3_add(wide3 a, wide3 b)
{
    return (wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANES_INLINE wide3 wide3_sub(wide3 a, wide3 b)
{
    return (wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_INLINE wide3 wide3_mad(wide3 a, wide3 b, wide s)
{
    return (wide3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

LANES_INLINE wide wide3_dot(wide3 a, wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE wide3 wide3_cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#define WIDE_PAIR(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/** Rows to columns. */
LANES_INLINE void wide_transpose(wide r[WIDE])
{
    wide t[WIDE], u[WIDE];

    WIDE_UNROLL
    for (int i = 0; i < WIDE; i += 2) {
        t[i] = WIDE_PAIR(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = WIDE_PAIR(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    WIDE_UNROLL
    for (int i = 0; i < WIDE; i += 4) {
        u[i] = WIDE_PAIR(t[i], t[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 1] = WIDE_PAIR(t[i], t[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        u[i + 2] = WIDE_PAIR(t[i + 1], t[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 3] = WIDE_PAIR(t[i + 1], t[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    WIDE_UNROLL
    for (int i = 0; i < 4; i++) {
        r[i] = WIDE_PAIR(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = WIDE_PAIR(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/** Fields start .. start + 7 of bodies[index[0]] .. bodies[index[7]]; adds all of them to *sum. */
LANES_INLINE void wide_load_fields(wide out[WIDE], const clash_body *bodies, const uint32_t index[WIDE], size_t start,
                                   wide *sum)
{
    WIDE_UNROLL
    for (int i = 0; i < WIDE; i++) {
        out[i] = *(const wide_in_memory *)((const float *)&bodies[index[i]] + start);
        *sum += out[i];
    }
    wide_transpose(out);
}

/** Loads bodies[index[0]] .. bodies[index[7]]. */
LANES_INLINE void wide_load(wide_bodies *out, const clash_body *bodies, const uint32_t index[WIDE])
{
    wide f[WIDE], g[WIDE], h[WIDE], sum = wide_all(0.0f);

    _Static_assert(sizeof(clash_body) == 21 * sizeof(float), "a body is 21 floats without padding");
    wide_load_fields(f, bodies, index, 0, &sum);
    wide_load_fields(g, bodies, index, 8, &sum);
    wide_load_fields(h, bodies, index, 13, &sum);
    out->base = (wide3){f[0], f[1], f[2]};
    out->tip = (wide3){f[3], f[4], f[5]};
    out->radius = f[6];
    out->from_turn = (wide_quat){{f[7], g[0], g[1]}, g[2]};
    out->from = (wide3){g[3], g[4], h[0]};
    out->to_turn = (wide_quat){{h[1], h[2], h[3]}, h[4]};
    out->to = (wide3){h[5], h[6], h[7]};
    out->finite = wide_mask(sum * 0.0f == 0.0f) == (1u << WIDE) - 1;
}

#endif
