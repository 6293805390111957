/* Push-out: how deep a capsule is (push_out_overlap.h), and the least move that leaves no overlap (push_out_search.h).
 * If there is none within reach, try from other places around, and from behind the surfaces that it met. Pure. */
#include <clash/push_out.h>

#include "push_out_near.h"
#include "push_out_private.h"
#include "push_out_search.h"
#include "validate.h"

/* m: more than a blade or a body usually penetrates in one frame. */
#define REACH 0.5f

static bool are_valid(const clash_push_input *in)
{
    for (size_t k = 0; k < in->obstacle_count; k++)
        if (!shape_is_valid(&in->obstacles[k].shape) || !pose_is_valid(&in->obstacles[k].pose))
            return false;
    return capsules_are_valid(in->capsules, in->capsule_count) && pose_is_valid(&in->pose);
}

static void begin(push_out_task *b, const clash_push_input *in)
{
    const dquat orientation = dquat_from(in->pose.orientation);

    b->count = in->capsule_count;
    b->position = dvec_from(in->pose.position);
    b->obstacles = in->obstacles;
    b->obstacle_count = in->obstacle_count;
    b->is_sided = true;
    b->has_sides = b->is_hollow = b->is_rough = false;
    b->left = UINT64_MAX;
    b->measured = 0;
    for (size_t i = 0; i < in->capsule_count; i++)
        b->axes[i] = axis_of(&in->capsules[i], orientation);
}

/* ---- how deep ---- */

/** Return the shortest way out of the box around a mesh, which is also a way out of the mesh. */
static dvec out_of_bounds(push_out_task *b)
{
    const push_out_sight v = sight_of(b, 0, &b->obstacles[0], 0, (dvec){0.0, 0.0, 0.0});
    const clash_mesh *mesh = v.s.mesh;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the caller checked that it is a mesh */
    const double low[3] = {(double)mesh->low.x, (double)mesh->low.y, (double)mesh->low.z};
    const double high[3] = {(double)mesh->high.x, (double)mesh->high.y, (double)mesh->high.z};
    const double base[3] = {v.base.x, v.base.y, v.base.z}, u[3] = {v.u.x, v.u.y, v.u.z};
    double shortest[3] = {0.0, 0.0, 0.0}, least = INFINITY;

    for (int k = 0; k < 6; k++) {
        const int i = k / 2;
        const double way = k % 2 ? high[i] - min_of(base[i], base[i] + u[i]) + v.radius
                                 : max_of(base[i], base[i] + u[i]) - low[i] + v.radius;

        if (way >= least)
            continue;
        least = way;
        shortest[0] = shortest[1] = shortest[2] = 0.0;
        shortest[i] = k % 2 ? way : -way;
    }
    return dquat_rotate(v.stage_from_shape, (dvec){shortest[0], shortest[1], shortest[2]});
}

/** Return the least way out of what encloses some of the capsule. */
static push_out_overlap out_of_enclosing(push_out_task *b, push_out_overlap o)
{
    const dvec around = out_of_bounds(b);
    push_out_best best = {dvec_length(around), dvec_length(around), around};
    const push_out_reasons reasons = measure_pairs(b, INFINITY);
    push_out_overlap there;

    if (!(best.length > o.depth))
        return o;
    b->left = CLASH_PUSH_WORK;
    try_from(b, (dvec){0.0, 0.0, 0.0}, NULL, &best);
    if (!is_good_enough(&best, &reasons))
        try_directions(b, &reasons, &best);
    b->left = UINT64_MAX;
    there = overlap_within(b, 0, 0, best.x, INFINITY);
    o.triangle = there.triangle;
    o.depth = best.length;
    o.normal = dvec_scale(best.x, 1.0 / best.length);
    return o;
}

static bool take_overlap(const push_out_overlap *o, clash_overlap *out_overlap)
{
    const float depth = (float)o->depth;

    if (!isfinite(depth))
        return false;
    *out_overlap = (clash_overlap){depth, dvec_round(o->normal), o->triangle};
    return true;
}

/** is_hollow: a mesh has no inside, closed or not. */
static bool find_overlap(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                         bool is_hollow, clash_overlap *out_overlap)
{
    const clash_push_input in = {
        .capsules = capsule, .capsule_count = 1, .pose = *pose, .obstacles = obstacle, .obstacle_count = 1};
    push_out_task b;
    push_out_overlap o;

    if (!are_valid(&in))
        return false;
    begin(&b, &in);
    b.is_sided = false;
    b.is_hollow = is_hollow;
    o = overlap_within(&b, 0, 0, (dvec){0.0, 0.0, 0.0}, INFINITY);
    if (!is_hollow && o.inner.count > 0)
        o = out_of_enclosing(&b, o);
    return take_overlap(&o, out_overlap);
}

bool push_out_overlap_two_sided(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                                clash_overlap *out_overlap)
{
    return find_overlap(capsule, pose, obstacle, true, out_overlap);
}

bool clash_overlap_of(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                      clash_overlap *out_overlap)
{
    return find_overlap(capsule, pose, obstacle, false, out_overlap);
}

/* ---- where to ---- */

static uint32_t narrowed(uint64_t work)
{
    return work < UINT32_MAX ? (uint32_t)work : UINT32_MAX;
}

/** Resolve with the work left for examining where the blade is, and the work granted for the search. */
static clash_push_result resolve(push_out_task *b, const clash_push_input *in, uint64_t granted, clash_push_output *out)
{
    const uint64_t before = b->left;
    const double reach = (double)in->reach;
    const push_out_reasons reasons = measure_pairs(b, reach);
    const uint64_t measuring = before - b->left;
    push_out_best best = {reach, INFINITY, {0.0, 0.0, 0.0}};

    *out = (clash_push_output){in->pose, narrowed(measuring)};
    if (b->left == 0)
        return CLASH_PUSH_SPENT;
    if (reasons.deepest.depth <= (double)CLASH_PUSH_DEPTH)
        return CLASH_PUSH_FREE;
    if (reasons.least > reach && !b->has_sides)
        return CLASH_PUSH_STUCK;
    granted = b->left < granted ? b->left : granted;
    b->left = granted;
    search(b, &reasons, &best);
    out->work = narrowed(measuring + granted - b->left);
    if (!has_place(&best))
        return b->left == 0 ? CLASH_PUSH_SPENT : CLASH_PUSH_STUCK;
    out->pose.position = dvec_round(dvec_add(b->position, best.x));
    if (!clash_vec3_is_finite(out->pose.position)) {
        out->pose = in->pose;
        return CLASH_PUSH_STUCK;
    }
    return CLASH_PUSH_MOVED;
}

/** Resolve with the usual work, which does not count the examination of where the blade is. */
static clash_push_result resolve_as_usual(push_out_task *b, const clash_push_input *in, clash_push_output *out)
{
    const uint64_t pairs = (uint64_t)in->capsule_count * in->obstacle_count;
    const clash_push_result result = resolve(b, in, CLASH_PUSH_WORK + CLASH_PUSH_WORK_PAIR * pairs, out);

    return result == CLASH_PUSH_SPENT ? CLASH_PUSH_STUCK : result;
}

clash_push_input clash_push_input_default(void)
{
    const clash_pose origin = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};

    return (clash_push_input){.pose = origin, .reach = REACH, .work = CLASH_PUSH_WORK_USUAL};
}

clash_push_result clash_push_out(const clash_push_input *input, clash_push_output *out)
{
    clash_obstacle near[PUSH_OUT_NEAR];
    const clash_push_input in = near_input(input, near);
    clash_push_result result;
    push_out_task b;

    input = &in;
    if (!are_valid(input) || !margin_is_valid(input->reach))
        return CLASH_PUSH_INVALID;
    if (input->from && push_out_from(input, out, &result))
        return result;
    begin(&b, input);
    if (input->work == CLASH_PUSH_WORK_USUAL)
        return resolve_as_usual(&b, input, out);
    b.left = input->work;
    return resolve(&b, input, input->work, out);
}
