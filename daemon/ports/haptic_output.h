/* Port: make a controller vibrate. Called on the loop's thread; returns at once; a pulse may be dropped. Interface
 * only: depends on nothing but the public headers. */
#ifndef CLASHD_PORTS_HAPTIC_OUTPUT_H
#define CLASHD_PORTS_HAPTIC_OUTPUT_H

#include <clash/base.h>

typedef struct haptic_output {
    void *context;
    /** amplitude 0..1; duration in ns; device as in pose_sample. Unknown devices are ignored. */
    void (*pulse)(void *context, uint32_t device, float amplitude, int64_t duration_ns);
} haptic_output;

#endif
