/* Count and refuse allocations of the code under test. For executables linked with --wrap=malloc,calloc,realloc (see
 * tests/CMakeLists.txt): only statically linked code comes through here, not the C library or cmocka. */
#ifndef CLASHD_TESTS_ALLOCATIONS_H
#define CLASHD_TESTS_ALLOCATIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static unsigned long allocations;             /* so far */
static unsigned long allocations_left = -1ul; /* this many more succeed */
static size_t allocations_largest;            /* of all so far, bytes */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static inline bool allocations_next(size_t size)
{
    allocations++;
    allocations_largest = size > allocations_largest ? size : allocations_largest;
    if (allocations_left == 0) {
        errno = ENOMEM;
        return false;
    }
    allocations_left--;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return allocations_next(size) ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocations_next(count * size) ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return allocations_next(size) ? __real_realloc(old, size) : NULL;
}

#endif
