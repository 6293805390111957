/* Poses chained and inverted, computed in double. Multiplying by the identity changes no bit, so a recorded pose that
 * is located in the recording's own space comes out as it was recorded. Pure. */
#ifndef CLASHD_RUNTIME_POSE_MATH_H
#define CLASHD_RUNTIME_POSE_MATH_H

#include <openxr/openxr.h>
#include <stdbool.h>

#define POSE_IDENTITY ((XrPosef){{0, 0, 0, 1}, {0, 0, 0}})

/** a_from_c, of a_from_b and b_from_c. */
XrPosef pose_chain(XrPosef a_from_b, XrPosef b_from_c);
/** b_from_a, of a_from_b. */
XrPosef pose_invert(XrPosef a_from_b);
/** Finite, and the orientation's length within 1 % of 1, as OpenXR demands of poses handed in. */
bool pose_is_valid(XrPosef pose);

#endif
