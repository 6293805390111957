/* Four doubles at a time, by the compilers' vector extensions: the same IEEE operations in the same order whether they
 * become one AVX instruction, two SSE2 or NEON ones or four scalar ones, so the results are the same bits everywhere.
 * Everything is inlined: libclash's core is compiled once per instruction set (core.c). */
#ifndef CLASH_GEOMETRY_LANES_H
#define CLASH_GEOMETRY_LANES_H

#include "vec.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* MemorySanitizer takes what a blending instruction leaves out for used, so it gets the operations spelled out. */
#if defined(__AVX__)
#define LANES_BLEND 1
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#undef LANES_BLEND
#endif
#endif
#endif

#define LANES_INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(32)));
typedef long long lanes_mask __attribute__((vector_size(32))); /* all ones where true */

/** Four vectors. */
typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

LANES_INLINE lanes lanes_all(double s)
{
    return (lanes){s, s, s, s};
}

/* The one operation that the extensions do not spell; correctly rounded everywhere. */
LANES_INLINE lanes lanes_sqrt(lanes a)
{
#if defined(__AVX__)
    return (lanes)_mm256_sqrt_pd((__m256d)a);
#else
    return (lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

/* `where` must be all ones or all zeros in each lane, as comparisons are. */
LANES_INLINE lanes lanes_choose(lanes_mask where, lanes yes, lanes no)
{
#if defined(LANES_BLEND)
    return (lanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)where);
#else
    return (lanes)((where & (lanes_mask)yes) | (~where & (lanes_mask)no));
#endif
}

/** a > b ? a : b, and below a < b ? a : b: what the instructions do, also for NaN and zeros of different signs. */
LANES_INLINE lanes lanes_max(lanes a, lanes b)
{
#if defined(__AVX__)
    return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return lanes_choose(a > b, a, b);
#endif
}

LANES_INLINE lanes lanes_min(lanes a, lanes b)
{
#if defined(__AVX__)
    return (lanes)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return lanes_choose(a < b, a, b);
#endif
}

LANES_INLINE lanes lanes_abs(lanes a)
{
    return (lanes)((lanes_mask)a & 0x7fffffffffffffff);
}

LANES_INLINE lanes lanes_clamp01(lanes a)
{
    return lanes_min(lanes_all(1.0), lanes_max(lanes_all(0.0), a));
}

LANES_INLINE double lanes_least(lanes a)
{
    return min_of(min_of(a[0], a[2]), min_of(a[1], a[3]));
}

LANES_INLINE double lanes_most(lanes a)
{
    return max_of(max_of(a[0], a[2]), max_of(a[1], a[3]));
}

LANES_INLINE lanes3 lanes3_all(dvec v)
{
    return (lanes3){lanes_all(v.x), lanes_all(v.y), lanes_all(v.z)};
}

LANES_INLINE lanes3 lanes3_of(dvec a, dvec b, dvec c, dvec d)
{
    return (lanes3){{a.x, b.x, c.x, d.x}, {a.y, b.y, c.y, d.y}, {a.z, b.z, c.z, d.z}};
}

LANES_INLINE dvec lanes3_get(const lanes3 *v, int i)
{
    return (dvec){v->x[i], v->y[i], v->z[i]};
}

LANES_INLINE lanes3 lanes3_add(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANES_INLINE lanes3 lanes3_sub(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_INLINE lanes3 lanes3_scale(lanes3 a, lanes s)
{
    return (lanes3){a.x * s, a.y * s, a.z * s};
}

LANES_INLINE lanes3 lanes3_mad(lanes3 a, lanes3 b, lanes s)
{
    return (lanes3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

LANES_INLINE lanes lanes3_dot(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE lanes3 lanes3_cross(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
