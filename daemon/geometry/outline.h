/* Lines into a caller's buffer: written as far as there is room, counted all. */
#ifndef CLASH_GEOMETRY_OUTLINE_H
#define CLASH_GEOMETRY_OUTLINE_H

#include <clash/outline.h>

#include "quat.h"

typedef struct outline {
    clash_line *lines;
    size_t room, count;
    dquat turn; /* stage_from_device */
    dvec origin;
} outline;

/** A line between two points of the device's frame. */
static inline void outline_add(outline *o, dvec from, dvec to)
{
    if (o->count < o->room)
        o->lines[o->count] = (clash_line){dvec_round(dvec_add(o->origin, dquat_rotate(o->turn, from))),
                                          dvec_round(dvec_add(o->origin, dquat_rotate(o->turn, to)))};
    o->count++;
}

/** Every edge of the triangles, once. False when out of memory: then nothing has been added. */
bool outline_mesh(outline *o, const clash_mesh *mesh);
bool outline_terrain(outline *o, const clash_terrain *terrain);

#endif
