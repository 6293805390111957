/* How two stages lie to each other, from places that both have seen: what stands upright in one does in the other, so that only a turn
 * about the vertical and a shift are sought. Pure. */
#ifndef CLASHD_OFFLINE_ALIGN_H
#define CLASHD_OFFLINE_ALIGN_H

#include <clash/math.h>

#include <stdbool.h>
#include <stddef.h>

/** Distances, m. Places closer together than the first, seen from above, do not tell how the stages are turned; places
 *  that are still further apart than the second are not the same. */
#define ALIGN_SPREAD_MIN 0.3
#define ALIGN_RMS_MAX 0.05

typedef struct alignment {
    double turn;     /* rad about y, to the left as seen from above */
    double shift[3]; /* m: own = turned(other) + shift */
    double rms;      /* how far off the places still are, m */
    double spread;   /* root mean square distance from their middle, seen from above, m */
} alignment;

/** Find it from `count` places, at least 2, by least squares (a turn in the plane: W. Kabsch, "A solution for the best rotation to relate two
 *  sets of vectors", 1976, in two dimensions). */
alignment align_find(const clash_vec3 *own, const clash_vec3 *other, size_t count);
/** Return what is wrong with it in words, or NULL. */
const char *align_advice(const alignment *a);

#endif
