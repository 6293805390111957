/* Eight floats at a time, and eight bodies by field: how a batch sees bodies. One AVX register if there is AVX, else
 * two SSE or NEON ones; the results are the same. */
#ifndef CLASH_GEOMETRY_F32X8_H
#define CLASH_GEOMETRY_F32X8_H

#include <clash/sweep.h>

#include "f64x4.h"

#define F32X8 8

/* Unroll: in a loop that stays one, the compiler keeps its vectors in memory. */
#if defined(__clang__)
#define F32X8_UNROLL _Pragma("clang loop unroll(full)")
#else
#define F32X8_UNROLL _Pragma("GCC unroll 8")
#endif

typedef float f32x8 __attribute__((vector_size(4 * F32X8)));
/* Eight floats in unaligned memory. Read them with a plain load: gcc copies 32 bytes in two halves, and a load of the
 * whole must then wait for both. */
typedef float f32x8_in_memory __attribute__((vector_size(4 * F32X8), aligned(4), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(4 * F32X8)));

typedef struct f32x8_vec {
    f32x8 x, y, z;
} f32x8_vec;

typedef struct f32x8_quat {
    f32x8_vec v;
    f32x8 w;
} f32x8_quat;

/** Eight bodies: lane i of each field is that of body i. */
typedef struct f32x8_bodies {
    f32x8_vec base, tip;
    f32x8 radius;
    f32x8_quat from_turn, to_turn;
    f32x8_vec from, to;
    bool finite; /* all eight are certain to be finite: their sums are */
} f32x8_bodies;

SIMD_INLINE f32x8 f32x8_all(float s)
{
    return (f32x8){s, s, s, s, s, s, s, s};
}

SIMD_INLINE i32x8 f32x8_all_bits(int32_t bits)
{
    return (i32x8){bits, bits, bits, bits, bits, bits, bits, bits};
}

/* As in f64x4.h. */
SIMD_INLINE f32x8 f32x8_choose(i32x8 where, f32x8 yes, f32x8 no)
{
#if defined(F64X4_BLEND)
    return (f32x8)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)where);
#else
    return (f32x8)((where & (i32x8)yes) | (~where & (i32x8)no));
#endif
}

#if defined(F64X4_HALVES)
#define F32X8_HALVES(operation, a, b)                                                             \
    (f32x8) __builtin_shufflevector(operation((__m128)__builtin_shufflevector(a, a, 0, 1, 2, 3),  \
                                              (__m128)__builtin_shufflevector(b, b, 0, 1, 2, 3)), \
                                    operation((__m128)__builtin_shufflevector(a, a, 4, 5, 6, 7),  \
                                              (__m128)__builtin_shufflevector(b, b, 4, 5, 6, 7)), \
                                    0, 1, 2, 3, 4, 5, 6, 7)
#endif

/** a < b. */
SIMD_INLINE i32x8 f32x8_less(f32x8 a, f32x8 b)
{
#if defined(F32X8_HALVES)
    return (i32x8)F32X8_HALVES(_mm_cmplt_ps, a, b);
#else
    return a < b;
#endif
}

SIMD_INLINE f32x8 f32x8_max(f32x8 a, f32x8 b)
{
#if defined(__AVX__)
    return (f32x8)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(F32X8_HALVES)
    return F32X8_HALVES(_mm_max_ps, a, b);
#else
    return f32x8_choose(a > b, a, b);
#endif
}

SIMD_INLINE f32x8 f32x8_min(f32x8 a, f32x8 b)
{
#if defined(__AVX__)
    return (f32x8)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(F32X8_HALVES)
    return F32X8_HALVES(_mm_min_ps, a, b);
#else
    return f32x8_choose(a < b, a, b);
#endif
}

SIMD_INLINE f32x8 f32x8_clamp01(f32x8 a)
{
    return f32x8_min(f32x8_max(a, f32x8_all(0.0f)), f32x8_all(1.0f));
}

SIMD_INLINE f32x8 f32x8_abs(f32x8 a)
{
    return (f32x8)((i32x8)a & 0x7fffffff);
}

SIMD_INLINE f32x8 f32x8_sqrt(f32x8 a)
{
#if defined(__AVX__)
    return (f32x8)_mm256_sqrt_ps((__m256)a);
#else
    f32x8 root;

    for (int i = 0; i < F32X8; i++)
        root[i] = sqrtf(a[i]);
    return root;
#endif
}

/** Return a mask with bit i set if lane i is. */
SIMD_INLINE unsigned f32x8_mask(i32x8 where)
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)where);
#elif defined(F32X8_HALVES)
    f32x8 lanes = (f32x8)where;

    return (unsigned)_mm_movemask_ps((__m128)__builtin_shufflevector(lanes, lanes, 0, 1, 2, 3)) |
           (unsigned)_mm_movemask_ps((__m128)__builtin_shufflevector(lanes, lanes, 4, 5, 6, 7)) << 4;
#else
    unsigned mask = 0;

    for (int i = 0; i < F32X8; i++)
        mask |= (where[i] ? 1u : 0u) << i;
    return mask;
#endif
}

SIMD_INLINE f32x8_vec f32x8_vec_add(f32x8_vec a, f32x8_vec b)
{
    return (f32x8_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

SIMD_INLINE f32x8_vec f32x8_vec_sub(f32x8_vec a, f32x8_vec b)
{
    return (f32x8_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

SIMD_INLINE f32x8_vec f32x8_vec_mad(f32x8_vec a, f32x8_vec b, f32x8 s)
{
    return (f32x8_vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

SIMD_INLINE f32x8 f32x8_vec_dot(f32x8_vec a, f32x8_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SIMD_INLINE f32x8_vec f32x8_vec_cross(f32x8_vec a, f32x8_vec b)
{
    return (f32x8_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#define F32X8_PAIR(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/** Turn rows into columns. */
SIMD_INLINE void f32x8_transpose(f32x8 r[F32X8])
{
    f32x8 t[F32X8], u[F32X8];

    F32X8_UNROLL
    for (int i = 0; i < F32X8; i += 2) {
        t[i] = F32X8_PAIR(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = F32X8_PAIR(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    F32X8_UNROLL
    for (int i = 0; i < F32X8; i += 4) {
        u[i] = F32X8_PAIR(t[i], t[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 1] = F32X8_PAIR(t[i], t[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        u[i + 2] = F32X8_PAIR(t[i + 1], t[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 3] = F32X8_PAIR(t[i + 1], t[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    F32X8_UNROLL
    for (int i = 0; i < 4; i++) {
        r[i] = F32X8_PAIR(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = F32X8_PAIR(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/** Load fields start .. start + 7 of bodies[index[0]] .. bodies[index[7]]; add all of them to *sum. */
SIMD_INLINE void f32x8_load_fields(f32x8 out[F32X8], const clash_body *bodies, const uint32_t index[F32X8],
                                   size_t start, f32x8 *sum)
{
    F32X8_UNROLL
    for (int i = 0; i < F32X8; i++) {
        out[i] = *(const f32x8_in_memory *)((const float *)&bodies[index[i]] + start);
        *sum += out[i];
    }
    f32x8_transpose(out);
}

/** Load bodies[index[0]] .. bodies[index[7]]. */
SIMD_INLINE void f32x8_load(f32x8_bodies *out, const clash_body *bodies, const uint32_t index[F32X8])
{
    f32x8 f[F32X8], g[F32X8], h[F32X8], sum = f32x8_all(0.0f);

    _Static_assert(sizeof(clash_body) == 21 * sizeof(float), "a body is 21 floats without padding");
    f32x8_load_fields(f, bodies, index, 0, &sum);
    f32x8_load_fields(g, bodies, index, 8, &sum);
    f32x8_load_fields(h, bodies, index, 13, &sum);
    out->base = (f32x8_vec){f[0], f[1], f[2]};
    out->tip = (f32x8_vec){f[3], f[4], f[5]};
    out->radius = f[6];
    out->from_turn = (f32x8_quat){{f[7], g[0], g[1]}, g[2]};
    out->from = (f32x8_vec){g[3], g[4], h[0]};
    out->to_turn = (f32x8_quat){{h[1], h[2], h[3]}, h[4]};
    out->to = (f32x8_vec){h[5], h[6], h[7]};
    out->finite = f32x8_mask(sum * 0.0f == 0.0f) == (1u << F32X8) - 1;
}

#endif
