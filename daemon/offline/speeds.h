/* How fast devices and blades move in a recording, from each sample to the next of the same device, under the same rules as the
 * sweep: nothing across a gap, a cut, a teleport, or a sample that the pipeline refuses. */
#ifndef CLASHD_OFFLINE_SPEEDS_H
#define CLASHD_OFFLINE_SPEEDS_H

#include "config/config.h"

/** Faster than people move a controller, m/s. The tip of a blade without weight is far faster than a golf club's head, which
 *  reaches some 50: players of rhythm games flick a 1 m blade at 50 in one sample of eight, and at 90 in one of a hundred. */
#define SPEEDS_TIP_PLAUSIBLE 100.0
#define SPEEDS_GRIP_PLAUSIBLE 20.0

/** What one device did from one sample to the next. */
typedef struct speed_sample {
    const char *device;
    const char *blade;   /* NULL: the device itself */
    int64_t time_ns;     /* of the later sample */
    int64_t interval_ns; /* > 0 */
    double
        speed; /* of a device its origin's, the grip; of a blade its tip's, with parts that of its fastest end; m/s */
    double moved;  /* how far the device's origin went, m */
    double turned; /* and how far it turned, rad */
} speed_sample;

/** Valid during the call. */
typedef void (*speed_function)(void *context, const speed_sample *sample);

typedef struct speeds speeds;

/** Begin with the blades of `config`, which must live as long. Return NULL when out of memory. */
speeds *speeds_create(const config_values *config, speed_function on_sample, void *context);
void speeds_destroy(speeds *s);
/** The next item of the recording; of each device its own sample comes first, then those of its blades. At most 64 devices at a
 *  time are followed; out of memory, blades that are defined later are not. */
void speeds_add(speeds *s, const recording_item *item);

/* ---- many of them ---- */

#define SPEED_BUCKETS 2048

/** Zeroed at first. */
typedef struct speed_spread {
    double
        plausible; /* m/s; what is above it, and still is together with the interval before, counts as implausible: a pose that
                         comes a frame late makes one interval too slow and the next too fast */
    uint64_t count, implausible;
    int64_t last_ns, last_interval_ns; /* of the sample before */
    double last_speed;
    speed_sample fastest; /* its names are not kept */
    int64_t first_implausible_ns;
    uint64_t counts[SPEED_BUCKETS]; /* each 1 % wider than the one before, from 1 mm/s on */
} speed_spread;

void speed_spread_add(speed_spread *s, const speed_sample *sample);
/** What that share (0..1) of them do not exceed, by nearest rank, to 1 %; 0 if there are none. */
double speed_spread_rank(const speed_spread *s, double share);

#endif
