/* Generators of the five workloads, and the truth about each query. A query whose answer hangs on less than CERTAIN is
 * thrown away and made anew, so that nobody is blamed for a matter of rounding. */
#include "queries.h"

#include <stdlib.h>

#include "support/random.h"
#include "support/reference.h"

/** m: how much nearer or farther the blades could be without another answer. */
#define CERTAIN 2e-5
#define SLACK 2e-6

const char *const workload_names[WORKLOADS] = {"W", "W-far", "W-drop", "W-hit", "W-par"};

/** What the workloads differ in: half the box of the hands (m), and the most that a frame moves and turns one. */
typedef struct recipe {
    double room, step, turn;
} recipe;

static const recipe recipes[WORKLOADS] = {
    [WORKLOAD_RANDOM] = {0.8, 0.05, 0.35},   [WORKLOAD_FAR] = {0.8, 0.05, 0.35},
    [WORKLOAD_DROPPED] = {0.8, 0.15, 1.05},  [WORKLOAD_HITS] = {0.5, 0.05, 0.35},
    [WORKLOAD_PARALLEL] = {0.4, 0.05, 0.35},
};

static clash_vec3 moved(clash_vec3 a, clash_vec3 b, double scale)
{
    return (clash_vec3){(float)(a.x + scale * b.x), (float)(a.y + scale * b.y), (float)(a.z + scale * b.z)};
}

/** A blade of about 1 m and 1 to 3 cm radius, held near its base, in one frame of a swing. */
static clash_body random_blade(random_state *r, const recipe *frame)
{
    clash_body b;
    clash_quat q = random_turn(r, 6.28);

    b.shape.base = random_box(r, 0.03);
    b.shape.tip = moved(random_box(r, 0.03), (clash_vec3){0, 0, -1}, random_in(r, 0.9, 1.1));
    b.shape.radius = (float)random_in(r, 0.01, 0.03);
    b.motion.from = (clash_pose){q, random_box(r, frame->room)};
    b.motion.to.position = moved(b.motion.from.position, random_box(r, frame->step), 1);
    b.motion.to.orientation = quat_times(random_turn(r, frame->turn), q);
    return b;
}

static void move_away(random_state *r, clash_body *b)
{
    clash_vec3 direction = random_direction(r);
    double distance = random_in(r, 6.0, 30.0);

    b->motion.from.position = moved(b->motion.from.position, direction, distance);
    b->motion.to.position = moved(b->motion.to.position, direction, distance);
}

/** Puts b on a's line, in front of its tip or behind its base. */
static void put_in_line(random_state *r, const clash_body *a, clash_body *b)
{
    double gap = (double)a->shape.radius + (double)b->shape.radius + random_in(r, -0.005, 0.03);
    double along = random_below(r, 2) ? a->shape.tip.z - gap : gap - b->shape.tip.z;

    b->motion.from.position = clash_pose_apply(&a->motion.from, (clash_vec3){0, 0, (float)along});
}

/** Puts b beside a, 5 mm deep to 3 cm apart, shifted along it. */
static void put_beside(random_state *r, const clash_body *a, clash_body *b, bool opposed)
{
    double gap = (double)a->shape.radius + (double)b->shape.radius + random_in(r, -0.005, 0.03);
    double side = random_in(r, 0, 6.28), along = random_in(r, -0.7, 0.7) + (opposed ? a->shape.tip.z : 0);
    clash_vec3 at = {(float)(gap * cos(side)), (float)(gap * sin(side)), (float)along};

    b->motion.from.position = clash_pose_apply(&a->motion.from, at);
}

/** Gives b the same blade axis as a: exactly, nearly, or the other way round. */
static void make_parallel(random_state *r, const clash_body *a, clash_body *b)
{
    static const clash_quat about = {1, 0, 0, 0};
    int kind = random_below(r, 8);

    b->motion.from.orientation = a->motion.from.orientation;
    if (kind == 0)
        put_in_line(r, a, b);
    else
        put_beside(r, a, b, kind == 1);
    if (kind == 1)
        b->motion.from.orientation = quat_times(a->motion.from.orientation, about);
    if (kind > 4)
        b->motion.from.orientation =
            quat_times(random_turn(r, pow(10, random_in(r, -6, -2))), b->motion.from.orientation);
}

/** Moves b as a moves, or otherwise. Its own step comes on top of that. */
static void make_motion(random_state *r, clash_body *a, clash_body *b)
{
    static const clash_quat none = {0, 0, 0, 1};
    const clash_quat *p = &a->motion.from.orientation;
    clash_quat turn = quat_times(a->motion.to.orientation, (clash_quat){-p->x, -p->y, -p->z, p->w});
    clash_pose whole = {turn, {0, 0, 0}};
    clash_vec3 between = moved(b->motion.from.position, a->motion.from.position, -1);
    clash_vec3 step = random_box(r, 0.05);
    int kind = random_below(r, 8);

    b->motion.to.position = moved(b->motion.from.position, step, 1);
    if (kind < 3) /* as if both were fixed to one arm, and slipping */
        b->motion.to.position = moved(moved(a->motion.to.position, clash_pose_apply(&whole, between), 1), step, 1);
    if (kind == 5) { /* no turning */
        a->motion.to.orientation = a->motion.from.orientation;
        turn = none;
    }
    if (kind == 6) { /* the other stands still */
        a->motion.to = a->motion.from;
        turn = random_turn(r, 0.35);
    }
    if (kind == 7) { /* nothing turns, and hardly anything moves */
        a->motion.to = a->motion.from;
        b->motion.to.position = moved(b->motion.from.position, step, random_below(r, 2) ? 0.01 : 0);
        turn = none;
    }
    b->motion.to.orientation = quat_times(turn, b->motion.from.orientation);
}

/** Parallel, antiparallel, nearly parallel or in one line; turning together, moving as one, still; a quarter of them with
 *  a blade that is a point or has no radius. */
static void make_degenerate(random_state *r, clash_body *a, clash_body *b)
{
    int kind = random_below(r, 16);

    a->shape.base = b->shape.base = (clash_vec3){0, 0, 0};
    a->shape.tip.x = a->shape.tip.y = b->shape.tip.x = b->shape.tip.y = 0;
    if (kind == 0)
        a->shape.radius = 0;
    if (kind == 1)
        a->shape.radius = b->shape.radius = 0;
    make_parallel(r, a, b);
    make_motion(r, a, b);
    if (kind == 2)
        b->shape.tip = b->shape.base;
    if (kind == 3)
        a->shape.tip = a->shape.base;
}

/** HIT, OVERLAP or APART where that is certain, else INVALID. */
static clash_sweep_result find_truth(const clash_body *a, const clash_body *b)
{
    double limit = (double)a->shape.radius + (double)b->shape.radius;
    double speed = ref_speed_bound(a) + ref_speed_bound(b) + 1e-12;
    double start = ref_distance_at(a, b, 0) - limit;

    if (fabs(start) < CERTAIN)
        return CLASH_SWEEP_INVALID;
    if (start < 0)
        return CLASH_SWEEP_OVERLAP;
    if (ref_first_within(a, b, limit + CERTAIN, SLACK, speed, 0, 1) < 0)
        return CLASH_SWEEP_APART;
    if (ref_first_within(a, b, limit - CERTAIN - SLACK, SLACK, speed, 0, 1) >= 0)
        return CLASH_SWEEP_HIT;
    return CLASH_SWEEP_INVALID;
}

static clash_sweep_result make_query(random_state *r, int workload, clash_body out_bodies[2])
{
    clash_body *a = &out_bodies[0], *b = &out_bodies[1];

    *a = random_blade(r, &recipes[workload]);
    *b = random_blade(r, &recipes[workload]);
    if (workload == WORKLOAD_FAR)
        move_away(r, b);
    if (workload == WORKLOAD_PARALLEL)
        make_degenerate(r, a, b);
    return find_truth(a, b);
}

bool query_set_init(query_set *out_set, int workload, size_t count, uint64_t seed)
{
    random_state r = {seed + (uint64_t)workload};
    query_set s = {.count = count};

    s.bodies = malloc(2 * count * sizeof *s.bodies);
    s.pairs = malloc(count * sizeof *s.pairs);
    s.truths = malloc(count * sizeof *s.truths);
    *out_set = s;
    if (!s.bodies || !s.pairs || !s.truths) {
        query_set_finish(out_set);
        return false;
    }
    for (size_t i = 0; i < count;) {
        clash_sweep_result truth = make_query(&r, workload, &s.bodies[2 * i]);

        if (truth == CLASH_SWEEP_INVALID || (workload == WORKLOAD_HITS && truth != CLASH_SWEEP_HIT))
            continue;
        s.pairs[i][0] = (uint32_t)(2 * i);
        s.pairs[i][1] = (uint32_t)(2 * i + 1);
        s.truths[i++] = truth;
        out_set->hits += truth == CLASH_SWEEP_HIT;
    }
    return true;
}

void query_set_finish(query_set *set)
{
    free(set->bodies);
    free(set->pairs);
    free(set->truths);
    *set = (query_set){0};
}

double query_distance(const query_set *set, size_t i, double fraction)
{
    return ref_distance_at(&set->bodies[2 * i], &set->bodies[2 * i + 1], fraction);
}
