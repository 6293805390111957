/* Many sweeps in one call: eight pairs at a time through a cheap separation test, those that it cannot prove apart four
 * at a time. Pure. */
#include "core.h"

#include <math.h>
#include <string.h>

#define EIGHT 8u

/* Looking for pairs that are far apart pays if at least three of eight are; if not, it is tried again after FAR_PAUSE
 * eights. The results do not depend on it. */
#define FAR_PAUSE 15

/** Like core.spheres_apart_run, or nothing while it pauses. */
static size_t spheres_apart_run(const core *c, const clash_body *bodies, const uint32_t (*pairs)[2], size_t count,
                                float margin, unsigned *pause, unsigned *out_apart)
{
    unsigned rest;
    size_t run;

    *out_apart = 0;
    if (*pause > 0) {
        --*pause;
        return 0;
    }
    run = c->spheres_apart_run(bodies, pairs, count, margin, out_apart);
    rest = *out_apart & (*out_apart - 1);
    if ((rest & (rest - 1)) == 0)
        *pause = FAR_PAUSE;
    return run;
}

/** A batch's arguments, and its pairs that are still to be searched. */
typedef struct work {
    const core *core;
    const clash_body *bodies;
    const uint32_t (*pairs)[2];
    clash_sweep_result *results;
    clash_contact *contacts;
    core_task waiting[EIGHT];
    size_t count;
} work;

static void add_task(work *w, size_t i)
{
    w->waiting[w->count++] = (core_task){.a = &w->bodies[w->pairs[i][0]],
                                         .b = &w->bodies[w->pairs[i][1]],
                                         .out_result = &w->results[i],
                                         .out_contact = w->contacts ? &w->contacts[i] : NULL};
    if (w->count == EIGHT)
        w->count = w->core->sweep_many(w->waiting, w->count, false);
}

static void sweep_one(work *w, size_t i)
{
    w->results[i] =
        clash_sweep(&w->bodies[w->pairs[i][0]], &w->bodies[w->pairs[i][1]], w->contacts ? &w->contacts[i] : NULL);
}

/** Finish eight pairs, of which those in `apart` are proven apart. */
static void finish_eight(work *w, size_t start, unsigned apart, bool valid)
{
    for (size_t i = start; i < start + EIGHT; i++) {
        if ((apart >> (i - start)) & 1u)
            w->results[i] = CLASH_SWEEP_APART;
        else if (valid)
            add_task(w, i);
        else
            sweep_one(w, i);
    }
}

/** Sweep eight or sixteen pairs; `apart` tells which of the first are proven apart; return how many. */
static size_t sweep_some(work *w, size_t start, size_t left, unsigned apart)
{
    bool valid[2];

    if (left < (size_t)2 * EIGHT) {
        apart |= w->core->eight_apart(w->bodies, w->pairs + start, 0.0f, valid);
        finish_eight(w, start, apart, valid[0]);
        return EIGHT;
    }
    apart |= w->core->sixteen_apart(w->bodies, w->pairs + start, 0.0f, valid);
    finish_eight(w, start, apart & 0xffu, valid[0]);
    finish_eight(w, start + EIGHT, apart >> EIGHT, valid[1]);
    return (size_t)2 * EIGHT;
}

void clash_sweep_pairs(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count,
                       clash_sweep_result *out_results, clash_contact *out_contacts)
{
    work w = {core_get(), bodies, pairs, out_results, out_contacts, {{0}}, 0};
    unsigned pause = 0, apart;
    size_t start = 0;

    while (pair_count - start >= EIGHT) {
        size_t end = start + spheres_apart_run(w.core, bodies, pairs + start, pair_count - start, 0.0f, &pause, &apart);

        while (start < end)
            out_results[start++] = CLASH_SWEEP_APART;
        if (pair_count - start >= EIGHT)
            start += sweep_some(&w, start, pair_count - start, apart);
    }
    for (; start < pair_count; start++)
        sweep_one(&w, start);
    if (w.count > 0)
        w.core->sweep_many(w.waiting, w.count, true);
}

void clash_pairs_apart(const clash_body *bodies, const uint32_t (*pairs)[2], size_t pair_count, float margin,
                       bool *out_apart)
{
    const core *c = core_get();
    unsigned pause = 0;
    size_t start = 0;

    if (!(margin >= 0.0f && isfinite(margin))) {
        memset(out_apart, 0, pair_count * sizeof *out_apart);
        return;
    }
    while (start < pair_count) {
        uint32_t eight[EIGHT][2];
        size_t left;
        unsigned apart;
        bool valid;
        size_t end = start + spheres_apart_run(c, bodies, pairs + start, pair_count - start, margin, &pause, &apart);

        while (start < end)
            out_apart[start++] = true;
        left = pair_count - start < EIGHT ? pair_count - start : EIGHT;
        for (size_t i = 0; i < EIGHT && left > 0; i++)
            memcpy(eight[i], pairs[start + (i < left ? i : 0)], sizeof eight[i]);
        if (left > 0)
            apart |= c->eight_apart(bodies, (const uint32_t(*)[2])eight, margin, &valid);
        for (size_t i = 0; i < left; i++)
            out_apart[start++] = (apart >> i) & 1u;
    }
}
