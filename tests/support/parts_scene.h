/* Random pairs of blades made of parts, and the truth about them by exhaustive search: the least clearance of all pairs
 * of parts at any time, when it first reaches a limit, how small it gets. */
#ifndef TESTS_PARTS_SCENE_H
#define TESTS_PARTS_SCENE_H

#include <clash/contact.h>

#include "support/impact.h"
#include "support/queries.h"
#include "support/reference.h"

/* m: below this the input's rounding to float decides. */
#define DOUBT 2e-6

static const clash_span whole = {0, 1};

/** Two blades and one interval of their motions. */
typedef struct scene {
    clash_capsule capsules[2][CLASH_PARTS_MAX];
    impact_parts sides[2];
    clash_span spans[2];
    impact_settings settings;
    double speed; /* bound on how fast a clearance changes */
} scene;

static inline clash_body body_of(const impact_parts *parts, size_t i)
{
    return (clash_body){parts->capsules[i], parts->motion};
}

static inline double radii_of(const scene *s, size_t i, size_t j)
{
    return (double)s->sides[0].capsules[i].radius + (double)s->sides[1].capsules[j].radius;
}

static inline double part_clearance(const scene *s, size_t i, size_t j, double t)
{
    clash_body a = body_of(&s->sides[0], i), b = body_of(&s->sides[1], j);

    return ref_distance_in_spans(&a, s->spans[0], &b, s->spans[1], t) - radii_of(s, i, j);
}

static inline double clearance(const scene *s, double t)
{
    double least = HUGE_VAL;

    for (size_t i = 0; i < s->sides[0].count; i++)
        for (size_t j = 0; j < s->sides[1].count; j++)
            least = fmin(least, part_clearance(s, i, j, t));
    return least;
}

/** Return the first t in low..high with sign * (clearance - limit) <= 0; 2 if there is none. */
static inline double first(const scene *s, double sign, double limit, double low, double high)
{
    double middle = 0.5 * (low + high), reach = s->speed * 0.5 * (high - low);
    double value = sign * (clearance(s, middle) - limit), left;

    if (low >= high || value > reach)
        return 2;
    if (reach < 0.1 * DOUBT)
        return value <= 0 ? middle : 2;
    left = first(s, sign, limit, low, middle);
    return left <= 1 ? left : first(s, sign, limit, middle, high);
}

/** Lower *least to the least clearance over low..high, to within a micrometre. */
static inline void lower(const scene *s, double low, double high, double *least)
{
    double middle = 0.5 * (low + high), value = clearance(s, middle);

    *least = fmin(*least, value);
    if (value - s->speed * 0.5 * (high - low) >= *least - 1e-6)
        return;
    lower(s, low, middle, least);
    lower(s, middle, high, least);
}

/** Return whether two parts come within `limit` in low..high. */
static inline bool comes_within(const scene *s, size_t i, size_t j, double limit, double low, double high)
{
    double middle = 0.5 * (low + high), reach = s->speed * 0.5 * (high - low), value = part_clearance(s, i, j, middle);

    if (value <= limit)
        return true;
    if (value > limit + reach || reach < 0.1 * DOUBT)
        return false;
    return comes_within(s, i, j, limit, low, middle) || comes_within(s, i, j, limit, middle, high);
}

/** Make a polyline, like a curved blade, with a guard across its first joint and varying thickness. */
static inline size_t random_blade(random_state *r, clash_capsule *out, int most)
{
    size_t count = 1 + (size_t)random_below(r, most), i = 0;
    clash_vec3 at = random_box(r, 0.05);

    if (count > 2) {
        clash_vec3 across = random_direction(r);

        out[i++] = (clash_capsule){{across.x * 0.1f, across.y * 0.1f, across.z * 0.1f},
                                   {across.x * -0.1f, across.y * -0.1f, across.z * -0.1f},
                                   (float)random_in(r, 0.005, 0.03)};
    }
    for (; i < count; i++) {
        clash_vec3 next =
            query_add(query_add(at, random_box(r, 0.06)), (clash_vec3){0, 0, (float)(-0.9 / (double)count)});

        out[i] =
            (clash_capsule){at, random_below(r, 12) ? next : at, random_below(r, 5) ? (float)random_in(r, 0, 0.03) : 0};
        at = next;
    }
    return count;
}

static inline clash_span random_span(random_state *r)
{
    double from = random_in(r, 0, 0.7);

    return random_below(r, 3) ? whole : (clash_span){from, random_in(r, from + 0.1, 1)};
}

static inline void random_scene(random_state *r, scene *s, int most)
{
    bool side_by_side = random_below(r, 2);
    double slowness = random_below(r, 2) ? 1.0 : 0.03;

    s->speed = 1e-12;
    for (int k = 0; k < 2; k++) {
        query q = query_make(r, random_below(r, 3) ? QUERY_DROPPED : QUERY_EXTREME);
        double fastest = 0;

        s->sides[k] = (impact_parts){s->capsules[k], random_blade(r, s->capsules[k], most), q.a.motion};
        s->sides[k].motion.from.position = random_box(r, 0.5);
        s->sides[k].motion.to.position = query_add(s->sides[k].motion.from.position, random_box(r, 0.3 * slowness));
        if (slowness < 1.0)
            s->sides[k].motion.to.orientation = quat_times(random_turn(r, 0.1), s->sides[k].motion.from.orientation);
        s->spans[k] = side_by_side ? whole : random_span(r);
        for (size_t i = 0; i < s->sides[k].count; i++) {
            clash_body body = body_of(&s->sides[k], i);

            fastest = fmax(fastest, ref_speed_bound(&body));
        }
        s->speed += fastest * (s->spans[k].to - s->spans[k].from);
    }
    s->settings = (impact_settings){random_below(r, 2) ? 0.0f : 0.01f, random_below(r, 2) ? 0.005f : 0.0005f};
}

#endif
