/* Blades made of parts against exhaustive search over all pairs of parts: no touch and no parting missed or invented, the
 * least clearance, and which parts it is of; and against what must not matter: the order of parts, where an interval is
 * split, cutting a straight blade into pieces. A failure prints seed and case; CLASHD_SEED runs it again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <clash/contact.h>

#include "support/parts_scene.h"

#define CHANGE_BYTES (offsetof(clash_contact, along) + sizeof((clash_contact *)0)->along)

static uint64_t seed;
static long current;

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition))                                                                             \
            fail_msg("CLASHD_SEED=%llu case %ld: %s", (unsigned long long)seed, current, #condition); \
    } while (0)

static size_t advance(const scene *s, clash_contact_state *state, clash_contact_change *changes)
{
    return impact_advance_blades(state, s->settings, &s->sides[0], s->spans[0], &s->sides[1], s->spans[1], changes);
}

/* The parts that are named, and all that is said of them. */
static void check_geometry(const scene *s, const clash_contact_change *change)
{
    uint32_t i = change->impact.parts[0], j = change->impact.parts[1], parts[2] = {0, 0};
    clash_body a = body_of(&s->sides[0], i), b = body_of(&s->sides[1], j);
    double t = change->impact.contact.fraction;
    clash_contact single, at;
    clash_toi_input in = impact_blades(&s->sides[0], s->spans[0], &s->sides[1], s->spans[1], s->settings);

    in.margin += 0.1f;
    CHECK(i < s->sides[0].count && j < s->sides[1].count);
    CHECK(part_clearance(s, i, j, t) <= clearance(s, t) + DOUBT);
    memset(&single, 0, sizeof single);
    memset(&at, 0, sizeof at);
    impact_at(&a, s->spans[0], &b, s->spans[1], 0, t, &single);
    CHECK(memcmp(&single, &change->impact.contact, CHANGE_BYTES) == 0);
    CHECK(impact_blades_at(&in, t, &at, parts) == CLASH_SWEEP_OVERLAP);
    CHECK(memcmp(&single, &at, CHANGE_BYTES) == 0 && parts[0] == i && parts[1] == j);
}

/** A contact so far: its least clearance, and from when on in this interval; below 0 where it is older. */
typedef struct so_far {
    double least, since;
} so_far;

/* min_distance is of parts whose clearance was the least. */
static void check_least(const scene *s, const so_far *contact, double until, double min_distance)
{
    bool found = false;

    for (size_t i = 0; i < s->sides[0].count; i++)
        for (size_t j = 0; j < s->sides[1].count; j++)
            if (fabs(min_distance - radii_of(s, i, j) - contact->least) <= 1.5e-5)
                found = found || contact->since < 0 ||
                        comes_within(s, i, j, contact->least + 1.5e-5, contact->since, until);
    CHECK(found);
}

/** How many changes there were, all of them right. */
static size_t check_truth(const scene *s, clash_contact_state *state, so_far *contact)
{
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    double start = (double)s->settings.margin, end = start + (double)s->settings.release_margin, from = 0;
    bool touching = state->touching;
    size_t count = advance(s, state, changes);

    contact->since = -1;
    CHECK(count < CLASH_CONTACT_CHANGES_MAX);
    for (size_t i = 0; i <= count; i++) {
        double until = i < count ? changes[i].impact.contact.fraction : 1.0;

        /* Nothing was missed up to here, and nothing is invented. */
        CHECK(until >= from);
        CHECK(touching ? first(s, -1, end + DOUBT, from, until) > 1 : first(s, 1, start - DOUBT, from, until) > 1);
        if (i < count && until > from)
            CHECK(fabs(clearance(s, until) - (touching ? end : start)) <= DOUBT);
        if (touching)
            lower(s, from, until, &contact->least);
        if (i == count)
            break;
        CHECK(changes[i].kind == (touching ? CLASH_CONTACT_END : CLASH_CONTACT_START));
        check_geometry(s, &changes[i]);
        if (touching)
            check_least(s, contact, until, (double)changes[i].min_distance);
        touching = !touching;
        *contact = (so_far){clearance(s, until), until};
        from = until;
    }
    CHECK(state->touching == touching);
    if (touching)
        check_least(s, contact, 1, (double)state->min_distance);
    return count;
}

static void agrees_with_exhaustive_search(void **state)
{
    random_state r = {seed};
    size_t changes = 0;

    (void)state;
    for (current = 0; current < random_cases(100); current++) {
        clash_contact_state track = {0};
        so_far contact = {HUGE_VAL, -1};
        scene s;

        random_scene(&r, &s, random_below(&r, 8) ? 4 : CLASH_PARTS_MAX);
        for (int k = 0; k < 3; k++) {
            bool at_ends = s.spans[0].to == 1.0 && s.spans[1].to == 1.0;

            changes += check_truth(&s, &track, &contact);
            if (track.touching && !at_ends)
                break; /* the next interval begins elsewhere */
            for (int side = 0; side < 2; side++) {
                s.spans[side] = whole;
                s.sides[side].motion.from = s.sides[side].motion.to;
                s.sides[side].motion.to = (clash_pose){
                    quat_times(random_turn(&r, 0.8), s.sides[side].motion.from.orientation), random_box(&r, 0.4)};
            }
            s.speed = 12.0;
        }
    }
    print_message("%zu changes\n", changes);
    assert_true((long)changes > random_enough(30));
}

static bool is_same_change(const clash_contact_change *a, const clash_contact_change *b)
{
    return a->kind == b->kind && memcmp(&a->impact.contact, &b->impact.contact, CHANGE_BYTES) == 0 &&
           a->min_distance == b->min_distance && memcmp(a->impact.parts, b->impact.parts, sizeof a->impact.parts) == 0;
}

static void one_part_each_is_a_pair(void **state)
{
    random_state r = {seed + 1};
    size_t total = 0;

    (void)state;
    for (current = 0; current < random_cases(2000); current++) {
        clash_contact_change changes[2][CLASH_CONTACT_CHANGES_MAX];
        clash_contact_state tracks[2] = {{0}, {0}};
        size_t counts[2];
        clash_body a, b;
        scene s;

        random_scene(&r, &s, 1);
        a = body_of(&s.sides[0], 0);
        b = body_of(&s.sides[1], 0);
        counts[0] = advance(&s, &tracks[0], changes[0]);
        counts[1] = impact_advance(&tracks[1], s.settings, &a, s.spans[0], &b, s.spans[1], changes[1]);
        CHECK(counts[0] == counts[1]);
        for (size_t i = 0; i < counts[0]; i++)
            CHECK(is_same_change(&changes[0][i], &changes[1][i]));
        CHECK(tracks[0].touching == tracks[1].touching && tracks[0].min_distance == tracks[1].min_distance);
        total += counts[0];
    }
    assert_true((long)total > random_enough(50));
}

/* A straight blade of one radius, whole and in pieces: the same contacts. */
static void pieces_of_a_blade_are_the_blade(void **state)
{
    random_state r = {seed + 2};
    size_t total = 0;

    (void)state;
    for (current = 0; current < random_cases(1000); current++) {
        clash_contact_change changes[2][CLASH_CONTACT_CHANGES_MAX];
        clash_contact_state tracks[2] = {{0}, {0}};
        size_t counts[2];
        scene s;

        random_scene(&r, &s, 1);
        s.capsules[0][0].tip = (clash_vec3){0, 0, -1};
        s.capsules[0][0].base = (clash_vec3){0, 0, 0};
        counts[0] = advance(&s, &tracks[0], changes[0]);
        for (int i = 0; i < 8; i++)
            s.capsules[0][i] =
                (clash_capsule){{0, 0, (float)-i / 8}, {0, 0, (float)-(i + 1) / 8}, s.capsules[0][0].radius};
        s.sides[0].count = 8;
        counts[1] = advance(&s, &tracks[1], changes[1]);
        CHECK(counts[0] == counts[1] && tracks[0].touching == tracks[1].touching);
        for (size_t i = 0; i < counts[0]; i++) {
            const clash_contact *x = &changes[0][i].impact.contact, *y = &changes[1][i].impact.contact;

            CHECK(fabs(clearance(&s, y->fraction) - clearance(&s, x->fraction)) <= 1e-8);
            CHECK(fabs((double)(x->distance - y->distance)) <= 1e-6);
            CHECK(fabs((double)(changes[0][i].min_distance - changes[1][i].min_distance)) <= 2.1e-5);
        }
        total += counts[0];
    }
    assert_true((long)total > random_enough(50));
}

/* Turned round, the same changes; the parts are named by their new places. */
static void the_order_of_parts_does_not_matter(void **state)
{
    random_state r = {seed + 3};

    (void)state;
    for (current = 0; current < random_cases(500); current++) {
        clash_contact_change changes[2][CLASH_CONTACT_CHANGES_MAX];
        clash_contact_state tracks[2] = {{0}, {0}};
        size_t counts[2];
        scene s;

        random_scene(&r, &s, 6);
        counts[0] = advance(&s, &tracks[0], changes[0]);
        for (size_t i = 0; i < s.sides[0].count / 2; i++) {
            clash_capsule moved = s.capsules[0][i];

            s.capsules[0][i] = s.capsules[0][s.sides[0].count - 1 - i];
            s.capsules[0][s.sides[0].count - 1 - i] = moved;
        }
        counts[1] = advance(&s, &tracks[1], changes[1]);
        CHECK(counts[0] == counts[1] && tracks[0].touching == tracks[1].touching);
        for (size_t i = 0; i < counts[0]; i++)
            CHECK(fabs(clearance(&s, changes[0][i].impact.contact.fraction) -
                       clearance(&s, changes[1][i].impact.contact.fraction)) <= 1e-8);
    }
}

/* The same the other way round: the parts, the points and the normal change places. */
static void who_is_first_does_not_matter(void **state)
{
    random_state r = {seed + 5};
    size_t total = 0;

    (void)state;
    for (current = 0; current < random_cases(1000); current++) {
        clash_contact_change changes[2][CLASH_CONTACT_CHANGES_MAX];
        clash_contact_state tracks[2] = {{0}, {0}};
        size_t counts[2];
        scene s;

        random_scene(&r, &s, 6);
        counts[0] = advance(&s, &tracks[0], changes[0]);
        counts[1] =
            impact_advance_blades(&tracks[1], s.settings, &s.sides[1], s.spans[1], &s.sides[0], s.spans[0], changes[1]);
        CHECK(counts[0] == counts[1] && tracks[0].touching == tracks[1].touching);
        for (size_t i = 0; i < counts[0]; i++) {
            const clash_contact_change *x = &changes[0][i], *y = &changes[1][i];

            CHECK(x->kind == y->kind);
            CHECK(fabs(clearance(&s, x->impact.contact.fraction) - clearance(&s, y->impact.contact.fraction)) <= 1e-8);
            CHECK(fabs(part_clearance(&s, y->impact.parts[1], y->impact.parts[0], x->impact.contact.fraction) -
                       part_clearance(&s, x->impact.parts[0], x->impact.parts[1], x->impact.contact.fraction)) <= 1e-8);
            CHECK(fabs((double)(x->impact.contact.normal.x + y->impact.contact.normal.x)) < 1e-3 ||
                  x->impact.parts[0] != y->impact.parts[1] || x->impact.parts[1] != y->impact.parts[0] ||
                  x->impact.contact.distance < 1e-3f);
        }
        total += counts[0];
    }
    assert_true((long)total > random_enough(30));
}

/* Side by side the two keep 0.3 m apart; with spans of their own the second one overtakes the first. */
static void spans_of_their_own_are_no_proof(void **state)
{
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state track = {0};
    scene s = {.spans = {{0, 0.5}, {0, 1}}};

    (void)state;
    for (int k = 0; k < 2; k++) {
        clash_pose from = {{0, 0, 0, 1}, {k ? -0.3f : 0, 0, 0}}, to = {{0, 0, 0, 1}, {k ? 0.7f : 1, 0, 0}};

        for (int i = 0; i < 2; i++)
            s.capsules[k][i] = (clash_capsule){{0, 0, (float)-i}, {0, 0, (float)(-1 - i)}, 0.01f};
        s.sides[k] = (impact_parts){s.capsules[k], 2, {from, to}};
    }
    assert_int_equal(advance(&s, &track, changes), 2);
    assert_true(fabs(changes[0].impact.contact.fraction - 0.56) < 1e-6);
    s.spans[0] = whole;
    assert_int_equal(advance(&s, &track, changes), 0);
}

static void what_is_not_valid_changes_nothing(void **state)
{
    random_state r = {seed + 4};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state track = {.touching = true, .min_distance = 0.5f};
    clash_toi_input in;
    scene s;

    (void)state;
    do
        random_scene(&r, &s, 4);
    while (s.sides[0].count < 3);
    for (int way = 0; way < 5; way++) {
        scene bad = s;

        bad.sides[0].capsules = bad.capsules[0];
        bad.sides[1].capsules = bad.capsules[1];
        if (way == 0)
            bad.sides[0].count = 0;
        else if (way == 1)
            bad.sides[0].count = CLASH_PARTS_MAX + 1;
        else if (way == 2)
            bad.capsules[0][2].tip.y = NAN;
        else if (way == 3)
            bad.capsules[0][1].radius = -1.0f;
        else
            bad.spans[1].to = 1.5;
        assert_int_equal(advance(&bad, &track, changes), 0);
        assert_true(track.touching && track.min_distance == 0.5f);
        in = impact_blades(&bad.sides[0], bad.spans[0], &bad.sides[1], bad.spans[1], s.settings);
        assert_int_equal(clash_contact_at(&in, 0.5, NULL), CLASH_SWEEP_INVALID);
        assert_int_equal(clash_time_of_impact(&in, NULL), CLASH_SWEEP_INVALID);
    }
    in = impact_blades(&s.sides[0], whole, &s.sides[1], whole, s.settings);
    assert_int_equal(clash_contact_at(&in, 1.5, NULL), CLASH_SWEEP_INVALID);
    in.margin = NAN;
    assert_int_equal(clash_contact_at(&in, 0.5, NULL), CLASH_SWEEP_INVALID);
}

/* The first touch of two blades is the earliest of any two of their parts, and where the tracker has its start. */
static void the_first_touch_is_that_of_any_two_parts(void **state)
{
    random_state r = {seed + 6};
    size_t touching = 0;

    (void)state;
    for (current = 0; current < random_cases(1000); current++) {
        clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
        clash_contact_state track = {0};
        clash_toi_output found = {.contact = {.distance = 7}};
        clash_sweep_result result;
        clash_toi_input in;
        double earliest = 2;
        size_t count;
        scene s;

        random_scene(&r, &s, 6);
        in = impact_blades(&s.sides[0], s.spans[0], &s.sides[1], s.spans[1], s.settings);
        result = clash_time_of_impact(&in, &found);
        count = clash_contact_advance(&track, &in, changes);
        for (size_t k = 0; k < s.sides[0].count * s.sides[1].count; k++) {
            clash_toi_input two = in;
            clash_toi_output one;

            two.colliders[0].capsules += k / s.sides[1].count;
            two.colliders[1].capsules += k % s.sides[1].count;
            two.colliders[0].capsule_count = two.colliders[1].capsule_count = 1;
            if (clash_time_of_impact(&two, &one) != CLASH_SWEEP_APART)
                earliest = fmin(earliest, one.contact.fraction);
        }
        CHECK((result == CLASH_SWEEP_APART) == (earliest > 1) && (count > 0) == (earliest <= 1));
        CHECK(earliest <= 1 || found.contact.distance == 7);
        if (result == CLASH_SWEEP_APART)
            continue;
        touching++;
        CHECK((result == CLASH_SWEEP_OVERLAP) == (found.contact.fraction == 0));
        CHECK(fabs(clearance(&s, found.contact.fraction) - clearance(&s, earliest)) <= 1e-8);
        CHECK(memcmp(&found.contact, &changes[0].impact.contact, CHANGE_BYTES) == 0);
        CHECK(memcmp(found.parts, changes[0].impact.parts, sizeof found.parts) == 0);
        CHECK(found.triangle == CLASH_NO_TRIANGLE);
    }
    assert_true((long)touching > random_enough(50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_exhaustive_search),     cmocka_unit_test(one_part_each_is_a_pair),
        cmocka_unit_test(pieces_of_a_blade_are_the_blade),   cmocka_unit_test(the_order_of_parts_does_not_matter),
        cmocka_unit_test(who_is_first_does_not_matter),      cmocka_unit_test(spans_of_their_own_are_no_proof),
        cmocka_unit_test(what_is_not_valid_changes_nothing), cmocka_unit_test(the_first_touch_is_that_of_any_two_parts),
    };

    seed = random_seed(20260301);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
