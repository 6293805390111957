/* Arrays that grow. */
#ifndef CLASHD_CLI_ARRAY_H
#define CLASHD_CLI_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** Make room for `count` elements of `size` bytes. `array` is the address of the pointer to the first, which may be NULL.
 *  Return false when out of memory; then the array is as before. */
static inline bool array_resize(void *array, size_t count, size_t size)
{
    void *elements;

    memcpy(&elements, array, sizeof elements);
    elements = realloc(elements, count * size);
    if (elements)
        memcpy(array, &elements, sizeof elements);
    return elements != NULL;
}

/** The same for one element more than the `count` that there are. *capacity, of how many there is room, doubles. */
static inline bool array_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    const size_t larger = *capacity > 0 ? 2 * *capacity : 16;

    if (count < *capacity)
        return true;
    if (!array_resize(array, larger, size))
        return false;
    *capacity = larger;
    return true;
}

#endif
