/* Many sweeps in one call: eight pairs at a glance, and only those that it cannot prove apart one by one. Pure. */
#include "core.h"

#include <math.h>

#define EIGHT 8u

void clash_sweep_pairs(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count,
                       clash_sweep_result *out_results, clash_contact *out_contacts)
{
    const core *c = core_get();

    for (size_t start = 0; start < pair_count; start += EIGHT) {
        size_t count = pair_count - start < EIGHT ? pair_count - start : EIGHT;
        bool valid = false;
        unsigned apart = count == EIGHT ? c->eight_apart(bodies, pairs + start, 0.0f, &valid) : 0;

        for (size_t i = 0; i < count; i++) {
            const clash_body *a = &bodies[pairs[start + i][0]], *b = &bodies[pairs[start + i][1]];
            clash_contact *contact = out_contacts ? &out_contacts[start + i] : NULL;

            if ((apart >> i) & 1u)
                out_results[start + i] = CLASH_SWEEP_APART;
            else if (valid)
                out_results[start + i] = c->search(a, b, (double)a->shape.radius + (double)b->shape.radius, contact);
            else
                out_results[start + i] = clash_sweep(a, b, contact);
        }
    }
}

void clash_pairs_apart(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count, float margin,
                       bool *out_apart)
{
    const core *c = core_get();
    bool margin_is_valid = margin >= 0.0f && isfinite(margin);

    for (size_t start = 0; start < pair_count; start += EIGHT) {
        size_t count = pair_count - start < EIGHT ? pair_count - start : EIGHT;
        uint32_t eight[EIGHT][2];
        bool valid;
        unsigned apart;

        for (size_t i = 0; i < EIGHT; i++) {
            const uint32_t *pair = pairs[start + (i < count ? i : 0)];

            eight[i][0] = pair[0];
            eight[i][1] = pair[1];
        }
        apart = margin_is_valid ? c->eight_apart(bodies, (const uint32_t(*)[2])eight, margin, &valid) : 0;
        for (size_t i = 0; i < count; i++)
            out_apart[start + i] = (apart >> i) & 1u;
    }
}
