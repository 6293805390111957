/* Base and tip each on the straight line between where they were and where they are, which stretches the blade, with
 * plain advancement in double, to 1 um: what casts of the ends do. */
#define REAL double
#include "real.h"

#include "contenders.h"

#define TOLERANCE 1e-6

typedef struct track {
    vec base, axis, base_step, axis_step;
} track;

static inline track track_of(const clash_body *body)
{
    vec base = point_at(&body->motion.from, body->shape.base), tip = point_at(&body->motion.from, body->shape.tip);
    vec base_to = point_at(&body->motion.to, body->shape.base), tip_to = point_at(&body->motion.to, body->shape.tip);
    track t = {base, vec_sub(tip, base), vec_sub(base_to, base), {0, 0, 0}};

    t.axis_step = vec_sub(vec_sub(tip_to, tip), t.base_step);
    return t;
}

/** No two points of the two approach faster than the fastest pair of ends does. */
static inline real bound_of(const track *a, const track *b)
{
    vec base = vec_sub(a->base_step, b->base_step), base_tip = vec_sub(base, b->axis_step);
    vec tip_base = vec_mad(base, a->axis_step, 1), tip = vec_mad(base_tip, a->axis_step, 1);

    return sqrt(max_of(max_of(vec_dot(base, base), vec_dot(base_tip, base_tip)),
                       max_of(vec_dot(tip_base, tip_base), vec_dot(tip, tip))));
}

static inline double advance(const track *a, const track *b, real limit)
{
    real bound = bound_of(a, b), x = 0;

    for (;;) {
        vec u = vec_mad(a->axis, a->axis_step, x), v = vec_mad(b->axis, b->axis_step, x);
        vec p = vec_mad(a->base, a->base_step, x), q = vec_mad(b->base, b->base_step, x);
        real gap = segment_distance(p, u, per_square(u), q, v, per_square(v)) - limit;

        if (gap <= TOLERANCE)
            return x;
        if (gap > bound * (1 - x))
            return -1;
        x += gap / bound;
    }
}

static void run_straight(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    (void)prepared;
    for (size_t i = from; i < from + count; i++) {
        const clash_body *a = &set->bodies[2 * i], *b = &set->bodies[2 * i + 1];
        track ta = track_of(a), tb = track_of(b);

        out_answers[i] = advance(&ta, &tb, (real)a->shape.radius + (real)b->shape.radius);
    }
}

const contender contender_straight = {.key = "straight_lines",
                                      .name = "ends on straight lines, plain advancement, double",
                                      .detects = true,
                                      .run = run_straight};
