/* See pose_math.h. */
#include "runtime/pose_math.h"
#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec rotate(XrQuaternionf q, vec v)
{
    vec axis = {q.x, q.y, q.z};
    vec t = cross(axis, v);
    vec u = cross(axis, t);
    return (vec){v.x + 2 * (q.w * t.x + u.x), v.y + 2 * (q.w * t.y + u.y), v.z + 2 * (q.w * t.z + u.z)};
}

static XrQuaternionf multiply(XrQuaternionf a, XrQuaternionf b)
{
    double ax = a.x, ay = a.y, az = a.z, aw = a.w;
    return (XrQuaternionf){
        (float)(aw * b.x + ax * b.w + ay * b.z - az * b.y), (float)(aw * b.y - ax * b.z + ay * b.w + az * b.x),
        (float)(aw * b.z + ax * b.y - ay * b.x + az * b.w), (float)(aw * b.w - ax * b.x - ay * b.y - az * b.z)};
}

XrPosef pose_chain(XrPosef a, XrPosef b)
{
    vec moved = rotate(a.orientation, (vec){b.position.x, b.position.y, b.position.z});
    XrPosef result = {.orientation = multiply(a.orientation, b.orientation)};
    result.position =
        (XrVector3f){(float)(moved.x + a.position.x), (float)(moved.y + a.position.y), (float)(moved.z + a.position.z)};
    return result;
}

XrPosef pose_invert(XrPosef a)
{
    XrPosef result = {{-a.orientation.x, -a.orientation.y, -a.orientation.z, a.orientation.w}, {0, 0, 0}};
    vec moved = rotate(result.orientation, (vec){a.position.x, a.position.y, a.position.z});
    result.position = (XrVector3f){(float)-moved.x, (float)-moved.y, (float)-moved.z};
    return result;
}

bool pose_is_valid(XrPosef pose)
{
    const XrQuaternionf *q = &pose.orientation;
    double length = sqrt((double)q->x * q->x + (double)q->y * q->y + (double)q->z * q->z + (double)q->w * q->w);
    return fabs(length - 1) <= 0.01 && isfinite(pose.position.x) && isfinite(pose.position.y) &&
           isfinite(pose.position.z);
}
