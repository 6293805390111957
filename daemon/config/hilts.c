/* See hilts.h. OpenXR says what a grip pose is: its origin is in the middle of the palm, and -z runs along the handle towards the
 * thumb's side, where a sword's blade is. So along the handle all profiles agree; how far a controller reaches beyond the hand is
 * chosen here by its shape, not measured. The angle to the aim pose is each runtime's own: 55 degrees are Monado's for Index
 * (15.4 up to the grip, 40 down to the aim), 60 what Oculus' and Monado's runtimes have for Touch. Others are not known here. */
#include "hilts.h"

#include <math.h>
#include <string.h>

#define PROFILE(name) "/interaction_profiles/" name

static const hilt hilts[] = {
    {"index", PROFILE("valve/index_controller"), 0.06f, true, 55.4f},
    {"touch", PROFILE("oculus/touch_controller"), 0.06f, true, 60.0f},
    {"vive", PROFILE("htc/vive_controller"), 0.12f, false, 0.0f},
    {"pico", PROFILE("bytedance/pico4_controller"), 0.06f, false, 0.0f},
    {"wmr", PROFILE("microsoft/motion_controller"), 0.06f, false, 0.0f},
    {"simple", PROFILE("khr/simple_controller"), 0.05f, false, 0.0f},
};

const hilt *hilt_find(const char *name)
{
    for (size_t i = 0; i < sizeof hilts / sizeof hilts[0]; i++)
        if (strcmp(hilts[i].name, name) == 0 || strcmp(hilts[i].profile, name) == 0)
            return &hilts[i];
    return NULL;
}

void hilt_place(const hilt *h, bool by_aim, float reach, clash_capsule *shape, clash_vec3 *out_edge)
{
    const double down = by_aim ? (double)h->aim * 3.14159265358979323846 / 180.0 : 0.0;
    const clash_vec3 along = {0.0f, (float)-sin(down), (float)-cos(down)};

    shape->base = clash_vec3_scale(along, h->begin);
    shape->tip = clash_vec3_scale(along, reach);
    *out_edge = (clash_vec3){0.0f, (float)-cos(down), (float)sin(down)};
}
