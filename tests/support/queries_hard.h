/* Swept queries that are hard on purpose, of twelve kinds; hard_tighten then moves the sum of the radii to within
 * nanometres of the least distance. hard_make uses no libm: the same queries on every machine. */
#ifndef CLASHD_TESTS_QUERIES_HARD_H
#define CLASHD_TESTS_QUERIES_HARD_H

#include "support/exhaustive.h"
#include "support/queries.h"

typedef enum hard_kind {
    HARD_PARALLEL,  /* side by side within a millionth of a radian, closing slowly, spinning together or apart */
    HARD_HALF_TURN, /* rotations within 1e-7 of half a turn, or exactly that about an axis of the frame */
    HARD_TIPS,      /* tip meets tip at any speed */
    HARD_AT_ENDS,   /* crossing at the very start or end of the interval */
    HARD_BRIEF,     /* crossing at up to a kilometre an interval: touching for a millionth of it */
    HARD_LINES,     /* no radius: lines that cross, near their ends too */
    HARD_SIZES,     /* from 1e-6 to 1e4 m, each blade its own */
    HARD_SLOW,      /* closing by a micrometre or less over the interval, spinning about their own axes or not at all */
    HARD_DYADIC,    /* overlap begins exactly at fraction 0 or 1, in numbers that floats hold */
    HARD_UNIT,      /* quaternions 0.99 to 1.01 long, of either sign */
    HARD_FAR,       /* up to 1e4 m from the origin */
    HARD_TOGETHER,  /* both on one swing, hardly moving against each other */
    HARD_KINDS
} hard_kind;

static const char *const hard_names[HARD_KINDS] = {"near parallel", "half turns", "tip to tip", "at the ends",
                                                   "brief",         "thin lines", "all sizes",  "slow",
                                                   "exact start",   "not unit",   "10 km away", "one swing"};

static inline clash_vec3 hard_scaled(clash_vec3 v, double s)
{
    return (clash_vec3){(float)(v.x * s), (float)(v.y * s), (float)(v.z * s)};
}

static inline clash_quat hard_turn(clash_vec3 axis, double angle)
{
    double s, c;

    exact_sincos(angle / 2, &s, &c);
    return (clash_quat){(float)(axis.x * s), (float)(axis.y * s), (float)(axis.z * s), (float)c};
}

/** 1 to 10 times 10^low .. 10^high. */
static inline double hard_decades(random_state *r, int low, int high)
{
    double mantissa = random_in(r, 1, 10);

    return mantissa * exact_power_of_ten(low + random_below(r, high - low));
}

static inline double hard_sign(random_state *r)
{
    return random_below(r, 2) ? 1.0 : -1.0;
}

/** Of either sign, 1 to 10 times 10^low .. 10^high, and `more`. */
static inline double hard_either_way(random_state *r, int low, int high, double more)
{
    double sign = hard_sign(r);

    return sign * (hard_decades(r, low, high) + more);
}

/** A blade of about `length` along -z of its device, the grip somewhere on it or a little off. */
static inline clash_capsule hard_blade(random_state *r, double length, double radius)
{
    clash_vec3 base = random_box(r, 0.05 * length);

    return (clash_capsule){base, query_add(base, (clash_vec3){0, 0, (float)-length}),
                           (float)(radius * random_in(r, 0.3, 1))};
}

/** A turn about `axis` by `angle` in all, in which the shape's point `local` is at `where` at `fraction`, with the
 *  orientation `there`, while the device moves by `step`. */
static inline clash_body hard_through(clash_capsule shape, clash_vec3 local, clash_vec3 where, clash_quat there,
                                      clash_vec3 axis, double angle, clash_vec3 step, double fraction)
{
    clash_pose pose = {there, {0, 0, 0}};
    clash_vec3 arm = clash_pose_apply(&pose, local);
    clash_vec3 at = {where.x - arm.x, where.y - arm.y, where.z - arm.z};
    clash_pose from = {quat_times(hard_turn(axis, -angle * fraction), there),
                       query_add(at, hard_scaled(step, -fraction))};
    clash_pose to = {quat_times(hard_turn(axis, angle * (1 - fraction)), there),
                     query_add(at, hard_scaled(step, 1 - fraction))};

    return (clash_body){shape, {from, to}};
}

static inline clash_vec3 hard_point_on(const clash_capsule *s, double along)
{
    return query_add(hard_scaled(s->base, 1 - along), hard_scaled(s->tip, along));
}

/** The shape in any lie, moving up to `speed` and turning up to `turn`, with its point `along` at `where` at `fraction`. */
static inline clash_body hard_any_through(random_state *r, clash_capsule shape, double along, clash_vec3 where,
                                          double speed, double turn, double fraction)
{
    clash_quat lie = random_turn(r, 6.28);
    clash_vec3 axis = random_direction(r);
    double angle = random_in(r, 0, turn);

    return hard_through(shape, hard_point_on(&shape, along), where, lie, axis, angle, random_box(r, speed), fraction);
}

/** Two blades of any size that meet at `fraction`, point of a at `along_a`, of b at `along_b`, moving and turning. */
static inline query hard_meeting(random_state *r, double length, double radius, double fraction, double along_a,
                                 double along_b, double speed, double turn)
{
    clash_vec3 where = random_box(r, length);
    clash_capsule shape_a = hard_blade(r, length, radius), shape_b = hard_blade(r, length, radius);
    query q;

    q.a = hard_any_through(r, shape_a, along_a, where, speed, turn, fraction);
    q.b = hard_any_through(r, shape_b, along_b, where, speed, turn, fraction);
    return q;
}

/** The same at any fraction, with any points. */
static inline query hard_any_meeting(random_state *r, double length, double radius, double speed, double turn)
{
    double fraction = random_in(r, 0, 1), along_a = random_in(r, 0, 1), along_b = random_in(r, 0, 1);

    return hard_meeting(r, length, radius, fraction, along_a, along_b, speed, turn);
}

static inline clash_quat hard_any_tilt(random_state *r, double angle)
{
    return hard_turn(random_direction(r), angle);
}

static inline query hard_parallel(random_state *r)
{
    clash_quat lie = random_turn(r, 6.28), tilt = hard_any_tilt(r, hard_decades(r, -7, -2));
    double gap = random_in(r, 0, 0.05), share = random_in(r, 0, 1.2), closing = gap * share * hard_decades(r, -3, 0);
    double spin = random_in(r, 0, 3), other_spin;
    clash_capsule s = hard_blade(r, 1, 0.02);
    clash_pose pose = {lie, {0, 0, 0}};
    clash_vec3 side = clash_pose_apply(&pose, (clash_vec3){1, 0, 0}), along = clash_pose_apply(&pose, s.tip);
    clash_vec3 axis = random_below(r, 3) == 0 ? side : random_below(r, 2) ? along : random_direction(r);
    clash_vec3 middle = hard_point_on(&s, 0.5), step = random_box(r, 0.01);
    query q;

    axis = hard_scaled(axis, 1 / (double)clash_vec3_length(axis));
    other_spin = random_below(r, 2) ? spin : random_in(r, -3, 3);
    q.a = hard_through(s, middle, (clash_vec3){0, 0, 0}, lie, axis, spin, step, 0);
    q.b = hard_through(s, middle, hard_scaled(side, gap), quat_times(tilt, lie), axis, other_spin,
                       query_add(step, hard_scaled(side, -closing)), 0);
    return q;
}

static inline query hard_half_turn(random_state *r)
{
    static const clash_quat exactly[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    double radius = random_below(r, 2) ? 0.02 : 1e-4;
    query q = hard_any_meeting(r, 1, radius, 0.3, 3);
    clash_body *const bodies[2] = {&q.a, &q.b};

    for (int i = 0; i < 2; i++) {
        clash_motion *m = &bodies[i]->motion;

        if (random_below(r, 3) == 0) {
            m->from.orientation = (clash_quat){0, 0, 0, 1};
            m->to.orientation = exactly[random_below(r, 3)];
        } else {
            double off = hard_either_way(r, -6, 0, 0);

            m->to.orientation = quat_times(hard_any_tilt(r, 3.14159265358979 + off), m->from.orientation);
        }
    }
    return q;
}

static inline query hard_at_ends(random_state *r)
{
    double off = random_below(r, 3) ? hard_decades(r, -9, -2) : 0;
    double fraction = random_below(r, 2) ? off : 1 - off;
    double along_a = random_in(r, 0, 1), along_b = random_in(r, 0, 1);
    query q = hard_meeting(r, 1, 0.02, fraction, along_a, along_b, 0.1, 0.5);

    /* grazing: apart by about the radii when it should touch */
    q.b.motion.from.position.y += q.a.shape.radius + q.b.shape.radius;
    q.b.motion.to.position.y += q.a.shape.radius + q.b.shape.radius;
    return q;
}

static inline query hard_brief(random_state *r)
{
    double radius = random_below(r, 2) ? 0.01 : 1e-5, speed = random_below(r, 2) ? 1000 : 50;
    query q = hard_any_meeting(r, 1, radius, speed, 3);

    if (random_below(r, 2)) /* a straight pass */
        q.a.motion.to.orientation = q.a.motion.from.orientation;
    return q;
}

static inline query hard_lines(random_state *r)
{
    static const double ends[3] = {0, 1, 1e-6};
    double along = random_below(r, 2) ? random_in(r, 0, 1) : ends[random_below(r, 3)];
    double fraction = random_in(r, 0, 1), other = random_in(r, 0, 1), speed = random_below(r, 2) ? 1 : 0.01;

    return hard_meeting(r, 1, 0, fraction, along, other, speed, 1);
}

static inline void hard_resize(clash_body *b, double size)
{
    b->shape.base = hard_scaled(b->shape.base, size);
    b->shape.tip = hard_scaled(b->shape.tip, size);
    b->shape.radius = (float)(b->shape.radius * size);
}

static inline query hard_sizes(random_state *r)
{
    double large = hard_decades(r, -6, 4), small = random_below(r, 2) ? large : hard_decades(r, -6, 4);
    double thick = random_below(r, 4) ? 0.02 : 0, other_thick = random_below(r, 4) ? 0.02 : 0;
    clash_capsule s = hard_blade(r, large, thick * large), t = hard_blade(r, small, other_thick * small);
    clash_vec3 where = random_box(r, random_below(r, 2) ? large : 1e4);
    double fraction = random_in(r, 0, 1), step = random_below(r, 2) ? large : hard_decades(r, -6, 1);
    double along_a = random_in(r, 0, 1), along_b = random_in(r, 0, 1);
    query q;

    q.a = hard_any_through(r, s, along_a, where, step, 2, fraction);
    q.b = hard_any_through(r, t, along_b, where, step, 2, fraction);
    return q;
}

static inline query hard_slow(random_state *r)
{
    query q = hard_any_meeting(r, 1, 0.01, 0, 0);
    clash_body *const bodies[2] = {&q.a, &q.b};
    double limit = (double)q.a.shape.radius + (double)q.b.shape.radius;
    clash_vec3 apart = hard_scaled(random_direction(r), limit);

    q.b.motion.from.position = query_add(q.b.motion.from.position, apart);
    q.b.motion.to.position = query_add(q.b.motion.from.position, random_box(r, hard_decades(r, -8, -5)));
    for (int i = 0; i < 2; i++) {
        clash_body *b = bodies[i];

        b->shape.base.x = b->shape.base.y = b->shape.tip.x = b->shape.tip.y = 0;
        if (random_below(r, 2)) /* rolls about its own axis */
            b->motion.to.orientation =
                quat_times(b->motion.from.orientation, hard_turn((clash_vec3){0, 0, 1}, random_in(r, -3.1, 3.1)));
    }
    return q;
}

/** Upright against lying, all in multiples of 1/1024: the gap at the end (or the start) is exactly the sum of the radii. */
static inline query hard_dyadic(random_state *r)
{
    float radius = (float)(1 + random_below(r, 32)) / 1024, far = (float)(random_below(r, 1024)) / 1024;
    float along = (float)random_below(r, 1025) / 1024, drift = (float)(random_below(r, 512) - 256) / 1024;
    clash_body a = {{{0, 0, 0}, {0, 0, -1}, radius}, {{{0, 0, 0, 1}, {0, 0, 0}}, {{0, 0, 0, 1}, {0, 0, 0}}}};
    clash_body b = {{{0, -1, 0}, {0, 1, 0}, radius}, {{{0, 0, 0, 1}, {0, 0, 0}}, {{0, 0, 0, 1}, {0, 0, 0}}}};
    clash_vec3 touching = {2 * radius, 0, -along}, away = {2 * radius + far, drift, -along};
    bool at_start = random_below(r, 2);

    if (random_below(r, 4) == 0) /* parallel: the whole blade at once */
        b.shape = a.shape;
    b.motion.from.position = at_start ? touching : away;
    b.motion.to.position = at_start ? away : touching;
    return random_below(r, 2) ? (query){a, b} : (query){b, a};
}

static inline clash_quat hard_rescaled(random_state *r, clash_quat q)
{
    double sign = hard_sign(r), s = sign * random_in(r, 0.99, 1.01);

    return (clash_quat){(float)(q.x * s), (float)(q.y * s), (float)(q.z * s), (float)(q.w * s)};
}

static inline query hard_unit(random_state *r)
{
    query q = hard_any_meeting(r, 1, 0.02, 0.1, 1);

    q.a.motion.from.orientation = hard_rescaled(r, q.a.motion.from.orientation);
    q.a.motion.to.orientation = hard_rescaled(r, q.a.motion.to.orientation);
    q.b.motion.from.orientation = hard_rescaled(r, q.b.motion.from.orientation);
    q.b.motion.to.orientation = hard_rescaled(r, q.b.motion.to.orientation);
    return q;
}

static inline query hard_far(random_state *r)
{
    query q = hard_any_meeting(r, 1, 0.02, 0.1, 1);
    clash_vec3 away = random_box(r, 1e4);

    q.a.motion.from.position = query_add(q.a.motion.from.position, away);
    q.a.motion.to.position = query_add(q.a.motion.to.position, away);
    q.b.motion.from.position = query_add(q.b.motion.from.position, away);
    q.b.motion.to.position = query_add(q.b.motion.to.position, away);
    return q;
}

static inline clash_pose hard_beside(random_state *r, clash_pose p, double slight)
{
    clash_quat turn = random_turn(r, slight);

    return (clash_pose){quat_times(p.orientation, turn), query_add(p.position, random_box(r, slight))};
}

/** Put the second blade on the first one's device, except for a small turn and a small step. */
static inline query hard_together(random_state *r)
{
    query q = hard_any_meeting(r, 1, 0.02, 1, 3);
    double slight = hard_decades(r, -6, 0) * 0.1, off = random_in(r, 0, 0.06);
    clash_vec3 beside = hard_scaled(random_direction(r), off);

    if (random_below(r, 2))
        q.b.shape = q.a.shape;
    q.b.shape.base = query_add(q.b.shape.base, beside);
    q.b.shape.tip = query_add(q.b.shape.tip, beside);
    q.b.motion.from = hard_beside(r, q.a.motion.from, slight);
    q.b.motion.to = hard_beside(r, q.a.motion.to, slight);
    return q;
}

/** Tip meets tip, or base. */
static inline query hard_tips(random_state *r)
{
    double fraction = random_in(r, 0, 1), along = random_below(r, 4) ? 1 : 0;

    return hard_meeting(r, 1, 0.01, fraction, 1, along, hard_decades(r, -3, 1), 2);
}

static inline query hard_make(random_state *r, hard_kind kind)
{
    switch (kind) {
    case HARD_PARALLEL:
        return hard_parallel(r);
    case HARD_HALF_TURN:
        return hard_half_turn(r);
    case HARD_TIPS:
        return hard_tips(r);
    case HARD_AT_ENDS:
        return hard_at_ends(r);
    case HARD_BRIEF:
        return hard_brief(r);
    case HARD_LINES:
        return hard_lines(r);
    case HARD_SIZES:
        return hard_sizes(r);
    case HARD_SLOW:
        return hard_slow(r);
    case HARD_DYADIC:
        return hard_dyadic(r);
    case HARD_UNIT:
        return hard_unit(r);
    case HARD_FAR:
        return hard_far(r);
    case HARD_TOGETHER:
    case HARD_KINDS:
        break;
    }
    return hard_together(r);
}

/** Set the radii so that their sum is the least distance over the interval minus `depth` (which may be negative), as
 *  exactly as two floats can. Return false if the least distance is too small for that. */
static inline bool hard_tighten(query *q, double depth)
{
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);
    double least = exhaustive_distance(&p, 0.5), sum;

    exhaustive_least(&p, 1e-10 + 1e-14 * p.size, 0, 1, &least);
    sum = least - depth;
    if (!(sum > 0))
        return false;
    q->a.shape.radius = (float)(sum * (1 - 1e-6));
    q->b.shape.radius = (float)fmax(0, sum - (double)q->a.shape.radius);
    return true;
}

#endif
