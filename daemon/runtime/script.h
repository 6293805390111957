/* Motions in closed form, so that a test can compute every crossing itself. Pure. */
#ifndef CLASHD_RUNTIME_SCRIPT_H
#define CLASHD_RUNTIME_SCRIPT_H

#include "runtime/playback.h"

/** "crossing", the only one: both blades (along -z of their device) stay level, some 0.7 m in front of the body their
 *  projections on the floor cross, and their heights go up and down against each other. With t the time in seconds,
 *
 *      left   position (-0.35, 1.2 + 0.25 cos(pi t), -0.35)   yaw -(45 + 10 sin(pi t)) degrees
 *      right  position ( 0.35, 1.2 - 0.25 cos(pi t), -0.35)   yaw  (45 + 10 sin(pi t)) degrees
 *
 *  so the distance between the axes is |0.5 cos(pi t)| for blades that reach from the hand to at least 0.61 m: they
 *  cross at t = 0.5, 1.5, 2.5 .., at 0.5 pi = 1.57 m/s. Yaw is about +y, positive to the left. */
track_quality script_crossing(playback_device device, double seconds, clash_pose *out_pose);

#endif
