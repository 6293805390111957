/* Push-out for callers that know otherwise which side of a surface a capsule should be on. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_PRIVATE_H
#define CLASH_GEOMETRY_PUSH_OUT_PRIVATE_H

#include <clash/push_out.h>

/** Like clash_overlap_of, but every mesh is a surface with two sides and no inside. */
bool push_out_overlap_two_sided(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                                clash_overlap *out_overlap);

/** clash_push_out for input that is valid apart from `from`, which is not NULL. False, and nothing is written, if the
 *  blade came from within something, which has no side. */
bool push_out_from(const clash_push_input *input, clash_push_output *out, clash_push_result *out_result);

#endif
