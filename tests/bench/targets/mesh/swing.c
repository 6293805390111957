/* The hand that swings: grip and direction go round on curves whose parts have no common period, a metre from the ball. */
#include "bench.h"

#include <math.h>

#define RATE 90.0

static clash_quat about(double x, double y, double z, double angle)
{
    double s = sin(angle / 2);

    return (clash_quat){(float)(x * s), (float)(y * s), (float)(z * s), (float)cos(angle / 2)};
}

static clash_quat times(clash_quat a, clash_quat b)
{
    return (clash_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                        a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/** The blade points along -z, at the ball when both angles are 0. */
static clash_pose pose_at(double t)
{
    double side = 0.9 * sin(7.1 * t) + 0.3 * sin(2.3 * t + 1), up = 0.7 * sin(5.3 * t + 0.4) + 0.3 * sin(1.7 * t);
    clash_quat turn = times(about(0, 1, 0, side), about(1, 0, 0, up));
    clash_vec3 grip = {(float)(0.3 * sin(1.9 * t)), (float)(0.25 * sin(1.3 * t + 2)),
                       (float)(1.1 + 0.25 * sin(0.9 * t))};

    return (clash_pose){turn, grip};
}

void bench_swings(clash_body *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (clash_body){{{0, 0, -0.05f}, {0, 0, -1.0f}, 0.015f},
                              {pose_at((double)i / RATE), pose_at((double)(i + 1) / RATE)}};
}
