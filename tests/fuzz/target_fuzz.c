/* Raw bits as a moving blade and a moving solid target, through everything of libclash that takes them: whatever the bits, no
 * crash, no hang, no NaN in an answer, nothing written where nothing is answered, and the same bits by either instruction
 * set. An input is a header (fuzz_header below), a body of 84 bytes, a shape of 40 and a motion of 56. */
#include <math.h>

#include <clash/broad.h>
#include <clash/contact.h>

#include "fuzz/fuzz.h"
#include "geometry/core.h"
#include "support/bits.h"
#include "support/impact.h"

enum { UNTOUCHED = 0x5a };

typedef struct fuzz_header {
    clash_span spans[2]; /* of the blade, of the target */
    double fraction;
    float margin, release_margin;
    uint8_t kind, plain, touching; /* plain: spans that are valid, whatever the bits */
    uint8_t unused[5];
} fuzz_header;

static clash_span span_of(const fuzz_header *h, int i)
{
    uint16_t bits[2];

    if (!h->plain)
        return h->spans[i];
    memcpy(bits, &h->spans[i], sizeof bits);
    return bits[0] < bits[1] ? (clash_span){bits[0] / 65535.0, bits[1] / 65535.0}
                             : (clash_span){bits[1] / 65535.0, bits[0] / 65535.0};
}

static bool is_untouched(const clash_toi_output *c)
{
    const unsigned char *bytes = (const unsigned char *)c;

    for (size_t i = 0; i < sizeof *c; i++)
        if (bytes[i] != UNTOUCHED)
            return false;
    return true;
}

static void check_contact(const clash_toi_output *s)
{
    const clash_contact *c = &s->contact;

    FUZZ_CHECK(c->fraction >= 0.0 && c->fraction <= 1.0);
    FUZZ_CHECK(c->distance >= 0.0f && isfinite(c->distance));
    FUZZ_CHECK(clash_vec3_is_finite(c->midpoint) && clash_vec3_is_finite(c->points[0]) &&
               clash_vec3_is_finite(c->points[1]));
    FUZZ_CHECK(fabsf(clash_vec3_length(c->normal) - 1.0f) < 1e-5f);
    FUZZ_CHECK(fabsf(clash_vec3_length(s->surface_normal) - 1.0f) < 1e-5f);
    FUZZ_CHECK(c->along[0] >= 0.0f && c->along[0] <= 1.0f && c->along[1] == 0.0f);
    FUZZ_CHECK(s->triangle == CLASH_NO_TRIANGLE);
}

/** `always`: where it is not invalid the contact is written, touching or not. */
static void check_result(clash_sweep_result result, const clash_toi_output *c, bool always)
{
    FUZZ_CHECK(result >= CLASH_SWEEP_APART && result <= CLASH_SWEEP_INVALID);
    if (result == CLASH_SWEEP_INVALID || (result == CLASH_SWEEP_APART && !always))
        FUZZ_CHECK(is_untouched(c));
    else
        check_contact(c);
}

static void check_moment(const clash_body *blade, const impact_target *target, const fuzz_header *h)
{
    clash_toi_output c;
    float distance;

    memset(&c, UNTOUCHED, sizeof c);
    check_result(impact_target_at(blade, span_of(h, 0), target, span_of(h, 1), h->margin, h->fraction, &c), &c, true);
    memset(&c, UNTOUCHED, sizeof c);
    distance = clash_shape_distance(blade->shape.base, blade->shape.tip, &target->shape, &target->motion.from, &c);
    FUZZ_CHECK(!isnan(distance) == !is_untouched(&c));
    if (!isnan(distance))
        check_contact(&c);
}

static void check_sweep(const clash_body *blade, const impact_target *target, const fuzz_header *h)
{
    clash_toi_output c, none;
    clash_sweep_result result;

    memset(&c, UNTOUCHED, sizeof c);
    memset(&none, UNTOUCHED, sizeof none);
    result = impact_sweep_target(blade, span_of(h, 0), target, span_of(h, 1), h->margin, &c);
    check_result(result, &c, false);
    FUZZ_CHECK(result == CLASH_SWEEP_INVALID || result == CLASH_SWEEP_APART ||
               (result == CLASH_SWEEP_OVERLAP) == (c.contact.fraction == 0.0));
    FUZZ_CHECK(impact_sweep_target(blade, span_of(h, 0), target, span_of(h, 1), h->margin, NULL) == result);
#if defined(__x86_64__)
    if (result != CLASH_SWEEP_INVALID && __builtin_cpu_supports("avx2")) {
        const clash_toi_input in = impact_body_target(blade, span_of(h, 0), target, span_of(h, 1), h->margin);
        const core *both[2] = {&core_portable, &core_avx2};

        for (int i = 0; i < 2; i++) {
            clash_toi_output own;

            memset(&own, UNTOUCHED, sizeof own);
            FUZZ_CHECK(both[i]->time_of_impact(&in, &own) == result);
            FUZZ_CHECK(bits_output_same(&own, &c));
        }
    }
#endif
}

/** Advances twice, so that the second begins with what the first left; as one part and as the same part twice. */
static void check_follow(const clash_body *blade, const impact_target *target, const fuzz_header *h)
{
    impact_settings settings = {h->margin, h->release_margin};
    clash_capsule capsules[2] = {blade->shape, blade->shape};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];

    for (size_t parts = 1; parts <= 2; parts++) {
        clash_contact_state state = {.touching = h->touching & 1, .min_distance = 1.0f, .min_clearance = 1.0f};
        impact_parts whole = {capsules, parts, blade->motion};

        for (int round = 0; round < 2; round++) {
            bool touching = state.touching;
            size_t count =
                impact_advance_target(&state, settings, &whole, span_of(h, 0), target, span_of(h, 1), changes);

            FUZZ_CHECK(count <= CLASH_CONTACT_CHANGES_MAX);
            FUZZ_CHECK(state.touching == (touching != (count % 2 == 1)));
            FUZZ_CHECK(!isnan(state.min_distance) && !isnan(state.min_clearance));
            for (size_t i = 0; i < count; i++) {
                FUZZ_CHECK(changes[i].kind == (touching ? CLASH_CONTACT_END : CLASH_CONTACT_START));
                FUZZ_CHECK(i == 0 || changes[i].impact.contact.fraction >= changes[i - 1].impact.contact.fraction);
                FUZZ_CHECK(changes[i].min_distance >= 0.0f && isfinite(changes[i].min_distance));
                FUZZ_CHECK(changes[i].impact.parts[0] == 0);
                check_contact(&changes[i].impact);
                touching = !touching;
            }
        }
    }
}

static void check_lines(const clash_body *blade, const impact_target *target)
{
    double t[2] = {NAN, NAN};
    int found = clash_line_sphere(blade->shape.base, blade->shape.tip, &target->shape.as.sphere, t);

    FUZZ_CHECK(found == 2 ? t[0] <= t[1] && isfinite(t[0]) && isfinite(t[1]) : isnan(t[0]) && isnan(t[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    impact_target target = {.shape = {.kind = CLASH_SHAPE_SPHERE}};
    clash_bounds bounds;
    clash_body blade;
    fuzz_header h;

    fuzz_take(&in, &h, sizeof h);
    fuzz_take(&in, &blade, sizeof blade);
    fuzz_take(&in, &target.shape.as.box, sizeof target.shape.as.box);
    fuzz_take(&in, &target.motion, sizeof target.motion);
    target.shape.kind = (clash_shape_kind)(h.kind % 3);
    check_sweep(&blade, &target, &h);
    check_moment(&blade, &target, &h);
    check_follow(&blade, &target, &h);
    check_lines(&blade, &target);
    bounds = impact_target_bounds(&target, h.margin);
    FUZZ_CHECK(!isnan(bounds.low.x) && !isnan(bounds.low.y) && !isnan(bounds.low.z) && !isnan(bounds.high.x) &&
               !isnan(bounds.high.y) && !isnan(bounds.high.z));
    return 0;
}
