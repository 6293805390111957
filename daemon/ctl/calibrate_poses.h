/* Collect poses of one device, or of two at the same times, for a calibration: from a running clashd, or from a
 * recording. */
#ifndef CLASHD_CTL_CALIBRATE_POSES_H
#define CLASHD_CTL_CALIBRATE_POSES_H

#include "talk.h"

#include <stdint.h>

#define CALIBRATE_POSES_MAX 60000

typedef struct calibrate_poses {
    const char *devices[2]; /* the second is NULL if there is one only */
    clash_pose *poses[2];   /* of the same times, tracked; `count` of each */
    size_t count;
    bool is_taking; /* otherwise poses are ignored */
    clash_client *client;
    const char *command;
    talk_place place;
    bool is_seen, is_over;
    int code;           /* of the command, when it is over */
    int64_t seen_ns[2]; /* time of each device's last one */
    clash_pose last[2];
} calibrate_poses;

/** Begin. Return false when out of memory. */
bool calibrate_poses_begin(calibrate_poses *p, const char *device, const char *second);
void calibrate_poses_end(calibrate_poses *p);

/** Subscribe at a clashd. Return 0, or the exit code after a message on standard error. */
int calibrate_poses_connect(calibrate_poses *p, const char *command, const talk_place *place);
/** Wait that long while poses come. Return false, with `code`, after a message, when clashd is gone. */
bool calibrate_poses_wait(calibrate_poses *p, double seconds);

/** Read those of a recording between two of its times, s. Return 0, or the exit code after a message on standard
 *  error. */
int calibrate_poses_read(calibrate_poses *p, const char *command, const char *file, double from_s, double to_s);

#endif
