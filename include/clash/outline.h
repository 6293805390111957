/* Outlines of shapes to draw: what a viewer or an engine shows for a blade or a target. Pure; any thread. */
#ifndef CLASH_OUTLINE_H
#define CLASH_OUTLINE_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** Straight pieces in a circle. */
#define CLASH_OUTLINE_CIRCLE 32

/** A straight line, stage space, m. */
typedef struct clash_line {
    clash_vec3 from, to;
} clash_line;

/** Lines along the surface of `shape` which stands at `pose` (stage_from_device): of a sphere three great circles; of a
 *  capsule two circles where its caps begin, four lines between them, and over each cap two half circles; of a box its 12
 *  edges; of a mesh or terrain every edge of its triangles, once if several share it. Their ends are on the surface.
 *
 *  Writes the first `room` of them to `out_lines` (NULL if `room` is 0) and returns how many there are, so that a call
 *  without room says how much is needed. 0 if the shape or pose is not valid, or when out of memory: a mesh's edges are
 *  sorted for this. */
CLASH_API size_t clash_shape_outline(const clash_shape *shape, const clash_pose *pose, clash_line *out_lines,
                                     size_t room);

CLASH_END_DECLS

#endif
