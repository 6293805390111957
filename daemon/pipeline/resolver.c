/* Who yields: a blade to a target; of blades that sink into each other each about half, the first ones what leaves the
 * rest to the last one, which is moved out of all that have been placed before it. So what is drawn together does not
 * sink into each other, as long as there is room for it. See resolver.h. */
#include "pipeline/resolver.h"

#include "pipeline/resolver_scene.h"

#include <stdlib.h>
#include <string.h>

/* So many make way for each other at most. Work grows with the square of it, and a heap of more is no fight. */
#define TOGETHER_MAX 8

struct resolver {
    const pipeline *pipeline;
    resolver_scene scene;
    clash_obstacle *obstacles; /* of the mover that is being placed */
    uint32_t obstacle_room;
    uint32_t *met; /* movers that are settled together */
    uint32_t met_room;
};

/* ---- what keeps a mover out ---- */

/* The most obstacles that there can be. */
static bool make_room(resolver *r)
{
    const uint32_t movers = r->scene.mover_count, wanted = r->scene.target_count + movers * CLASH_PARTS_MAX;

    if (movers > r->met_room) {
        uint32_t *met = realloc(r->met, (size_t)2 * movers * sizeof *met);

        if (!met)
            return false;
        r->met = met;
        r->met_room = 2 * movers;
    }
    if (wanted > r->obstacle_room) {
        clash_obstacle *obstacles = realloc(r->obstacles, (size_t)2 * wanted * sizeof *obstacles);

        if (!obstacles)
            return false;
        r->obstacles = obstacles;
        r->obstacle_room = 2 * wanted;
    }
    return true;
}

static bool can_meet(const resolver_mover *a, const resolver_mover *b)
{
    return b->is_there && a->device != b->device && !a->is_body && !b->is_body;
}

static clash_obstacle obstacle_of(const resolver_mover *m, uint32_t capsule)
{
    return (clash_obstacle){{.kind = CLASH_SHAPE_CAPSULE, .as.capsule = m->capsules[capsule]},
                            m->is_settled ? m->placed : m->pose};
}

static uint32_t add_mover(resolver *r, const resolver_mover *m, uint32_t count)
{
    for (uint32_t i = 0; i < m->count; i++)
        r->obstacles[count++] = obstacle_of(m, i);
    return count;
}

/* Who is settled together with `m` and comes after it: will yield, too. */
static bool yields_later(const resolver_mover *m)
{
    return m->is_met && !m->is_settled;
}

/* All that stays where it is and could be reached. */
static uint32_t gather_fixed(resolver *r, const resolver_mover *m)
{
    const resolver_scene *s = &r->scene;
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->target_count; i++)
        if (s->targets[i].device != m->device && resolver_boxes_meet(&m->box, &s->targets[i].box, RESOLVER_REACH))
            r->obstacles[count++] = s->targets[i].is;
    for (uint32_t i = 0; i < s->mover_count; i++) {
        const resolver_mover *other = &s->movers[i];

        if (can_meet(m, other) && !yields_later(other) && resolver_boxes_meet(&m->box, &other->box, RESOLVER_REACH))
            count = add_mover(r, other, count);
    }
    return count;
}

static uint32_t gather_yielding(resolver *r, const resolver_mover *m, uint32_t count)
{
    for (uint32_t i = 0; i < r->scene.mover_count; i++)
        if (can_meet(m, &r->scene.movers[i]) && yields_later(&r->scene.movers[i]))
            count = add_mover(r, &r->scene.movers[i], count);
    return count;
}

/* ---- placing ---- */

static clash_push_result push_out(const resolver *r, const resolver_mover *m, const clash_pose *from, uint32_t count,
                                  float reach, clash_pose *out_pose)
{
    return clash_resolve_pose(m->capsules, m->count, from, r->obstacles, count, reach, out_pose);
}

static bool is_out(clash_push_result result)
{
    return result == CLASH_PUSH_FREE || result == CLASH_PUSH_MOVED;
}

static clash_vec3 halfway(clash_vec3 a, clash_vec3 b)
{
    return (clash_vec3){0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
}

/* Half of the way out of all of it, and from there out of what does not yield. Half of the reach is left for that. */
static bool place_halfway(const resolver *r, resolver_mover *m, uint32_t fixed, uint32_t all)
{
    clash_pose out, half = m->pose;

    if (!is_out(push_out(r, m, &m->pose, all, RESOLVER_REACH, &out)))
        return false;
    half.position = halfway(m->pose.position, out.position);
    return is_out(push_out(r, m, &half, fixed, 0.5f * RESOLVER_REACH, &m->placed));
}

static bool is_same_place(const clash_pose *a, const clash_pose *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z;
}

static void place(resolver *r, resolver_mover *m)
{
    const uint32_t fixed = gather_fixed(r, m), all = gather_yielding(r, m, fixed);

    m->placed = m->pose;
    if ((all > fixed && place_halfway(r, m, fixed, all)) ||
        is_out(push_out(r, m, &m->pose, fixed, RESOLVER_REACH, &m->placed)))
        m->result = is_same_place(&m->placed, &m->pose) ? POSE_RESOLUTION_FREE : POSE_RESOLUTION_MOVED;
    else
        m->result = POSE_RESOLUTION_STUCK;
    resolver_scene_settle(m);
}

static bool sinks_into(const resolver_mover *a, const resolver_mover *b)
{
    clash_overlap overlap;

    if (!can_meet(a, b) || !resolver_boxes_meet(&a->box, &b->box, 0.0f))
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < b->count; k++) {
            const clash_obstacle obstacle = obstacle_of(b, k);

            if (clash_overlap_of(&a->capsules[i], &a->pose, &obstacle, &overlap) && overlap.depth > CLASH_PUSH_DEPTH)
                return true;
        }
    }
    return false;
}

/* Those that sink into `first`, those that sink into these, and so on; in order. Beyond TOGETHER_MAX the others stay where
 * they are. */
static uint32_t find_met(resolver *r, uint32_t first)
{
    resolver_mover *movers = r->scene.movers;
    uint32_t count = 0, in_order = 0;

    r->met[count++] = first;
    movers[first].is_met = true;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < r->scene.mover_count && count < TOGETHER_MAX; k++) {
            if (movers[k].is_met || movers[k].is_settled || !sinks_into(&movers[r->met[i]], &movers[k]))
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

static void settle(resolver *r, resolver_mover *m)
{
    uint32_t count;

    if (m->is_settled)
        return;
    count = find_met(r, (uint32_t)(m - r->scene.movers));
    for (uint32_t i = 0; i < count; i++)
        place(r, &r->scene.movers[r->met[i]]);
}

/* ---- the port ---- */

static pose_resolved resolve(resolver *r, uint32_t device, bool is_body)
{
    resolver_mover *m = resolver_scene_find(&r->scene, device, is_body);

    if (!m)
        return (pose_resolved){.result = POSE_RESOLUTION_NONE};
    settle(r, m);
    return (pose_resolved){m->result, m->placed};
}

static const pipeline_blade *find_blade(const pipeline *p, const char *name)
{
    const pipeline_blade *blade = NULL;

    for (size_t i = 0; (blade = pipeline_blade_at(p, i)) && strcmp(blade->name, name) != 0;)
        i++;
    return blade;
}

static void resolve_event(void *context, const clash_event *event, pose_resolved out_resolved[2])
{
    resolver *r = context;
    const resolver_samples none = {0};

    out_resolved[0] = out_resolved[1] = (pose_resolved){.result = POSE_RESOLUTION_NONE};
    if (resolver_scene_set(&r->scene, r->pipeline, event->time_ns, &none) != 0 || !make_room(r))
        return;
    for (int i = 0; i < (event->has_target ? 1 : 2); i++) {
        const pipeline_blade *blade = find_blade(r->pipeline, event->blades[i]);

        if (blade)
            out_resolved[i] = resolve(r, blade->device, blade->is_body);
    }
}

static void resolve_poses(void *context, int64_t time_ns, const pose_sample *samples, size_t count,
                          pose_resolved *out_resolved)
{
    resolver *r = context;
    const resolver_samples known = {samples, count};
    const bool is_set = resolver_scene_set(&r->scene, r->pipeline, time_ns, &known) == 0 && make_room(r);

    for (size_t i = 0; i < count; i++) {
        out_resolved[i] = (pose_resolved){.result = POSE_RESOLUTION_NONE};
        if (is_set)
            out_resolved[i] = resolve(r, samples[i].device, !resolver_scene_find(&r->scene, samples[i].device, false));
    }
}

resolver *resolver_create(const pipeline *p)
{
    resolver *r = calloc(1, sizeof *r);

    if (r)
        r->pipeline = p;
    return r;
}

void resolver_destroy(resolver *r)
{
    if (!r)
        return;
    resolver_scene_finish(&r->scene);
    free(r->obstacles);
    free(r->met);
    free(r);
}

pose_resolver resolver_port(resolver *r)
{
    return (pose_resolver){.context = r, .event = resolve_event, .poses = resolve_poses};
}
