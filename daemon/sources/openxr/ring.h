/* The pose ring: what the OpenXR thread has reported and clashd has yet to take, written and read in place. For one
 * thread; allocates only when created. If it is nearly full, the newest frame is dropped and counted, and the next
 * frame that enters says that some are missing. The last places are kept for entries other than frames, which must not
 * be lost. */
#ifndef CLASHD_SOURCES_OPENXR_RING_H
#define CLASHD_SOURCES_OPENXR_RING_H

#include "ports/pose_source.h"

/** Samples in one frame: both hands, and as many trackers as are followed. */
#define RING_SAMPLES_MAX 8
/** Places that frames leave free for other entries. */
#define RING_RESERVED 16
#define RING_TEXT_MAX 128

typedef enum ring_entry_kind {
    RING_FRAME,
    RING_LOST,
    RING_SPACE_CHANGED,
    RING_RUNTIME,
    RING_CONTROLLER
} ring_entry_kind;

/** The producer's state, for `status`. Strings are cut to fit. */
typedef struct ring_runtime {
    bool running;
    uint32_t sessions; /* begun so far */
    char name[RING_TEXT_MAX], detail[RING_TEXT_MAX];
} ring_runtime;

typedef struct ring_entry {
    ring_entry_kind kind;
    bool gap; /* RING_FRAME: frames before this one were dropped; ring_add sets it */
    int64_t time_ns;
    union {
        struct {
            uint32_t count;
            pose_sample samples[RING_SAMPLES_MAX];
        } frame;
        struct {
            uint32_t device;
            clash_tracking_reason reason;
        } lost;
        ring_runtime runtime;
        struct {
            uint32_t device;
            char profile[RING_TEXT_MAX]; /* "": none is in use */
        } controller;
    } as;
} ring_entry;

typedef struct ring ring;

/** Create a ring; `capacity` is a power of two, at least 2 * RING_RESERVED. Return NULL when out of memory. */
ring *ring_create(size_t capacity);
void ring_destroy(ring *r);
/** Add an entry, zeroed except for these arguments, for the caller to fill in at once. Return NULL if there is no room: a
 *  frame is then counted as dropped, anything else is the caller's to add later. */
ring_entry *ring_add(ring *r, ring_entry_kind kind, int64_t time_ns);
/** Count a frame that was withheld as dropped. */
void ring_drop(ring *r);
/** Return the oldest entry, valid until it is removed, or NULL. */
const ring_entry *ring_first(const ring *r);
void ring_remove_first(ring *r);
/** Return the count of dropped frames. Any thread. */
uint64_t ring_dropped(const ring *r);

#endif
