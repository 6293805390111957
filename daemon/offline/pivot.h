/* Pivot calibration: where on a device a point is that stayed in one place while the device was turned about it, such as the tip
 * of a sword on a mark on the floor; or, with two devices, two points that stayed together, such as two tips. Pure: no clock, no
 * I/O. */
#ifndef CLASHD_OFFLINE_PIVOT_H
#define CLASHD_OFFLINE_PIVOT_H

#include <clash/pose.h>
#include <stdbool.h>
#include <stddef.h>

/** The normal matrix's largest condition number: above it the motion does not determine the point. A cone of 20 degrees
 *  all around, without a twist, gives 65. */
#define PIVOT_CONDITION_MAX 70.0
/** Above this the point did not stay in its place, m. */
#define PIVOT_SPREAD_MAX 0.02
#define PIVOT_POSES_MIN 20

typedef enum pivot_verdict {
    PIVOT_GOOD,
    PIVOT_FEW,        /* not enough poses */
    PIVOT_NOT_FINITE, /* a pose is not finite, or its quaternion has no length */
    PIVOT_STILL,      /* hardly turned at all */
    PIVOT_ONE_AXIS,   /* turned about one axis, or two devices hardly against each other */
    PIVOT_OWN_AXIS,   /* turned about its own length alone: how long it is cannot be known */
    PIVOT_LOOSE,      /* the point did not stay where it was */
    PIVOT_NO_MEMORY
} pivot_verdict;

typedef struct pivot_result {
    clash_vec3
        points[2]; /**< on each device, in its frame, m; without a second device where the point stayed, in the stage */
    double spread; /**< root mean square of how far the point seems to have been from its place, m */
    double
        error; /**< standard error of points[0], all three axes together, m. The true error is below twice this in 95 of 100
                        calibrations, also if errors of the tracking last for a sixteenth of the time, or the point slides; if they last
                        for an eighth, in 85 of 100 */
    double condition; /**< largest by smallest eigenvalue of the normal matrix; INFINITY if it is singular */
    size_t used;      /**< poses, without those that do not fit the others (the tip slipped) */
} pivot_result;

/** Least squares over R_a x + p_a = R_b y + p_b, for the points x and y, by the eigenvectors of its normal matrix.
 *  Without `b` the second device is the stage itself: the algebraic one step method of Z. Yaniv, "Which pivot
 *  calibration?", SPIE Medical Imaging 2015. Poses that are farther off than four times what is usual among them are
 *  left out, and all is done again. `a` and `b`: `count` poses, stage from device, of the same times; b may be NULL.
 *  Also a verdict other than GOOD fills in what could be found. */
pivot_verdict pivot_find(const clash_pose *a, const clash_pose *b, size_t count, pivot_result *out);

/** What to do better, a sentence for people; "" for GOOD. */
const char *pivot_advice(pivot_verdict verdict);

#endif
