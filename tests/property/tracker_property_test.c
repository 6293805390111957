/* The tracker on one pair, plain and hard, swinging on for some intervals: every start and every end against exhaustive
 * search, and the same told the other way round, of capsules and of blades made of parts. A failure prints seed, kind and
 * case; CLASHD_SEED runs it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/course.h"

static uint64_t seed;

#define FAIL(kind, i, ...)                                                                     \
    do {                                                                                       \
        print_error("seed %llu, %s, case %ld: ", (unsigned long long)seed, any_name(kind), i); \
        fail_msg(__VA_ARGS__);                                                                 \
    } while (0)

static const clash_span whole = {0, 1};

static impact_settings any_settings(random_state *r)
{
    static const float margins[3] = {0, 0.001f, 0.02f}, releases[3] = {0, 0.0005f, 0.005f};
    int margin = random_below(r, 3), release = random_below(r, 3);

    return (impact_settings){margins[margin], releases[release]};
}

/** Of the searches for partings and touches, which stop at the tolerance of sweep.h; it may have doubled once. */
static double doubt_of(const query *q)
{
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);

    return 2 * truth_tolerance(&p) + 2.3e-16 * p.most[1];
}

/** A swing to somewhere near, from where the last one ended. */
static void swing_on(random_state *r, clash_motion *m, double size)
{
    clash_quat turn = random_turn(r, 1.0);

    m->from = m->to;
    m->to.orientation = quat_times(turn, m->from.orientation);
    m->to.position = query_add(m->from.position, random_box(r, 0.3 * size));
}

/** Three swings; only the first begins apart, so the other two are told from apart on too. */
static long starts_and_ends(random_state *r, int kind, long i)
{
    query q = any_query(r, kind);
    impact_settings settings = any_settings(r);
    double size = fmin(10, exhaustive_whole(&q.a, &q.b).size);
    long changes = 0;

    for (int k = 0; k < 3; k++) {
        course c = {.count = 0};
        const char *wrong;

        course_advance(&c, settings, &q.a, &q.b, whole, 0, 1);
        wrong = course_mistake(&q, settings, &c, doubt_of(&q));
        if (wrong)
            FAIL(kind, i, "swing %d, margins %g and %g: %s", k, (double)settings.margin,
                 (double)settings.release_margin, wrong);
        changes += (long)c.count;
        swing_on(r, &q.a.motion, size);
        swing_on(r, &q.b.motion, size);
    }
    return changes;
}

static void exhaustive_search_agrees(void **state)
{
    long changes = 0;

    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        random_state r = {seed + (uint64_t)kind};

        for (long i = 0; i < random_cases(300); i++)
            changes += starts_and_ends(&r, kind, i);
    }
    print_message("%ld changes\n", changes);
    assert_true(changes > random_enough(500));
}

/** What is left to tell two changes apart by: who is first, not where they are. */
static const char *mirror_mistake(const exhaustive_pair *p, double doubt, const course *x, const course *y, size_t i)
{
    const clash_contact *c = &x->changes[i].impact.contact, *d = &y->changes[i].impact.contact;
    double least = fmin(x->at[i], y->at[i]), width = fabs(x->at[i] - y->at[i]),
           distance = exhaustive_distance(p, least);

    if (x->changes[i].kind != y->changes[i].kind)
        return "another kind";
    /* Between the two times, if they are two, nothing happens that is more than the tolerance. */
    for (int k = 1; k <= 8; k++)
        if (fabs(exhaustive_distance(p, least + width * k / 8) - distance) > 2 * doubt)
            return "another time";
    if (fabs((double)c->distance - (double)d->distance) > 2 * doubt + 2e-7 * (double)c->distance)
        return "another distance";
    return fabs((double)(x->changes[i].min_distance - y->changes[i].min_distance)) >
                   2.1e-5 + doubt + 2e-7 * (double)c->distance
               ? "another least distance"
               : NULL;
}

/** The two tell the same, or what only one tells is as near to the limit as the tolerance. */
static const char *same_mirrored(const query *q, impact_settings settings, const course *x, const course *y)
{
    exhaustive_pair p = exhaustive_whole(&q->a, &q->b);
    double doubt = doubt_of(q);
    const char *wrong = NULL;

    if (x->overflowed || y->overflowed)
        return NULL;
    if (x->count != y->count || x->state.touching != y->state.touching)
        return course_mistake(q, settings, x, doubt) || course_mistake(q, settings, y, doubt) ? "others" : NULL;
    for (size_t i = 0; i < x->count && !wrong; i++)
        wrong = mirror_mistake(&p, doubt, x, y, i);
    return wrong;
}

static void who_is_first_does_not_matter(void **state)
{
    long changes = 0, unequal = 0;

    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        random_state r = {seed + 100 + (uint64_t)kind};

        for (long i = 0; i < random_cases(1000); i++) {
            query q = any_query(&r, kind);
            impact_settings settings = any_settings(&r);
            course x = {.count = 0}, y = {.count = 0};
            const char *wrong;

            if (random_below(&r, 4) == 0)
                hard_tighten(&q, hard_either_way(&r, -8, -3, 0));
            course_advance(&x, settings, &q.a, &q.b, whole, 0, 1);
            course_advance(&y, settings, &q.b, &q.a, whole, 0, 1);
            wrong = same_mirrored(&q, settings, &x, &y);
            if (wrong)
                FAIL(kind, i, "the other way round: %s", wrong);
            changes += (long)x.count;
            unequal += x.count != y.count;
        }
    }
    print_message("%ld changes, %ld at the limit\n", changes, unequal);
    assert_true(changes > random_enough(1000) && unequal < changes / 100);
}

/** The body's blade in `count` pieces, and a guard across its base. */
static impact_parts blade_of(random_state *r, const clash_body *b, clash_capsule *capsules, size_t count)
{
    float size = clash_vec3_length((clash_vec3){b->shape.tip.x - b->shape.base.x, b->shape.tip.y - b->shape.base.y,
                                                b->shape.tip.z - b->shape.base.z});
    clash_vec3 across = hard_scaled(random_direction(r), 0.1 * (double)size);
    clash_vec3 other = hard_scaled(across, -1), from = b->shape.base;

    for (size_t i = 0; i < count; i++) {
        clash_vec3 to = hard_point_on(&b->shape, (double)(i + 1) / (double)count);

        capsules[i] = (clash_capsule){from, to, b->shape.radius};
        from = to;
    }
    capsules[count] =
        (clash_capsule){query_add(b->shape.base, across), query_add(b->shape.base, other), b->shape.radius};
    return (impact_parts){capsules, count + 1, b->motion};
}

/** The least distance less radii of all parts; they are all as thick. */
static double clearance(const impact_parts *a, const impact_parts *b, double at)
{
    double least = HUGE_VAL;

    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            clash_body x = {a->capsules[i], a->motion}, y = {b->capsules[j], b->motion};

            least = fmin(least, ref_distance_at(&x, &y, at) - (double)x.shape.radius - (double)y.shape.radius);
        }
    return least;
}

static const char *parts_mistake(const impact_parts *a, const impact_parts *b, impact_settings settings, double doubt,
                                 long *changes)
{
    clash_contact_change x[CLASH_CONTACT_CHANGES_MAX], y[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state one = {0}, other = {0};
    size_t count = impact_advance_blades(&one, settings, a, whole, b, whole, x);

    if (impact_advance_blades(&other, settings, b, whole, a, whole, y) != count)
        return "others";
    for (size_t i = 0; i < count; i++) {
        double at = x[i].impact.contact.fraction, there = y[i].impact.contact.fraction, distance = clearance(a, b, at);

        if (x[i].kind != y[i].kind)
            return "another kind";
        for (int k = 1; k <= 8; k++)
            if (fabs(clearance(a, b, at + (there - at) * k / 8) - distance) > 2 * doubt)
                return x[i].kind == CLASH_CONTACT_START ? "another start" : "another end";
        if (fabs((double)(x[i].min_distance - y[i].min_distance)) >
            2.1e-5 + doubt + 2e-7 * (double)x[i].impact.contact.distance)
            return "another least distance";
    }
    *changes += (long)count;
    return one.touching != other.touching ? "another state" : NULL;
}

static void who_is_first_does_not_matter_to_parts(void **state)
{
    long changes = 0;

    (void)state;
    for (int kind = 0; kind < ANY_KINDS; kind++) {
        random_state r = {seed + 200 + (uint64_t)kind};

        for (long i = 0; i < random_cases(300); i++) {
            query q = any_query(&r, kind);
            impact_settings settings = any_settings(&r);
            clash_capsule capsules[2][CLASH_PARTS_MAX];
            size_t count = 1 + (size_t)random_below(&r, 3), other = 1 + (size_t)random_below(&r, 3);
            impact_parts a = blade_of(&r, &q.a, capsules[0], count), b = blade_of(&r, &q.b, capsules[1], other);
            const char *wrong =
                parts_mistake(&a, &b, settings, doubt_of(&q) + 1e-14 * exhaustive_whole(&q.a, &q.b).size, &changes);

            if (wrong)
                FAIL(kind, i, "the other way round: %s", wrong);
        }
    }
    print_message("%ld changes\n", changes);
    assert_true(changes > random_enough(500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhaustive_search_agrees),
        cmocka_unit_test(who_is_first_does_not_matter),
        cmocka_unit_test(who_is_first_does_not_matter_to_parts),
    };

    seed = random_seed(6174);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
