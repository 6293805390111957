/* Sink: lets a clash be felt in both hands, the harder the clash the stronger. Only `clash` events pulse.
 * Knows which device carries which blade because app tells it; knows no runtime. */
#ifndef CLASHD_SINKS_HAPTICS_HAPTICS_H
#define CLASHD_SINKS_HAPTICS_HAPTICS_H

#include "ports/event_sink.h"
#include "ports/haptic_output.h"

/** The weakest pulse: below about a tenth most controllers do not move at all. */
#define HAPTICS_AMPLITUDE_MIN 0.1f
/** A pulse lasts BASE, and up to SPAN more with the intensity, in ns. */
#define HAPTICS_DURATION_BASE_NS INT64_C(15000000)
#define HAPTICS_DURATION_SPAN_NS INT64_C(30000000)

typedef struct haptics_blade {
    const char *name;
    uint32_t device; /* as in pose_sample */
} haptics_blade;

typedef struct haptics {
    haptic_output output;
    const haptics_blade *blades;
    size_t blade_count;
} haptics;

/** `blades` and the output outlive it; a blade that is not among them does not pulse. */
void haptics_init(haptics *h, haptic_output output, const haptics_blade *blades, size_t blade_count);
/** As a sink, valid as long as `h` stays where it is. */
event_sink haptics_port(haptics *h);

#endif
