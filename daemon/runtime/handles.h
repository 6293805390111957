/* Handles that cannot be confused: each value carries its kind and a serial number that is never reused, so a stale,
 * foreign or invented handle is detected, not followed. */
#ifndef CLASHD_RUNTIME_HANDLES_H
#define CLASHD_RUNTIME_HANDLES_H

#include <stddef.h>
#include <stdint.h>

typedef enum handle_kind {
    HANDLE_NONE,
    HANDLE_INSTANCE,
    HANDLE_SESSION,
    HANDLE_ACTION_SET,
    HANDLE_ACTION,
    HANDLE_SPACE
} handle_kind;

#define HANDLES_MAX 4096

typedef struct handle_slot {
    uint64_t value; /* 0: free */
    void *object;
} handle_slot;

/** Zero-initialise. */
typedef struct handles {
    handle_slot slots[HANDLES_MAX];
    size_t end; /* one past the last slot ever used */
    uint32_t serial;
} handles;

/** Return a handle for `object`, or 0 if there are too many. */
uint64_t handles_add(handles *h, handle_kind kind, void *object);
/** Return the handle's object, or NULL if there is no such handle of that kind. */
void *handles_get(const handles *h, handle_kind kind, uint64_t value);
void handles_remove(handles *h, uint64_t value);
/** Return the next object of that kind at or after slot *index and set *index past it, or return NULL at the end. Begin
 *  with 0. The object just returned may be removed. */
void *handles_next(const handles *h, handle_kind kind, size_t *index);

/* OpenXR's handles are opaque pointers: the value is stored in the pointer itself. */
#define HANDLE_VALUE(handle) ((uint64_t)(uintptr_t)(handle))
#define HANDLE_AS(type, value) ((type)(uintptr_t)(value))
_Static_assert(sizeof(void *) == 8, "handle values need 64-bit pointers");

#endif
