/* The core of clash_sweep_pairs and clash_pairs_apart (batch.c). Pure. */
#include "core_unit.h"

#include "pair4_time_of_impact.h"
#include "separation_test_f32x8.h"
#include "sphere_test_f32x8.h"

/* With so few searches left in a group of four it is not worth going on: they wait for others to join. */
#define FEW 1

/** Return the result of search i of the group, as sweep_near gives it. */
static clash_sweep_result contact_of_group(const pair4_group *g, int i, clash_contact *out_contact)
{
    dvec origin = dvec_add_scaled(f64x4_vec_get(&g->pairs.origin, i), f64x4_vec_get(&g->pairs.step, i), g->at.x[i]);
    closest near = {.s = g->at.s[i], .t = g->at.t[i], .w = f64x4_vec_get(&g->at.w, i)};
    axes at = {dvec_add(origin, f64x4_vec_get(&g->at.base, i)),
               f64x4_vec_get(&g->at.u, i),
               f64x4_vec_get(&g->at.v, i),
               &near,
               g->at.distance[i],
               g->at.x[i]};

    near.distance_squared = dvec_dot(near.w, near.w);
    if (!contact_between(&at, out_contact))
        return CLASH_SWEEP_INVALID;
    return g->at.x[i] > 0.0 ? CLASH_SWEEP_HIT : CLASH_SWEEP_OVERLAP;
}

/** Fill the group with up to four tasks; unused lanes repeat the first. */
static void begin_group(pair4_group *g, const core_task *tasks, size_t count)
{
    const clash_body *a[FOUR], *b[FOUR];
    f64x4 x, steps;
    f64x4_mask active;

    for (size_t i = 0; i < FOUR; i++) {
        const core_task *task = &tasks[i < count ? i : 0];

        a[i] = task->a;
        b[i] = task->b;
        x[i] = task->x;
        steps[i] = task->steps;
        active[i] = i < count ? -1 : 0;
    }
    pair4_begin(g, a, b, x, steps, active);
}

/** Write the results of the group's tasks; unfinished ones stay tasks, moved to `out_left`. */
static size_t end_group(const pair4_group *g, const core_task *tasks, size_t count, core_task *out_left)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++) {
        core_task task = tasks[i];

        if (g->active[i]) {
            task.x = g->x[i];
            task.steps = g->steps[i];
            out_left[left++] = task;
        } else if (g->hit[i]) {
            *task.out_result = contact_of_group(g, (int)i, task.out_contact);
        } else if (g->apart[i]) {
            *task.out_result = CLASH_SWEEP_APART;
        } else {
            *task.out_result = CORE(sweep_near)(task.a, task.b, g->limit[i], task.out_contact);
        }
    }
    return left;
}

size_t CORE(sweep_many)(core_task *tasks, size_t count, bool all)
{
    size_t first = count < FOUR ? count : FOUR, left;
    pair4_group groups[2];

    begin_group(&groups[0], tasks, first);
    groups[1].active = (f64x4_mask){0, 0, 0, 0};
    if (count > first)
        begin_group(&groups[1], tasks + first, count - first);
    pair4_run(groups, all ? 0 : FEW);
    left = end_group(&groups[0], tasks, first, tasks);
    return left + end_group(&groups[1], tasks + first, count - first, tasks + left);
}

/** Begin the proof of eight pairs. Return whether their bodies are valid. */
SIMD_APART bool begin_proof(f32x8_proof *proof, const clash_body *bodies, const uint32_t (*pairs)[2], float margin)
{
    uint32_t index[2][F32X8];
    f32x8_bodies a, b;

    for (int i = 0; i < F32X8; i++) {
        index[0][i] = pairs[i][0];
        index[1][i] = pairs[i][1];
    }
    f32x8_load(&a, bodies, index[0]);
    f32x8_load(&b, bodies, index[1]);
    f32x8_begin(proof, &a, &b, margin);
    return f32x8_is_valid(&a) && f32x8_is_valid(&b);
}

unsigned CORE(eight_apart)(const clash_body *bodies, const uint32_t (*pairs)[2], float margin, bool *out_valid)
{
    f32x8_proof proof;

    *out_valid = begin_proof(&proof, bodies, pairs, margin);
    f32x8_aim(&proof);
    return *out_valid ? f32x8_end(&proof) : 0;
}

unsigned CORE(sixteen_apart)(const clash_body *bodies, const uint32_t (*pairs)[2], float margin, bool out_valid[2])
{
    f32x8_proof proofs[2];
    unsigned apart;

    for (int i = 0; i < 2; i++)
        out_valid[i] = begin_proof(&proofs[i], bodies, pairs + (size_t)(F32X8 * i), margin);
    f32x8_aim(&proofs[0]);
    f32x8_aim(&proofs[1]);
    apart = f32x8_end(&proofs[0]) | (f32x8_end(&proofs[1]) << F32X8);
    return apart & ((out_valid[0] ? 0xffu : 0) | (out_valid[1] ? 0xff00u : 0));
}

size_t CORE(spheres_apart_run)(const clash_body *bodies, const uint32_t (*pairs)[2], size_t count, float margin,
                               unsigned *out_apart)
{
    float needed = spheres_needed(margin);
    size_t start = 0;

    for (; count - start >= F32X8; start += F32X8) {
        *out_apart = spheres_proves_apart(bodies, pairs + start, needed);
        if (*out_apart != 0xff)
            return start;
    }
    *out_apart = 0; /* the last eight's result says nothing about the fewer after them */
    return start;
}
