/* The scripted motions; see script.h for their formulas. */
#include "runtime/script.h"
#include <math.h>

track_quality script_crossing(playback_device device, double seconds, clash_pose *out_pose)
{
    if (device != PLAYBACK_LEFT && device != PLAYBACK_RIGHT)
        return TRACK_NO_POSE;
    const double pi = acos(-1);
    double phase = pi * fmod(seconds, 2);
    double side = device == PLAYBACK_LEFT ? -1 : 1;
    double half_yaw = side * (45 + 10 * sin(phase)) / 180 * pi / 2;
    out_pose->position = (clash_vec3){(float)(side * 0.35), (float)(1.2 - side * 0.25 * cos(phase)), -0.35f};
    out_pose->orientation = (clash_quat){0, (float)sin(half_yaw), 0, (float)cos(half_yaw)};
    return TRACK_TRACKED;
}
