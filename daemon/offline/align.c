/* See align.h. */
#include "align.h"

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static vec middle(const clash_vec3 *points, size_t count)
{
    vec sum = {0.0, 0.0, 0.0};

    for (size_t i = 0; i < count; i++) {
        sum.x += (double)points[i].x / (double)count;
        sum.y += (double)points[i].y / (double)count;
        sum.z += (double)points[i].z / (double)count;
    }
    return sum;
}

static vec about(const clash_vec3 *p, vec origin)
{
    return (vec){(double)p->x - origin.x, (double)p->y - origin.y, (double)p->z - origin.z};
}

static vec turned(double turn, vec v)
{
    return (vec){cos(turn) * v.x + sin(turn) * v.z, v.y, cos(turn) * v.z - sin(turn) * v.x};
}

alignment align_find(const clash_vec3 *own, const clash_vec3 *other, size_t count)
{
    const vec here = middle(own, count), there = middle(other, count);
    double along = 0.0, across = 0.0, spread = 0.0, off = 0.0;
    alignment a = {0};
    vec moved;

    for (size_t i = 0; i < count; i++) {
        const vec p = about(&own[i], here), q = about(&other[i], there);

        along += p.x * q.x + p.z * q.z;
        across += p.x * q.z - p.z * q.x;
        spread += (p.x * p.x + p.z * p.z) / (double)count;
    }
    a.turn = atan2(across, along);
    moved = turned(a.turn, there);
    a.shift[0] = here.x - moved.x;
    a.shift[1] = here.y - moved.y;
    a.shift[2] = here.z - moved.z;
    for (size_t i = 0; i < count; i++) {
        const vec p = about(&own[i], here), q = turned(a.turn, about(&other[i], there));

        off += ((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z)) / (double)count;
    }
    a.rms = sqrt(off);
    a.spread = sqrt(spread);
    return a;
}

const char *align_advice(const alignment *a)
{
    if (!(a->spread >= ALIGN_SPREAD_MIN))
        return "the places are too close together: take some that are a step or two apart";
    if (!(a->rms <= ALIGN_RMS_MAX))
        return "the places do not fit: the tips have to be together, and still, each time";
    return NULL;
}
