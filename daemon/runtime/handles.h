/* Handles that cannot be mistaken: each value carries its kind and a serial number that is never used again, so a
 * stale, foreign or made-up handle is found out rather than followed. */
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
    size_t end; /* behind the last slot that was ever used */
    uint32_t serial;
} handles;

/** A handle for `object`, or 0 if there are too many. */
uint64_t handles_add(handles *h, handle_kind kind, void *object);
/** NULL if there is no such handle of that kind. */
void *handles_get(const handles *h, handle_kind kind, uint64_t value);
void handles_remove(handles *h, uint64_t value);
/** The next object of that kind at or after slot *index, which is left behind it; NULL at the end. Begin with 0.
 *  Removing the object just given is fine. */
void *handles_next(const handles *h, handle_kind kind, size_t *index);

/* OpenXR's handles are pointers to what nobody ever sees: the value is carried in them. */
#define HANDLE_VALUE(handle) ((uint64_t)(uintptr_t)(handle))
#define HANDLE_AS(type, value) ((type)(uintptr_t)(value))
_Static_assert(sizeof(void *) == 8, "handle values need 64-bit pointers");

#endif
