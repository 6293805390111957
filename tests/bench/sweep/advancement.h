/* Plain conservative advancement on the rigid motion: the reference that the sweep is held against. From the start on, it
 * goes as far as the gap allows with a bound on how fast anything can approach, the same for the whole motion: relative
 * speed of the grips, plus each blade's rate of turn times the reach from its axis of rotation. Compiled once for each
 * REAL; PREFIX(x) names what it makes, REAL_NAME and TOLERANCE (m) say what it is. */
#include "real.h"

#include <stdlib.h>

#include "contenders.h"

/** A body's motion ready for evaluation: base and axis split along, across, and across both, the axis of rotation. */
typedef struct motion {
    vec origin, step;
    vec base_along, base_across, base_cross;
    vec axis_along, axis_across, axis_cross;
    real angle, reach, ball, radius, per_axis;
} motion;

typedef struct duel {
    motion a, b;
} duel;

typedef struct segment {
    vec base, axis;
} segment;

static real ball_of(const clash_capsule *c)
{
    vec base = vec_of(c->base), tip = vec_of(c->tip);

    return sqrt(max_of(vec_dot(base, base), vec_dot(tip, tip)));
}

static void split(vec v, vec k, vec *out_along, vec *out_across, vec *out_cross)
{
    *out_along = vec_mad((vec){0, 0, 0}, k, vec_dot(k, v));
    *out_across = vec_sub(v, *out_along);
    *out_cross = vec_cross(k, v);
}

static inline motion motion_of(const clash_body *body)
{
    const clash_quat *p = &body->motion.from.orientation, *q = &body->motion.to.orientation;
    vec pv = {(real)p->x, (real)p->y, (real)p->z}, qv = {(real)q->x, (real)q->y, (real)q->z};
    real w = (real)q->w * (real)p->w + vec_dot(qv, pv);
    vec k = vec_mad(vec_mad(vec_cross(pv, qv), qv, (real)p->w), pv, -(real)q->w);
    real s = vec_length(k);
    vec base = vec_turn(*p, vec_of(body->shape.base)), tip = vec_turn(*p, vec_of(body->shape.tip)), tip_across;
    motion m;

    k = s > 0 ? vec_mad((vec){0, 0, 0}, k, (w < 0 ? -1 : 1) / s) : (vec){1, 0, 0};
    m.angle = 2 * atan2(s, fabs(w));
    m.origin = vec_of(body->motion.from.position);
    m.step = vec_sub(vec_of(body->motion.to.position), m.origin);
    split(base, k, &m.base_along, &m.base_across, &m.base_cross);
    split(vec_sub(tip, base), k, &m.axis_along, &m.axis_across, &m.axis_cross);
    tip_across = vec_mad(m.base_across, m.axis_across, 1);
    m.reach = sqrt(max_of(vec_dot(m.base_across, m.base_across), vec_dot(tip_across, tip_across)));
    m.per_axis = per_square(vec_sub(tip, base));
    m.ball = ball_of(&body->shape);
    m.radius = (real)body->shape.radius;
    return m;
}

static inline segment segment_at(const motion *m, real x)
{
    real angle = m->angle * x, c = cos(angle), s = sin(angle);
    vec base = vec_mad(vec_mad(m->base_along, m->base_across, c), m->base_cross, s);

    return (segment){vec_mad(vec_mad(base, m->origin, 1), m->step, x),
                     vec_mad(vec_mad(m->axis_along, m->axis_across, c), m->axis_cross, s)};
}

/** Where everything that the grip can hold stays out of reach of the other. */
static inline bool balls_apart(vec between, vec step, real radii, real balls)
{
    return vec_length(between) > vec_length(step) + radii + balls;
}

static inline double advance(const motion *a, const motion *b)
{
    real limit = a->radius + b->radius;
    real bound = vec_length(vec_sub(b->step, a->step)) + a->angle * a->reach + b->angle * b->reach;
    segment p = {vec_mad(vec_mad(a->origin, a->base_along, 1), a->base_across, 1),
                 vec_mad(a->axis_along, a->axis_across, 1)};
    segment q = {vec_mad(vec_mad(b->origin, b->base_along, 1), b->base_across, 1),
                 vec_mad(b->axis_along, b->axis_across, 1)};
    real x = 0;

    for (;;) {
        real gap = segment_distance(p.base, p.axis, a->per_axis, q.base, q.axis, b->per_axis) - limit;

        if (gap <= (real)TOLERANCE)
            return (double)x;
        if (gap > bound * (1 - x))
            return -1;
        x += gap / bound;
        p = segment_at(a, x);
        q = segment_at(b, x);
    }
}

static inline void run(const query_set *set, bool ball, size_t from, size_t count, double *out_answers)
{
    for (size_t i = from; i < from + count; i++) {
        const clash_body *a = &set->bodies[2 * i], *b = &set->bodies[2 * i + 1];
        motion ma, mb;

        if (ball) {
            vec start = vec_sub(vec_of(b->motion.from.position), vec_of(a->motion.from.position));
            vec end = vec_sub(vec_of(b->motion.to.position), vec_of(a->motion.to.position));

            out_answers[i] = -1;
            if (balls_apart(start, vec_sub(end, start), (real)a->shape.radius + (real)b->shape.radius,
                            ball_of(&a->shape) + ball_of(&b->shape)))
                continue;
        }
        ma = motion_of(a);
        mb = motion_of(b);
        out_answers[i] = advance(&ma, &mb);
    }
}

static void run_plain(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    (void)prepared;
    run(set, false, from, count, out_answers);
}

static void run_ball(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    (void)prepared;
    run(set, true, from, count, out_answers);
}

static void *prepare(const query_set *set)
{
    duel *duels = malloc(set->count * sizeof *duels);

    for (size_t i = 0; duels && i < set->count; i++)
        duels[i] = (duel){motion_of(&set->bodies[2 * i]), motion_of(&set->bodies[2 * i + 1])};
    return duels;
}

static void run_ready(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    const duel *duels = prepared;

    (void)set;
    for (size_t i = from; i < from + count; i++)
        out_answers[i] = advance(&duels[i].a, &duels[i].b);
}

static void run_ready_ball(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    const duel *duels = prepared;

    (void)set;
    for (size_t i = from; i < from + count; i++) {
        const motion *a = &duels[i].a, *b = &duels[i].b;
        bool apart = balls_apart(vec_sub(b->origin, a->origin), vec_sub(b->step, a->step), a->radius + b->radius,
                                 a->ball + b->ball);

        out_answers[i] = apart ? -1 : advance(a, b);
    }
}

const contender PREFIX() = {
    .key = "plain_" REAL_NAME, .name = "plain advancement, " REAL_NAME, .detects = true, .run = run_plain};
const contender PREFIX(_ball) = {.key = "plain_" REAL_NAME "_sphere",
                                 .name = "plain advancement, " REAL_NAME ", sphere test first",
                                 .detects = true,
                                 .is_variant = true,
                                 .run = run_ball};
const contender PREFIX(_ready) = {.key = "plain_" REAL_NAME "_prepared",
                                  .name = "plain advancement, " REAL_NAME ", motions prepared",
                                  .detects = true,
                                  .is_variant = true,
                                  .stride = sizeof(duel),
                                  .prepare = prepare,
                                  .run = run_ready,
                                  .release = free};
const contender PREFIX(_ready_ball) = {.key = "plain_" REAL_NAME "_prepared_sphere",
                                       .name = "plain advancement, " REAL_NAME ", motions prepared, sphere test first",
                                       .detects = true,
                                       .is_variant = true,
                                       .stride = sizeof(duel),
                                       .prepare = prepare,
                                       .run = run_ready_ball,
                                       .release = free};
