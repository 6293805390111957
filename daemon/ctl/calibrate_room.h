/* Where two players' tips are while they touch, from a running clashd that takes the other one's blades in: for clashctl calibrate --room. */
#ifndef CLASHD_CTL_CALIBRATE_ROOM_H
#define CLASHD_CTL_CALIBRATE_ROOM_H

#include "offline/align.h"
#include "talk.h"

#include <clash/math.h>

#define CALIBRATE_TOUCHES 3

typedef struct calibrate_room {
    const char *command;
    talk_place place;
    const char *player;          /* the other one */
    const char *device;          /* that holds the own blade */
    clash_vec3 tip;              /* of it, in the device's frame */
    double seconds, countdown_s; /* of each touch */
} calibrate_room;

/** Measure. Return 0 with the other stage in this one, or the exit code after a message on standard error. */
int calibrate_room_measure(const calibrate_room *wanted, alignment *out);

#endif
