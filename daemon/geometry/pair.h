/* Two motions over one interval, and the searches in it: when is the distance first at most, or at least, a given one.
 * Times are x in 0..1 of the interval. Pure; at most CLASH_SWEEP_STEPS_MAX evaluations each. */
#ifndef CLASH_GEOMETRY_PAIR_H
#define CLASH_GEOMETRY_PAIR_H

#include "closest.h"
#include "motion.h"

typedef struct pair {
    motion a, b;
    dvec gap_start;   /* from a's origin to b's at x = 0: m */
    dvec gap_step;    /* how it changes over the interval */
    double bend;      /* bound on the relative acceleration of any two points, m per unit of x squared */
    double tolerance; /* m: what counts as touching */
} pair;

/** Everything about the pair at one time. */
typedef struct pair_state {
    axis_state a, b;
    dvec base_gap;      /* from a's base to b's */
    dvec base_gap_rate; /* per unit of x */
    closest near;
    double distance;
} pair_state;

typedef struct pair_search {
    bool found;
    double x;         /* where */
    pair_state state; /* there; at the last evaluation where nothing was found */
} pair_search;

/** Whether the spheres around the devices' origins that hold the blades however they turn stay more than `limit` apart: a
 *  proof that costs no look at the turning. */
bool pair_spheres_apart(const clash_body *a, const clash_body *b, double limit);

/** Bodies and spans must be valid. */
void pair_prepare(pair *out_pair, const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b);

void pair_at(const pair *p, double x, pair_state *out_state);

/** First x in from..to at which the distance is at most `limit` (to within the tolerance). */
void pair_first_within(const pair *p, double limit, double from, double to, pair_search *out_search);

/** First x in from..to at which the distance is at least `limit` (to within the tolerance). */
void pair_first_beyond(const pair *p, double limit, double from, double to, pair_search *out_search);

/** Smallest distance over from..to, m, to within `resolution`. */
double pair_min_distance(const pair *p, double from, double to, double resolution);

/** Turns a state into a contact in stage space. False where a number does not fit into a float. */
bool pair_contact(const pair *p, double x, const pair_state *state, clash_contact *out_contact);

#endif
