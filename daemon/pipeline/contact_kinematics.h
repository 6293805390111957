/* The mechanics of a contact: how fast, at what angle and edge how the blades meet. Pure arithmetic on one piece of two
 * motions; no library function but sqrt, so that the same samples give the same bits on every machine. */
#ifndef CLASHD_PIPELINE_CONTACT_KINEMATICS_H
#define CLASHD_PIPELINE_CONTACT_KINEMATICS_H

#include <clash/sweep.h>

#include "pipeline.h"

/** Who meets whom. Of two blades that at index 0 was added earlier; a target is at index 1. */
typedef struct pipeline_opponents {
    const pipeline_blade *blades[2]; /* of a target only name and device mean anything */
    const pipeline_target *target;   /* NULL: two blades */
} pipeline_opponents;

/** What is swept at once: the part of two motions between two neighbouring sample times of either track. */
typedef struct pipeline_piece {
    int64_t from_ns, to_ns; /* from < to */
    clash_body bodies[2];
    clash_span spans[2];    /* of each body's own motion */
    int64_t motion_ns[2];   /* duration of each body's own motion, > 0 */
    pipeline_opponents who; /* index as in `bodies`; of the body of a target only the motion counts */
    bool tracked;           /* the samples at both ends of both motions were measured */
} pipeline_piece;

/** Where and of what a contact is: its fraction is of the piece. */
typedef struct pipeline_touch {
    clash_surface_contact contact; /* only its `contact` where there is no target */
    uint32_t capsules[2];          /* of the two blades; 0 of one that is no sword, and of a target */
} pipeline_touch;

/** Fills `out_clash`. Of the settings those of intensity count. */
void mechanics_at(const pipeline_piece *piece, const pipeline_touch *touch, const pipeline_settings *settings,
                  clash_event_clash *out_clash);

/** Only (v0 - v1) . normal of `contact`, m/s. */
float mechanics_closing_speed(const pipeline_piece *piece, const clash_contact *contact);

#endif
