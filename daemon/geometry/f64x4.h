/* Four doubles at a time, by the compilers' vector extensions: the same IEEE operations in the same order whether they
 * become one AVX instruction, two SSE2 or NEON ones or four scalar ones, so the results are the same bits everywhere.
 * Everything is inlined: libclash's core is compiled once for each instruction set (core*.c). */
#ifndef CLASH_GEOMETRY_F64X4_H
#define CLASH_GEOMETRY_F64X4_H

#include "vec.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Spell the operations out for MemorySanitizer, which takes what a blending instruction leaves out for used. */
#if defined(__AVX__)
#define F64X4_BLEND 1
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#undef F64X4_BLEND
#endif
#endif
#endif

#define SIMD_INLINE static inline __attribute__((always_inline))
/* For rare work: the loops around it stay short. */
#define SIMD_APART static __attribute__((noinline, unused))
/* For long work with several callers. Without AVX each vector takes several registers and instructions: inlining then saves
 * nothing, and compiling takes minutes on a slow machine. */
#if defined(__AVX__)
#define SIMD_LONG SIMD_INLINE
#else
#define SIMD_LONG SIMD_APART
#endif

typedef double f64x4 __attribute__((vector_size(32)));
typedef long long f64x4_mask __attribute__((vector_size(32))); /* all ones where true */

/** Four vectors. */
typedef struct f64x4_vec {
    f64x4 x, y, z;
} f64x4_vec;

SIMD_INLINE f64x4 f64x4_all(double s)
{
    return (f64x4){s, s, s, s};
}

/* The one operation that the extensions lack; correctly rounded everywhere. */
SIMD_INLINE f64x4 f64x4_sqrt(f64x4 a)
{
#if defined(__AVX__)
    return (f64x4)_mm256_sqrt_pd((__m256d)a);
#else
    return (f64x4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

/* `where` must be all ones or all zeros in each lane, as results of comparisons are. */
SIMD_INLINE f64x4 f64x4_choose(f64x4_mask where, f64x4 yes, f64x4 no)
{
#if defined(F64X4_BLEND)
    return (f64x4)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)where);
#else
    return (f64x4)((where & (f64x4_mask)yes) | (~where & (f64x4_mask)no));
#endif
}

#if defined(__SSE2__) && !defined(__AVX__)
/* gcc takes vectors that are wider than the registers apart into single lanes wherever two are compared. In halves it does not,
 * which is faster, and takes a third of the time to compile. */
#define F64X4_HALVES(operation, a, b)                                                                                \
    (f64x4) __builtin_shufflevector(                                                                                 \
        operation((__m128d)__builtin_shufflevector(a, a, 0, 1), (__m128d)__builtin_shufflevector(b, b, 0, 1)),       \
        operation((__m128d)__builtin_shufflevector(a, a, 2, 3), (__m128d)__builtin_shufflevector(b, b, 2, 3)), 0, 1, \
        2, 3)
/* Bit i of the result is lane i's sign. */
#define F64X4_BITS(where)                                                              \
    ((unsigned)_mm_movemask_pd((__m128d)__builtin_shufflevector(where, where, 0, 1)) | \
     (unsigned)_mm_movemask_pd((__m128d)__builtin_shufflevector(where, where, 2, 3)) << 2)
#endif

/** a < b. */
SIMD_INLINE f64x4_mask f64x4_less(f64x4 a, f64x4 b)
{
#if defined(F64X4_HALVES)
    return (f64x4_mask)F64X4_HALVES(_mm_cmplt_pd, a, b);
#else
    return a < b;
#endif
}

/** a <= b. */
SIMD_INLINE f64x4_mask f64x4_at_most(f64x4 a, f64x4 b)
{
#if defined(F64X4_HALVES)
    return (f64x4_mask)F64X4_HALVES(_mm_cmple_pd, a, b);
#else
    return a <= b;
#endif
}

/** a > b ? a : b, and below a < b ? a : b: as the instructions do, also for NaN and zeros of different signs. */
SIMD_INLINE f64x4 f64x4_max(f64x4 a, f64x4 b)
{
#if defined(__AVX__)
    return (f64x4)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(F64X4_HALVES)
    return F64X4_HALVES(_mm_max_pd, a, b);
#elif defined(__wasm__)
    /* clang 14 turns the comparison into f64.max, which gives 0 for 0 and -0 instead of b */
    f64x4 most = b;

    for (int i = 0; i < 4; i++) {
        double lane = a[i];

        __asm__("" : "+r"(lane));
        if (a[i] > b[i])
            most[i] = lane;
    }
    return most;
#else
    return f64x4_choose(a > b, a, b);
#endif
}

SIMD_INLINE f64x4 f64x4_min(f64x4 a, f64x4 b)
{
#if defined(__AVX__)
    return (f64x4)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(F64X4_HALVES)
    return F64X4_HALVES(_mm_min_pd, a, b);
#else
    return f64x4_choose(a < b, a, b);
#endif
}

SIMD_INLINE f64x4 f64x4_abs(f64x4 a)
{
    return (f64x4)((f64x4_mask)a & 0x7fffffffffffffff);
}

SIMD_INLINE f64x4 f64x4_clamp01(f64x4 a)
{
    return f64x4_min(f64x4_all(1.0), f64x4_max(f64x4_all(0.0), a));
}

SIMD_INLINE double f64x4_least(f64x4 a)
{
    return min_of(min_of(a[0], a[2]), min_of(a[1], a[3]));
}

SIMD_INLINE double f64x4_most(f64x4 a)
{
    return max_of(max_of(a[0], a[2]), max_of(a[1], a[3]));
}

SIMD_INLINE f64x4_vec f64x4_vec_all(dvec v)
{
    return (f64x4_vec){f64x4_all(v.x), f64x4_all(v.y), f64x4_all(v.z)};
}

SIMD_INLINE f64x4_vec f64x4_vec_of(dvec a, dvec b, dvec c, dvec d)
{
    return (f64x4_vec){{a.x, b.x, c.x, d.x}, {a.y, b.y, c.y, d.y}, {a.z, b.z, c.z, d.z}};
}

SIMD_INLINE dvec f64x4_vec_get(const f64x4_vec *v, int i)
{
    return (dvec){v->x[i], v->y[i], v->z[i]};
}

SIMD_INLINE f64x4_vec f64x4_vec_add(f64x4_vec a, f64x4_vec b)
{
    return (f64x4_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

SIMD_INLINE f64x4_vec f64x4_vec_sub(f64x4_vec a, f64x4_vec b)
{
    return (f64x4_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

SIMD_INLINE f64x4_vec f64x4_vec_scale(f64x4_vec a, f64x4 s)
{
    return (f64x4_vec){a.x * s, a.y * s, a.z * s};
}

SIMD_INLINE f64x4_vec f64x4_vec_mad(f64x4_vec a, f64x4_vec b, f64x4 s)
{
    return (f64x4_vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

SIMD_INLINE f64x4 f64x4_vec_dot(f64x4_vec a, f64x4_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SIMD_INLINE f64x4_vec f64x4_vec_cross(f64x4_vec a, f64x4_vec b)
{
    return (f64x4_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
