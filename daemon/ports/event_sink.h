/* Port: where events and frames go. Called on the loop's thread, in order; must neither block nor fail the caller.
 * Interface only: depends on nothing but the public headers. */
#ifndef CLASHD_PORTS_EVENT_SINK_H
#define CLASHD_PORTS_EVENT_SINK_H

#include "ports/pose_source.h"

typedef struct event_sink {
    void *context;
    /** A new event; it and its strings are the caller's, valid only during the call. */
    void (*event)(void *context, const clash_event *event);
    /** An open contact closes faster than ever since it began: a late clash with the contact's id. It is not an event
     *  of the session; its seq is the last event's. Comes between events; valid only during the call. May be NULL. */
    void (*peak)(void *context, const clash_event *late);
    /** A frame as the source delivered it, before the events it causes. May be NULL. `names` has the devices' names. */
    void (*frame)(void *context, const pose_frame *frame);
    /** A blade that is not in the configuration is defined; or it, or its device, is removed: as in pose_source.h. May
     *  be NULL. */
    void (*blade)(void *context, int64_t time_ns, const clash_blade *blade);
    void (*removed)(void *context, int64_t time_ns, const char *blade, const char *device);
    /** The same for a target. May be NULL. */
    void (*target)(void *context, int64_t time_ns, const clash_target_definition *target);
    void (*target_removed)(void *context, int64_t time_ns, const char *target);
} event_sink;

/** Look up a device's name; owned by the pipeline, valid for the session. */
typedef struct device_names {
    void *context;
    const char *(*name)(void *context, uint32_t device);
} device_names;

#endif
