/* What games do, and the floor: the test of the current frame only, and one bare distance of two segments. In float. */
#define REAL float
#include "real.h"

#include <stdlib.h>

#include "contenders.h"

static void run_current(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    (void)prepared;
    for (size_t i = from; i < from + count; i++) {
        const clash_body *a = &set->bodies[2 * i], *b = &set->bodies[2 * i + 1];
        vec p = point_at(&a->motion.to, a->shape.base), q = point_at(&b->motion.to, b->shape.base);
        vec u = vec_sub(point_at(&a->motion.to, a->shape.tip), p);
        vec v = vec_sub(point_at(&b->motion.to, b->shape.tip), q);

        out_answers[i] =
            segment_distance(p, u, per_square(u), q, v, per_square(v)) <= a->shape.radius + b->shape.radius ? 1 : -1;
    }
}

typedef struct segments {
    vec p, u, q, v;
} segments;

static void *prepare_segments(const query_set *set)
{
    segments *all = malloc(set->count * sizeof *all);

    for (size_t i = 0; all && i < set->count; i++) {
        const clash_body *a = &set->bodies[2 * i], *b = &set->bodies[2 * i + 1];
        segments *s = &all[i];

        s->p = point_at(&a->motion.from, a->shape.base);
        s->q = point_at(&b->motion.from, b->shape.base);
        s->u = vec_sub(point_at(&a->motion.from, a->shape.tip), s->p);
        s->v = vec_sub(point_at(&b->motion.from, b->shape.tip), s->q);
    }
    return all;
}

static inline double distance_of(const segments *s)
{
    return (double)segment_distance(s->p, s->u, per_square(s->u), s->q, s->v, per_square(s->v));
}

static void run_distance(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    const segments *all = prepared;

    (void)set;
    for (size_t i = from; i < from + count; i++)
        out_answers[i] = distance_of(&all[i]);
}

const contender contender_current = {
    .key = "current_frame", .name = "test of the current frame only, float", .detects = true, .run = run_current};
const contender contender_distance = {.key = "segment_distance",
                                      .name = "one bare segment distance, float, scalar",
                                      .stride = sizeof(segments),
                                      .prepare = prepare_segments,
                                      .run = run_distance,
                                      .release = free};
