/* Many sweeps in one call. Pure. */
#include <clash/sweep.h>

void clash_sweep_pairs(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count,
                       clash_sweep_result *out_results, clash_contact *out_contacts)
{
    for (size_t i = 0; i < pair_count; i++)
        out_results[i] =
            clash_sweep(&bodies[pairs[i][0]], &bodies[pairs[i][1]], out_contacts ? &out_contacts[i] : NULL);
}
