/* What lights and avatars are shown of the clashes: no events but a state, which lasts long enough to be seen. A receiver looks once in
 * each of its frames, and of two changes in between it would see the last one alone. Pure: the times are the caller's. */
#ifndef CLASHD_SINKS_OSC_OSC_PULSE_H
#define CLASHD_SINKS_OSC_OSC_PULSE_H

#include <stdbool.h>
#include <stdint.h>

/** Begins as zero. */
typedef struct osc_pulse {
    float intensity;   /* of the last clash, 0 to 1 */
    uint64_t until_ms; /* shown until then */
    uint64_t open;     /* contacts */
    uint8_t clashes;   /* 255 is followed by 0 */
} osc_pulse;

typedef struct osc_shown {
    float intensity;
    bool touching;
    uint8_t clashes;
} osc_shown;

/** A clash; of an `intensity` that is no number, 0. */
void osc_pulse_clash(osc_pulse *p, float intensity, uint64_t now_ms, uint64_t length_ms);
void osc_pulse_release(osc_pulse *p);
osc_shown osc_pulse_show(const osc_pulse *p, uint64_t now_ms);

#endif
