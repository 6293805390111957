/* Raw bits as moving blades, through everything of libclash that takes them: whatever the bits, no crash, no hang, no NaN in
 * an answer, nothing written where nothing is answered, and the same bits one at a time, in a batch, as parts, and by
 * either instruction set. An input is a header (fuzz_header below) and then bodies of 84 bytes. */
#include <math.h>

#include <clash/broad.h>
#include <clash/contact.h>

#include "fuzz/fuzz.h"
#include "geometry/core.h"
#include "support/bits.h"
#include "support/impact.h"

enum { BODIES_MAX = 9, PAIRS_MAX = BODIES_MAX * BODIES_MAX, UNTOUCHED = 0x5a };

typedef struct fuzz_header {
    clash_span spans[2]; /* of a, of b */
    double fraction;
    float margin, release_margin;
    uint8_t plain, touching; /* plain: spans that are valid, whatever the bits */
    uint8_t unused[6];
} fuzz_header;

static void untouched(clash_contact *c)
{
    memset(c, UNTOUCHED, sizeof *c);
}

static bool is_untouched(const clash_contact *c)
{
    const unsigned char *bytes = (const unsigned char *)c;

    for (size_t i = 0; i < BITS_CONTACT; i++)
        if (bytes[i] != UNTOUCHED)
            return false;
    return true;
}

static void check_contact(const clash_contact *c)
{
    FUZZ_CHECK(c->fraction >= 0.0 && c->fraction <= 1.0);
    FUZZ_CHECK(c->distance >= 0.0f && isfinite(c->distance));
    FUZZ_CHECK(clash_vec3_is_finite(c->midpoint) && clash_vec3_is_finite(c->points[0]) &&
               clash_vec3_is_finite(c->points[1]));
    FUZZ_CHECK(fabsf(clash_vec3_length(c->normal) - 1.0f) < 1e-5f);
    FUZZ_CHECK(c->along[0] >= 0.0f && c->along[0] <= 1.0f && c->along[1] >= 0.0f && c->along[1] <= 1.0f);
}

/** `always`: where it is not invalid the contact is written, touching or not. */
static void check_result(clash_sweep_result result, const clash_contact *c, bool always)
{
    FUZZ_CHECK(result >= CLASH_SWEEP_APART && result <= CLASH_SWEEP_INVALID);
    if (result == CLASH_SWEEP_INVALID || (result == CLASH_SWEEP_APART && !always)) {
        FUZZ_CHECK(is_untouched(c));
        return;
    }
    check_contact(c);
    if (!always)
        FUZZ_CHECK((result == CLASH_SWEEP_OVERLAP) == (c->fraction == 0.0));
}

static bool body_is_ordinary(const clash_body *b)
{
    float numbers[21];
    float lengths[2] = {0, 0};

    memcpy(numbers, b, sizeof numbers);
    for (int i = 0; i < 21; i++)
        if (!(fabsf(numbers[i]) <= 1e6f))
            return false;
    for (int i = 0; i < 4; i++) {
        lengths[0] += fabsf(numbers[7 + i]);
        lengths[1] += fabsf(numbers[14 + i]);
    }
    return b->shape.radius >= 0.0f && lengths[0] > 1e-6f && lengths[1] > 1e-6f;
}

static bool touches(clash_sweep_result result)
{
    return result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP;
}

static bool boxes_meet(clash_bounds a, clash_bounds b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/** Neither empty nor beyond the range of float. */
static bool is_usable(clash_bounds b)
{
    clash_vec3 size = {b.high.x - b.low.x, b.high.y - b.low.y, b.high.z - b.low.z};

    return clash_vec3_is_finite(size) && size.x >= 0.0f && size.y >= 0.0f && size.z >= 0.0f;
}

static clash_span span_of(const fuzz_header *h, int i)
{
    uint16_t bits[2];

    if (!h->plain)
        return h->spans[i];
    memcpy(bits, &h->spans[i], sizeof bits);
    return bits[0] < bits[1] ? (clash_span){bits[0] / 65535.0, bits[1] / 65535.0}
                             : (clash_span){bits[1] / 65535.0, bits[0] / 65535.0};
}

static void check_moments(const clash_body *b, double fraction)
{
    clash_pose pose;

    if (!body_is_ordinary(b) || !(fraction >= 0.0 && fraction <= 1.0))
        return;
    pose = clash_motion_at(&b->motion, fraction);
    FUZZ_CHECK(clash_quat_is_unit(pose.orientation, 1e-5f) && clash_vec3_is_finite(pose.position));
    FUZZ_CHECK(clash_vec3_is_finite(clash_pose_apply(&pose, b->shape.tip)));
    FUZZ_CHECK(clash_vec3_is_finite(clash_pose_rotate(&b->motion.from, b->shape.tip)));
    FUZZ_CHECK(clash_vec3_is_finite(clash_motion_velocity(&b->motion, fraction, b->shape.base)));
    FUZZ_CHECK(clash_vec3_angle(b->shape.base, b->shape.tip) <= 3.1415928f);
}

static void check_span(const clash_body *a, const clash_body *b, const fuzz_header *h)
{
    clash_span sa = span_of(h, 0), sb = span_of(h, 1);
    clash_contact c, d;
    clash_sweep_result result;
    float distance;

    untouched(&c);
    result = impact_sweep(a, sa, b, sb, h->margin, &c);
    check_result(result, &c, false);
    FUZZ_CHECK(impact_sweep(a, sa, b, sb, h->margin, NULL) == result);
    untouched(&d);
    result = impact_at(a, sa, b, sb, h->margin, h->fraction, &d);
    check_result(result, &d, true);
    untouched(&d);
    distance = clash_segment_distance(a->shape.base, a->shape.tip, b->shape.base, b->motion.to.position, &d);
    if (isfinite(distance) && body_is_ordinary(a) && body_is_ordinary(b))
        check_contact(&d);
    FUZZ_CHECK(!isnan(distance) == !is_untouched(&d));
}

#if defined(__x86_64__)
static void check_instruction_sets(const clash_body *a, const clash_body *b, const fuzz_header *h,
                                   clash_sweep_result result)
{
    const core *both[2] = {&core_portable, &core_avx2};
    const clash_toi_input in = impact_bodies(a, span_of(h, 0), b, span_of(h, 1), (impact_settings){0, 0});
    clash_sweep_result results[2];
    clash_toi_output c[2];

    if (result == CLASH_SWEEP_INVALID || !h->plain || !__builtin_cpu_supports("avx2"))
        return;
    memset(c, UNTOUCHED, sizeof c);
    for (int i = 0; i < 2; i++)
        results[i] = both[i]->time_of_impact(&in, &c[i]);
    FUZZ_CHECK(results[0] == results[1] && bits_output_same(&c[0], &c[1]));
}
#else
static void check_instruction_sets(const clash_body *a, const clash_body *b, const fuzz_header *h,
                                   clash_sweep_result result)
{
    (void)a, (void)b, (void)h, (void)result;
}
#endif

static void check_changes(const clash_contact_change *changes, size_t count, bool touching)
{
    FUZZ_CHECK(count <= CLASH_CONTACT_CHANGES_MAX);
    for (size_t i = 0; i < count; i++) {
        const clash_contact_change *c = &changes[i];

        FUZZ_CHECK(c->kind == (touching ? CLASH_CONTACT_END : CLASH_CONTACT_START));
        FUZZ_CHECK(i == 0 || c->impact.contact.fraction >= c[-1].impact.contact.fraction);
        FUZZ_CHECK(c->min_distance >= 0.0f && isfinite(c->min_distance));
        check_contact(&c->impact.contact);
        touching = !touching;
    }
}

/** Advances twice, so that the second begins with what the first left. As parts, one each, it must be the same. */
static void check_tracker(const clash_body *a, const clash_body *b, const fuzz_header *h)
{
    impact_settings settings = {h->margin, h->release_margin};
    clash_contact_state state = {.touching = h->touching & 1, .min_distance = 1.0f}, parts_state = state;
    clash_contact_change changes[2][CLASH_CONTACT_CHANGES_MAX];
    impact_parts pa = {&a->shape, 1, a->motion}, pb = {&b->shape, 1, b->motion};
    clash_span sa = span_of(h, 0), sb = span_of(h, 1);

    for (int round = 0; round < 2; round++) {
        bool before = state.touching;
        size_t count = impact_advance(&state, settings, a, sa, b, sb, changes[0]);
        size_t other = impact_advance_blades(&parts_state, settings, &pa, sa, &pb, sb, changes[1]);

        check_changes(changes[0], count, before);
        FUZZ_CHECK(state.touching == (before != (count % 2 == 1)));
        FUZZ_CHECK(!isnan(state.min_distance) && !isnan(parts_state.min_clearance));
        FUZZ_CHECK(count == other && state.touching == parts_state.touching);
        for (size_t i = 0; i < count; i++)
            FUZZ_CHECK(bits_change_same(&changes[0][i], &changes[1][i]));
    }
}

/** All bodies' capsules as the parts of two blades. */
static void check_parts(const clash_body *bodies, uint32_t count, const fuzz_header *h)
{
    impact_settings settings = {h->margin, h->release_margin};
    clash_contact_state state = {.touching = h->touching & 1, .min_distance = 1.0f};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_capsule capsules[BODIES_MAX];
    impact_parts a = {capsules, (count + 1) / 2, bodies[0].motion};
    impact_parts b = {capsules + count / 2, (count + 1) / 2, bodies[count - 1].motion};
    uint32_t which[2] = {0, 0};
    bool before = state.touching;
    clash_toi_input in;
    clash_contact c;
    size_t found;

    for (uint32_t i = 0; i < count; i++)
        capsules[i] = bodies[i].shape;
    found = impact_advance_blades(&state, settings, &a, span_of(h, 0), &b, span_of(h, 1), changes);
    check_changes(changes, found, before);
    FUZZ_CHECK(state.touching == (before != (found % 2 == 1)));
    untouched(&c);
    in = impact_blades(&a, span_of(h, 0), &b, span_of(h, 1), settings);
    check_result(impact_blades_at(&in, h->fraction, &c, which), &c, true);
    FUZZ_CHECK(which[0] < a.count && which[1] < b.count);
}

static void check_broad(const clash_body *bodies, uint32_t count, const fuzz_header *h)
{
    clash_broad *broad = clash_broad_create();
    clash_bounds boxes[BODIES_MAX], all;
    const uint32_t(*pairs)[2];
    size_t pair_count, expected = 0;

    FUZZ_CHECK(broad);
    for (uint32_t i = 0; i < count; i++) {
        boxes[i] = impact_body_bounds(&bodies[i], h->margin);
        FUZZ_CHECK(!isnan(boxes[i].low.x) && !isnan(boxes[i].high.x) && !isnan(boxes[i].low.y) &&
                   !isnan(boxes[i].high.y) && !isnan(boxes[i].low.z) && !isnan(boxes[i].high.z));
        all = clash_bounds_union(boxes[0], boxes[i]);
        FUZZ_CHECK(boxes[i].low.x > boxes[i].high.x || all.low.x <= boxes[i].low.x);
    }
    FUZZ_CHECK(clash_broad_find(broad, boxes, NULL, count, &pairs, &pair_count) == 0);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            expected += is_usable(boxes[i]) && is_usable(boxes[j]) && boxes_meet(boxes[i], boxes[j]);
    FUZZ_CHECK(pair_count == expected);
    for (size_t k = 0; k < pair_count; k++)
        FUZZ_CHECK(pairs[k][0] < pairs[k][1] && pairs[k][1] < count &&
                   boxes_meet(boxes[pairs[k][0]], boxes[pairs[k][1]]));
    clash_broad_destroy(broad);
}

/** Every pair on its own, and what the batch said of it. */
static void check_pairs(const clash_body *bodies, const uint32_t (*pairs)[2], size_t count, const fuzz_header *h)
{
    const clash_span whole = {0, 1};
    clash_sweep_result results[PAIRS_MAX];
    clash_contact contacts[PAIRS_MAX], single;
    bool apart[PAIRS_MAX];

    memset(contacts, UNTOUCHED, sizeof contacts);
    clash_sweep_pairs(bodies, pairs, count, results, contacts);
    clash_pairs_apart(bodies, pairs, count, h->margin, apart);
    for (size_t i = 0; i < count; i++) {
        const clash_body *a = &bodies[pairs[i][0]], *b = &bodies[pairs[i][1]];
        bool ordinary = body_is_ordinary(a) && body_is_ordinary(b);

        untouched(&single);
        FUZZ_CHECK(clash_sweep(a, b, &single) == results[i] && bits_contact_same(&single, &contacts[i]));
        check_result(results[i], &contacts[i], false);
        FUZZ_CHECK(!ordinary || results[i] != CLASH_SWEEP_INVALID);
        if (apart[i])
            FUZZ_CHECK(impact_sweep(a, whole, b, whole, h->margin, NULL) == CLASH_SWEEP_APART);
        if (touches(results[i]) && ordinary)
            FUZZ_CHECK(boxes_meet(impact_body_bounds(a, 0.0f), impact_body_bounds(b, 0.0f)));
        check_instruction_sets(a, b, h, results[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    clash_body bodies[BODIES_MAX];
    uint32_t pairs[PAIRS_MAX][2], count = 0;
    fuzz_header h;

    fuzz_take(&in, &h, sizeof h);
    do {
        fuzz_take(&in, &bodies[count], sizeof bodies[count]);
        check_moments(&bodies[count], h.fraction);
    } while (++count < BODIES_MAX && in.size > 0);
    for (uint32_t i = 0; i < count * count; i++) {
        pairs[i][0] = i / count;
        pairs[i][1] = i % count;
    }
    check_pairs(bodies, (const uint32_t(*)[2])pairs, (size_t)count * count, &h);
    check_span(&bodies[0], &bodies[count - 1], &h);
    check_tracker(&bodies[0], &bodies[count - 1], &h);
    check_parts(bodies, count, &h);
    check_broad(bodies, count, &h);
    return 0;
}
