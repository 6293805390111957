/* Lines in a caller's buffer, for outlines: see clash/outline.h. */
#ifndef CLASH_GEOMETRY_OUTLINE_LINES_H
#define CLASH_GEOMETRY_OUTLINE_LINES_H

#include <clash/outline.h>

#include "quat.h"

/** Written while there is room, but all counted. */
typedef struct outline {
    clash_line *lines;
    size_t room, count;
    dquat turn; /* stage_from_device */
    dvec origin;
} outline;

static inline outline outline_begin(const clash_pose *pose, clash_line *lines, size_t room)
{
    return (outline){
        .lines = lines, .room = room, .turn = dquat_from(pose->orientation), .origin = dvec_from(pose->position)};
}

/** Add a line between two points of the device's frame. */
static inline void outline_add(outline *o, dvec from, dvec to)
{
    if (o->count < o->room)
        o->lines[o->count] = (clash_line){dvec_round(dvec_add(o->origin, dquat_rotate(o->turn, from))),
                                          dvec_round(dvec_add(o->origin, dquat_rotate(o->turn, to)))};
    o->count++;
}

#endif
