/* Overlaps for who knows by other means which side of a surface a capsule should be on. */
#ifndef CLASH_GEOMETRY_PUSH_BESIDE_H
#define CLASH_GEOMETRY_PUSH_BESIDE_H

#include <clash/push_out.h>

/** As clash_overlap_of, but all of a mesh is a surface that has two sides and no inside. */
bool push_overlap_beside(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                         clash_overlap *out_overlap);

#endif
