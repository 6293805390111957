/* libclash's core, compiled once for each instruction set (core*.c): same source, same operations, same bits. Call it
 * through core_get(). Input must have been checked (validate.h). */
#ifndef CLASH_GEOMETRY_CORE_H
#define CLASH_GEOMETRY_CORE_H

#include <clash/contact.h>

/** A search of a batch, over whole motions: new, with x and steps 0, or in progress. */
typedef struct core_task {
    const clash_body *a, *b;
    clash_sweep_result *out_result;
    clash_contact *out_contact; /* may be NULL */
    double x, steps;            /* the time reached, in how many steps */
} core_task;

typedef struct core {
    /** Over whole motions; `limit`: of the axes' distance, m. */
    clash_sweep_result (*sweep)(const clash_body *a, const clash_body *b, double limit, clash_contact *out_contact);
    /** The same without the separation test: for pairs that it did not prove apart. */
    clash_sweep_result (*sweep_near)(const clash_body *a, const clash_body *b, double limit,
                                     clash_contact *out_contact);
    /** As the public functions of these names; `out` is not NULL. */
    clash_sweep_result (*time_of_impact)(const clash_toi_input *input, clash_toi_output *out);
    clash_sweep_result (*contact_at)(const clash_toi_input *input, double fraction, clash_toi_output *out);
    size_t (*contact_advance)(clash_contact_state *state, const clash_toi_input *input,
                              clash_contact_change *out_changes);
    /** Return how many pairs, in eights from the first on, are all so far apart that a quick test shows that they never
     *  come within `margin` of touching; and which of the next eight are, as the bits of *out_apart (0 if fewer than
     *  eight are left). */
    size_t (*spheres_apart_run)(const clash_body *bodies, const uint32_t (*pairs)[2], size_t count, float margin,
                                unsigned *out_apart);
    /** Test eight pairs over whole motions; checks the bodies itself. Bit i of the result: pairs[i] never comes within
     *  `margin` of touching. Returns 0 if *out_valid, whether all bodies are valid, is false. */
    unsigned (*eight_apart)(const clash_body *bodies, const uint32_t (*pairs)[2], float margin, bool *out_valid);
    /** The same for twice eight pairs, in less than twice the time. */
    unsigned (*sixteen_apart)(const clash_body *bodies, const uint32_t (*pairs)[2], float margin, bool out_valid[2]);
    /** Run up to eight searches side by side. Unless `all` is set, a few that take long stay among the tasks, at the
     *  front; return how many. */
    size_t (*sweep_many)(core_task *tasks, size_t count, bool all);
} core;

extern const core core_portable;
#if defined(__x86_64__)
extern const core core_avx2, core_avx512;
#endif

/** Return the best one for this processor. */
static inline const core *core_get(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return &core_avx512;
    if (__builtin_cpu_supports("avx2"))
        return &core_avx2;
#endif
    return &core_portable;
}

#endif
