/* Who yields: a blade to a target. Of blades that penetrate each other each moves about half, except the last: it moves
 * out of all that were placed before it. So what is drawn together does not penetrate, as long as there is room. See
 * depenetrator.h. */
#include "cli/array.h"
#include "pipeline/depenetrator_private.h"

/* At most so many make way for each other: the work grows with the square, and a larger heap is no fight. */
#define TOGETHER_MAX 8
/* One search may take this share of a frame's work, so that a hard one leaves some. One that has waited and comes first
 * may take the second; if that fails it is stuck. */
#define PLACE_SHARE 4
#define WAITING_SHARE 2
/* Never less than this, which finds a first place on most ground: less would help nobody. If no more is left, nobody
 * yields by half, which takes two searches. */
#define PLACE_LEAST 1150
/* Boxes that are compared for a unit of work; and what a pair of capsules costs. */
#define LOOKS 8
#define PAIR_WORK 4

/* ---- what keeps a mover out ---- */

/* Make room for the most obstacles that there can be. */
bool depenetrator_reserve(depenetrator *r)
{
    const uint32_t movers = r->scene.mover_count, wanted = r->scene.target_count + movers * CLASH_PARTS_MAX;

    if (depenetrator_work_reserve(&r->work, r->scene.device_count) != 0)
        return false;
    if (movers > r->met_capacity) {
        if (!array_resize(&r->met, (size_t)2 * movers, sizeof *r->met))
            return false;
        r->met_capacity = 2 * movers;
    }
    if (wanted > r->obstacle_capacity) {
        if (!array_resize(&r->obstacles, (size_t)2 * wanted, sizeof *r->obstacles))
            return false;
        r->obstacle_capacity = 2 * wanted;
    }
    return true;
}

static bool can_meet(const depenetrator_mover *a, const depenetrator_mover *b)
{
    return b->is_there && a->device != b->device && !a->is_body && !b->is_body && depenetrator_layers_meet(a, b);
}

static clash_obstacle obstacle_of(const depenetrator_mover *m, uint32_t capsule)
{
    return (clash_obstacle){{.kind = CLASH_SHAPE_CAPSULE, .as.capsule = m->capsules[capsule]},
                            m->is_settled ? m->placed : m->pose};
}

static uint32_t add_mover(depenetrator *r, const depenetrator_mover *m, uint32_t count)
{
    for (uint32_t i = 0; i < m->count; i++)
        r->obstacles[count++] = obstacle_of(m, i);
    return count;
}

/* Return whether it is placed together with `m` and comes after it: it will yield too. */
static bool yields_later(const depenetrator_mover *m)
{
    return m->is_met && !m->is_settled;
}

/* Collect everything within reach that stays where it is. */
static uint32_t gather_fixed(depenetrator *r, const depenetrator_mover *m)
{
    const depenetrator_scene *s = &r->scene;
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->target_count; i++)
        if (s->targets[i].device != m->device && depenetrator_layers_meet(m, &s->targets[i]) &&
            depenetrator_boxes_meet(&m->box, &s->targets[i].box, DEPENETRATOR_REACH))
            r->obstacles[count++] = s->targets[i].is;
    for (uint32_t i = 0; i < s->mover_count; i++) {
        const depenetrator_mover *other = &s->movers[i];

        if (can_meet(m, other) && !yields_later(other) &&
            depenetrator_boxes_meet(&m->box, &other->box, DEPENETRATOR_REACH))
            count = add_mover(r, other, count);
    }
    return count;
}

static uint32_t gather_yielding(depenetrator *r, const depenetrator_mover *m, uint32_t count)
{
    for (uint32_t i = 0; i < r->scene.mover_count; i++)
        if (can_meet(m, &r->scene.movers[i]) && yields_later(&r->scene.movers[i]))
            count = add_mover(r, &r->scene.movers[i], count);
    return count;
}

/* ---- placing ---- */

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Return what one search may cost now: an equal share of what is left for all that are still to be placed. */
static uint32_t fair_share(const depenetrator *r)
{
    const uint32_t fair = r->work.left / (r->expected > 0 ? r->expected : 1);

    return least_of(fair > PLACE_LEAST ? fair : PLACE_LEAST, r->work.frame / PLACE_SHARE);
}

static clash_push_result push_out(depenetrator *r, depenetrator_mover *m, const clash_pose *from, uint32_t count,
                                  float reach, uint32_t share, clash_pose *out_pose)
{
    const clash_push_input input = {.capsules = m->capsules,
                                    .capsule_count = m->count,
                                    .pose = *from,
                                    .obstacles = r->obstacles,
                                    .obstacle_count = count,
                                    .reach = reach,
                                    .work = least_of(share, r->work.left)};
    clash_push_output output = {*from, 0};
    const clash_push_result result = clash_push_out(&input, &output);

    *out_pose = output.pose;
    depenetrator_work_pay(&r->work, output.work);
    m->granted = input.work;
    m->is_cut = output.work == input.work;
    return result;
}

static bool is_out(clash_push_result result)
{
    return result == CLASH_PUSH_FREE || result == CLASH_PUSH_MOVED;
}

static clash_vec3 halfway(clash_vec3 a, clash_vec3 b)
{
    return (clash_vec3){0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
}

/* Move half of the way out of everything, and from there out of what does not yield; half of the reach is kept for
 * that. */
static bool place_halfway(depenetrator *r, depenetrator_mover *m, uint32_t fixed, uint32_t all)
{
    clash_pose out, half = m->pose;

    if (!is_out(push_out(r, m, &m->pose, all, DEPENETRATOR_REACH, fair_share(r), &out)))
        return false;
    half.position = halfway(m->pose.position, out.position);
    return is_out(push_out(r, m, &half, fixed, 0.5f * DEPENETRATOR_REACH, fair_share(r), &m->placed));
}

/* Move the whole way. A mover that comes first and has waited gets more if an equal share fails; if that fails too it
 * is stuck, so that nobody waits for ever. */
static clash_push_result place_alone(depenetrator *r, depenetrator_mover *m, uint32_t fixed)
{
    const uint32_t most = r->work.frame / WAITING_SHARE;
    clash_push_result result = push_out(r, m, &m->pose, fixed, DEPENETRATOR_REACH, fair_share(r), &m->placed);

    if (result != CLASH_PUSH_SPENT || !r->is_first || !m->has_waited || r->work.left < most)
        return result;
    result = push_out(r, m, &m->pose, fixed, DEPENETRATOR_REACH, most, &m->placed);
    return result == CLASH_PUSH_SPENT ? CLASH_PUSH_STUCK : result;
}

static bool is_same_place(const clash_pose *a, const clash_pose *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z;
}

static bool is_nearer(const clash_pose *from, const clash_pose *a, const clash_pose *b)
{
    const clash_vec3 to_a = clash_vec3_sub(a->position, from->position),
                     to_b = clash_vec3_sub(b->position, from->position);

    return clash_vec3_dot(to_a, to_a) < clash_vec3_dot(to_b, to_b);
}

static pose_resolution resolution_of(const depenetrator_mover *m, clash_push_result result)
{
    if (!is_out(result))
        return result == CLASH_PUSH_SPENT ? POSE_RESOLUTION_SPENT : POSE_RESOLUTION_STUCK;
    return is_same_place(&m->placed, &m->pose) ? POSE_RESOLUTION_FREE : POSE_RESOLUTION_MOVED;
}

static pose_resolution find_place(depenetrator *r, depenetrator_mover *m)
{
    const uint32_t fixed = gather_fixed(r, m), all = gather_yielding(r, m, fixed);
    clash_push_result result = CLASH_PUSH_MOVED;

    if (all > fixed && fair_share(r) > PLACE_LEAST && place_halfway(r, m, fixed, all))
        m->is_cut = false; /* it stays halfway */
    else
        result = place_alone(r, m, fixed);
    return resolution_of(m, result);
}

/* Place a mover. Without work left it stays where it is. */
static void place(depenetrator *r, depenetrator_mover *m)
{
    const uint32_t looks = r->scene.target_count + 2 * r->scene.mover_count;

    m->placed = m->pose;
    m->result = depenetrator_work_pay(&r->work, looks / LOOKS + 1) ? find_place(r, m) : POSE_RESOLUTION_SPENT;
    if (m->result == POSE_RESOLUTION_STUCK || m->result == POSE_RESOLUTION_SPENT)
        m->placed = m->pose;
    r->expected -= r->expected > 0;
    depenetrator_scene_settle(m);
}

void depenetrator_improve(depenetrator *r, depenetrator_mover *m)
{
    const clash_pose before = m->placed;
    const uint32_t share = fair_share(r);
    clash_push_result result;

    r->expected -= r->expected > 0;
    if (share > r->work.left || share / 2 < m->granted)
        return;
    depenetrator_scene_unsettle(m);
    result = push_out(r, m, &m->pose, gather_fixed(r, m), DEPENETRATOR_REACH, share, &m->placed);
    if (m->result == POSE_RESOLUTION_SPENT)
        m->result = resolution_of(m, result);
    else if (!is_out(result) || !is_nearer(&m->pose, &m->placed, &before))
        m->placed = before;
    depenetrator_scene_settle(m);
}

static bool sinks_into(depenetrator *r, const depenetrator_mover *a, const depenetrator_mover *b)
{
    clash_overlap overlap;

    if (!can_meet(a, b) || !depenetrator_boxes_meet(&a->box, &b->box, 0.0f))
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < b->count; k++) {
            const clash_obstacle obstacle = obstacle_of(b, k);

            if (!depenetrator_work_pay(&r->work, PAIR_WORK))
                return false;
            if (clash_overlap_of(&a->capsules[i], &a->pose, &obstacle, &overlap) && overlap.depth > CLASH_PUSH_DEPTH)
                return true;
        }
    }
    return false;
}

/* Collect those that penetrate `first`, those that penetrate these, and so on; in order. Any beyond TOGETHER_MAX stay
 * where they are. */
static uint32_t find_met(depenetrator *r, uint32_t first)
{
    depenetrator_mover *movers = r->scene.movers;
    uint32_t count = 0, in_order = 0;

    r->met[count++] = first;
    movers[first].is_met = true;
    for (uint32_t i = 0; i < count; i++) {
        depenetrator_work_pay(&r->work, r->scene.mover_count / LOOKS + 1);
        for (uint32_t k = 0; k < r->scene.mover_count && count < TOGETHER_MAX; k++) {
            if (movers[k].is_met || movers[k].is_settled || !sinks_into(r, &movers[r->met[i]], &movers[k]))
                continue;
            movers[k].is_met = true;
            r->met[count++] = k;
        }
    }
    for (uint32_t k = 0; k < r->scene.mover_count && in_order < count; k++)
        if (yields_later(&movers[k]))
            r->met[in_order++] = k;
    return count;
}

/* Return whether it is deeper in a solid than a picture is moved: then there is no place, whoever makes way. */
static bool is_too_deep(depenetrator *r, const depenetrator_mover *m)
{
    const depenetrator_scene *s = &r->scene;
    clash_overlap overlap;

    depenetrator_work_pay(&r->work, s->target_count / LOOKS + 1);
    for (uint32_t i = 0; i < s->target_count; i++) {
        const depenetrator_target *t = &s->targets[i];

        if (t->device == m->device || !depenetrator_layers_meet(m, t) ||
            !depenetrator_boxes_meet(&m->box, &t->box, 0.0f) || t->is.shape.kind == CLASH_SHAPE_MESH ||
            t->is.shape.kind == CLASH_SHAPE_TERRAIN)
            continue;
        for (uint32_t k = 0; k < m->count && depenetrator_work_pay(&r->work, PAIR_WORK); k++)
            if (clash_overlap_of(&m->capsules[k], &m->pose, &t->is, &overlap) && overlap.depth > DEPENETRATOR_REACH)
                return true;
    }
    return false;
}

/* A mover that has waited for work is placed alone: it yields the whole way, and no other search comes before its
 * own. */
void depenetrator_settle(depenetrator *r, depenetrator_mover *m)
{
    uint32_t count;

    if (m->is_settled)
        return;
    if (is_too_deep(r, m)) {
        m->placed = m->pose;
        m->result = POSE_RESOLUTION_STUCK;
        depenetrator_scene_settle(m);
        return;
    }
    if (m->has_waited) {
        place(r, m);
        return;
    }
    count = find_met(r, (uint32_t)(m - r->scene.movers));
    for (uint32_t i = 0; i < count; i++)
        place(r, &r->scene.movers[r->met[i]]);
}
