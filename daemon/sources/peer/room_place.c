/* See room_place.h. In double, so that a transform there and back is wrong by no more than the last bit. */
#include "room_place.h"

#include <math.h>

typedef struct quat {
    double x, y, z, w;
} quat;

typedef struct vec {
    double x, y, z;
} vec;

static quat multiply(quat p, quat q)
{
    return (quat){p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                  p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

static quat unit(clash_quat q)
{
    const double length = sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                               (double)q.w * (double)q.w);

    return (quat){(double)q.x / length, (double)q.y / length, (double)q.z / length, (double)q.w / length};
}

static quat conjugate(quat q)
{
    return (quat){-q.x, -q.y, -q.z, q.w};
}

static vec turn(quat q, vec v)
{
    const quat r = multiply(multiply(q, (quat){v.x, v.y, v.z, 0.0}), conjugate(q));

    return (vec){r.x, r.y, r.z};
}

static vec vec_of(clash_vec3 v)
{
    return (vec){(double)v.x, (double)v.y, (double)v.z};
}

bool room_pose_is_same(const clash_pose *a, const clash_pose *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z &&
           a->orientation.x == b->orientation.x && a->orientation.y == b->orientation.y &&
           a->orientation.z == b->orientation.z && a->orientation.w == b->orientation.w;
}

clash_pose room_place_pose(const clash_pose *room_from_own, const clash_pose *room_from_theirs,
                           const clash_pose *theirs_from_device)
{
    const quat back = conjugate(unit(room_from_own->orientation)), theirs = unit(room_from_theirs->orientation);
    const vec origin = vec_of(room_from_own->position), their_origin = vec_of(room_from_theirs->position);
    const vec in_theirs = turn(theirs, vec_of(theirs_from_device->position));
    const vec at = turn(back, (vec){in_theirs.x + their_origin.x - origin.x, in_theirs.y + their_origin.y - origin.y,
                                    in_theirs.z + their_origin.z - origin.z});
    const quat turned = multiply(multiply(back, theirs), unit(theirs_from_device->orientation));

    return (clash_pose){{(float)turned.x, (float)turned.y, (float)turned.z, (float)turned.w},
                        {(float)at.x, (float)at.y, (float)at.z}};
}
