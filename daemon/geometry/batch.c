/* Many sweeps in one call: eight pairs at a glance, and only those that it cannot prove apart one by one. Pure. */
#include "core.h"

#define EIGHT 8u

void clash_sweep_pairs(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count,
                       clash_sweep_result *out_results, clash_contact *out_contacts)
{
    const core *c = core_get();

    for (size_t start = 0; start < pair_count; start += EIGHT) {
        size_t count = pair_count - start < EIGHT ? pair_count - start : EIGHT;
        unsigned apart = count == EIGHT ? c->eight_apart(bodies, pairs + start) : 0;

        for (size_t i = 0; i < count; i++) {
            const uint32_t *pair = pairs[start + i];

            out_results[start + i] = (apart >> i) & 1u ? CLASH_SWEEP_APART
                                                       : clash_sweep(&bodies[pair[0]], &bodies[pair[1]],
                                                                     out_contacts ? &out_contacts[start + i] : NULL);
        }
    }
}
