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

/** At most `room` lines that show what the outline of `shape` would: the outline itself if it has no more, and then
 *  *out_is_whole is true. Else of a terrain the lines between every second, third.. of its points each way, its last row
 *  and column included; and of a mesh the edges that are left if in each cube of a grid all corners become the one that
 *  is farthest from the middle, with the finest of grids for which there is room (vertex clustering: Rossignac and
 *  Borrel, "Multi-resolution 3D approximations for rendering complex scenes", 1993). If a mesh is of many small parts
 *  that leave few lines so, the edges of some of its triangles come too. Every end is a corner of the surface.
 *
 *  Its time is a small multiple of that of looking at all triangles once. Returns how many lines were written; 0 as
 *  above. */
CLASH_API size_t clash_shape_sketch(const clash_shape *shape, const clash_pose *pose, clash_line *out_lines,
                                    size_t room, bool *out_is_whole);

CLASH_END_DECLS

#endif
