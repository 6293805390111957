/* Version, export and language glue shared by the public headers. Includes only the C library. */
#ifndef CLASH_BASE_H
#define CLASH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLASH_VERSION_MAJOR 0
#define CLASH_VERSION_MINOR 7
#define CLASH_VERSION_PATCH 0
#define CLASH_VERSION_STRING "0.7.0"

#if defined(_WIN32)
#define CLASH_API
#else
#define CLASH_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define CLASH_BEGIN_DECLS extern "C" {
#define CLASH_END_DECLS }
#else
#define CLASH_BEGIN_DECLS
#define CLASH_END_DECLS
#endif

/** Return a flat array of indices, two or three to a row, as the rows that functions with a parameter `const uint32_t (*)[2]`
 *  or `[3]` take. Before C23 a caller's `uint32_t rows[n][3]` converts to that only with a pedantic warning: pass
 *  clash_triples(rows[0]). The array is not copied. */
static inline const uint32_t (*clash_pairs(const uint32_t *indices))[2]
{
    union {
        const uint32_t *flat;
        const uint32_t (*rows)[2];
    } array = {indices}; /* before C23, gcc warns of a cast that drops const, though none is dropped */

    return array.rows;
}

/** The same for rows of three. */
static inline const uint32_t (*clash_triples(const uint32_t *indices))[3]
{
    union {
        const uint32_t *flat;
        const uint32_t (*rows)[3];
    } array = {indices};

    return array.rows;
}

#endif
