/* What the tracker reports of one pair over one motion, in any number of intervals, and whether that is true: compared
 * with exhaustive search of the exact motion, change by change and stretch by stretch. Nothing may be missed or
 * invented unless it is nearer to the limit than `doubt`. */
#ifndef CLASHD_TESTS_COURSE_H
#define CLASHD_TESTS_COURSE_H

#include <clash/contact.h>

#include "support/any_query.h"
#include "support/impact.h"
#include "support/truth.h"

#define COURSE_CHANGES_MAX 64
/* The most looks in a search for a release: some blades stay near the limit for long. */
#define COURSE_LOOKS 40000

typedef struct course {
    clash_contact_state state;
    size_t count;
    clash_contact_change changes[COURSE_CHANGES_MAX];
    double at[COURSE_CHANGES_MAX]; /* of each change, in fractions of the whole */
    bool overflowed;               /* there were more, which are not known */
} course;

/** Take the changes of one interval, which is from..to of the whole. */
static inline void course_take(course *c, const clash_contact_change *changes, size_t count, double from, double to)
{
    for (size_t i = 0; i < count; i++) {
        if (c->count == COURSE_CHANGES_MAX) {
            c->overflowed = true;
            return;
        }
        c->at[c->count] = from + changes[i].impact.contact.fraction * (to - from);
        c->changes[c->count++] = changes[i];
    }
    c->overflowed = c->overflowed || count == CLASH_CONTACT_CHANGES_MAX;
}

/** Advance a and b through span of their motions, which is the whole or its next part. */
static inline void course_advance(course *c, impact_settings settings, const clash_body *a, const clash_body *b,
                                  clash_span span, double from, double to)
{
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];

    course_take(c, changes, impact_advance(&c->state, settings, a, span, b, span, changes), from, to);
}

typedef struct course_limits {
    double start, end; /* m */
} course_limits;

static inline course_limits course_limits_of(const query *q, impact_settings s)
{
    double start = any_limit(q) + (double)s.margin;

    return (course_limits){start, start + fmax((double)s.release_margin, (double)CLASH_CONTACT_RELEASE_MIN)};
}

/** Return whether the distance certainly reaches `limit` in low..high; false too if that took too long to find out. */
static inline bool course_parts(exhaustive_pair *p, double limit, double slack, double low, double high)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), distance;

    if (p->looks > COURSE_LOOKS || !(low < middle && middle < high))
        return false;
    distance = exhaustive_distance(p, middle);
    p->looks++;
    if (distance >= limit)
        return true;
    if (distance + p->most[1] * half < limit || p->most[1] * half < slack)
        return false;
    return course_parts(p, limit, slack, low, middle) || course_parts(p, limit, slack, middle, high);
}

/** Return what is wrong in from..until, throughout which the tracker reports touching or not; NULL if nothing. The very
 *  ends belong to the changes. */
static inline const char *course_stretch(exhaustive_pair *p, course_limits limits, double doubt, bool touching,
                                         double from, double until)
{
    double slack = fmax(0.1 * doubt, 2e-10 + 2e-15 * p->size);
    double edge = doubt / p->most[1];
    exhaustive_first first;

    if (from + edge >= until - edge)
        return NULL;
    p->looks = 0;
    if (touching)
        return course_parts(p, limits.end + doubt, slack, from + edge, until - edge) ? "a parting is missed" : NULL;
    first = exhaustive_first_within(p, limits.start - doubt - slack, slack, from + edge, until - edge);
    return first.found ? "a touch is missed" : NULL;
}

/** Return what is wrong with the change's time. One at the start of an interval may be late: it was due before. */
static inline const char *course_change(const exhaustive_pair *p, course_limits limits, double doubt,
                                        const clash_contact_change *change, double at)
{
    double distance = exhaustive_distance(p, at);
    bool is_due = change->impact.contact.fraction == 0;

    if (change->kind == CLASH_CONTACT_START)
        return distance > limits.start + doubt              ? "a touch is invented"
               : !is_due && distance < limits.start - doubt ? "a touch is late"
                                                            : NULL;
    return distance < limits.end - doubt              ? "a parting is invented"
           : !is_due && distance > limits.end + doubt ? "a parting is late"
                                                      : NULL;
}

/** Check the least distance of the contact from `since` to `until`, to within 0.01 mm and a float. */
static inline const char *course_least(exhaustive_pair *p, double doubt, double since, double until, double told)
{
    double least = fmin(exhaustive_distance(p, since), exhaustive_distance(p, until));

    exhaustive_least(p, 1e-6 + 1e-14 * p->size, since, until, &least);
    return fabs(told - least) > 1.15e-5 + doubt + 1e-7 * least + 1e-14 * p->size ? "the least distance is wrong" : NULL;
}

/** Return what is wrong with the course of a pair that was apart before; NULL if nothing. */
static inline const char *course_mistake(const query *q, impact_settings settings, const course *c, double doubt)
{
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);
    course_limits limits = course_limits_of(q, settings);
    double from = 0, since = 0;
    bool touching = false;
    const char *wrong = NULL;

    if (c->overflowed)
        return NULL;
    for (size_t i = 0; i <= c->count && !wrong; i++) {
        double until = i < c->count ? c->at[i] : 1.0;

        wrong = until < from ? "out of order" : course_stretch(&p, limits, doubt, touching, from, until);
        if (!wrong && touching)
            wrong = course_least(&p, doubt, since, until,
                                 (double)(i < c->count ? c->changes[i].min_distance : c->state.min_distance));
        if (wrong || i == c->count)
            break;
        if (c->changes[i].kind != (touching ? CLASH_CONTACT_END : CLASH_CONTACT_START))
            return "two of a kind follow each other";
        wrong = course_change(&p, limits, doubt, &c->changes[i], until);
        touching = !touching;
        since = touching ? until : since;
        from = until;
    }
    return wrong ? wrong : c->state.touching != touching ? "the state is wrong" : NULL;
}

/** Return how far rounding its poses to float moves the pair at most: half a last place of each coordinate, and of the
 *  orientation's four numbers times the reach; and as much again for the turn between. */
static inline double course_rounding(const query *q)
{
    const clash_body *const bodies[2] = {&q->a, &q->b};
    double sum = 0;

    for (int i = 0; i < 2; i++) {
        const clash_motion *m = &bodies[i]->motion;
        double far = fmax((double)clash_vec3_length(m->from.position), (double)clash_vec3_length(m->to.position));
        double reach =
            fmax((double)clash_vec3_length(bodies[i]->shape.base), (double)clash_vec3_length(bodies[i]->shape.tip));

        sum += 0x1p-24 * far + 4 * 0x1p-24 * reach;
    }
    return 2 * sum;
}

#endif
