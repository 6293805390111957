/* Chain and invert poses, computed in double. Multiplying by the identity changes no bit, so a recorded pose located in
 * the recording's own space comes out as it was recorded. Pure. */
#ifndef CLASHD_RUNTIME_POSE_MATH_H
#define CLASHD_RUNTIME_POSE_MATH_H

#include <openxr/openxr.h>
#include <stdbool.h>

#define POSE_IDENTITY ((XrPosef){{0, 0, 0, 1}, {0, 0, 0}})

/** Return a_from_c. */
XrPosef pose_chain(XrPosef a_from_b, XrPosef b_from_c);
/** Return b_from_a. */
XrPosef pose_invert(XrPosef a_from_b);
/** Return whether the pose is finite and its orientation's length is within 1 % of 1, as OpenXR demands of poses it is
 *  given. */
bool pose_is_valid(XrPosef pose);

#endif
