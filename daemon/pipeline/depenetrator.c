/* Answer where pictures should stop, and share out the work if there is not enough for all. See depenetrator.h. */
#include "pipeline/depenetrator_private.h"

#include <stdlib.h>
#include <string.h>

/* How many other requests an event expects to share the work with. */
#define EVENT_SHARE 4

static void begin_frame(void *context, int64_t time_ns)
{
    depenetrator *r = context;

    depenetrator_work_grant(&r->work, time_ns, DEPENETRATOR_WORK_NS);
}

/* Return the slot of a device's blades or bodies, as in mover_of. */
static uint32_t slot_of(uint32_t device, bool is_body)
{
    return 2 * device + is_body;
}

static pose_resolved answer(depenetrator *r, const depenetrator_mover *m)
{
    const uint32_t slot = slot_of(m->device, m->is_body);
    const bool is_served = m->is_settled && m->result != POSE_RESOLUTION_SPENT;

    r->counters.asked++;
    depenetrator_work_note(&r->work, slot, is_served);
    r->counters.spent += !is_served;
    return (pose_resolved){is_served ? m->result : POSE_RESOLUTION_SPENT, m->placed};
}

static pose_resolved resolve(depenetrator *r, uint32_t device, bool is_body)
{
    depenetrator_mover *m = depenetrator_scene_find(&r->scene, device, is_body);
    const uint32_t slot = slot_of(device, is_body);

    if (!m)
        return (pose_resolved){.result = POSE_RESOLUTION_NONE};
    m->has_waited = depenetrator_work_waits(&r->work, slot);
    if (depenetrator_work_has_turn(&r->work, slot))
        depenetrator_settle(r, m);
    return answer(r, m);
}

/* Answer without any work: only who had blades in the last scene is known. */
static pose_resolved refuse(depenetrator *r, uint32_t device, bool is_body)
{
    if (!depenetrator_scene_has(&r->scene, device, is_body))
        return (pose_resolved){.result = POSE_RESOLUTION_NONE};
    depenetrator_work_note(&r->work, slot_of(device, is_body), false);
    r->counters.asked++;
    r->counters.spent++;
    return (pose_resolved){.result = POSE_RESOLUTION_SPENT};
}

/* Set up the scene, which counts as work. */
static bool set_scene(depenetrator *r, int64_t time_ns, const depenetrator_samples *known)
{
    const size_t things = pipeline_blade_count(r->pipeline) + pipeline_target_count(r->pipeline);

    depenetrator_work_pay(&r->work, (uint32_t)things);
    return depenetrator_scene_set(&r->scene, r->pipeline, time_ns, known) == 0 && depenetrator_reserve(r);
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
    depenetrator *r = context;
    const depenetrator_samples none = {0};
    const bool has_work = r->work.left > 0;

    out_resolved[0] = out_resolved[1] = (pose_resolved){.result = POSE_RESOLUTION_NONE};
    r->expected = EVENT_SHARE;
    r->is_first = false;
    if (has_work && !set_scene(r, event->time_ns, &none))
        return;
    for (int i = 0; i < (event->has_target ? 1 : 2); i++) {
        const pipeline_blade *blade = find_blade(r->pipeline, event->blades[i]);

        if (blade)
            out_resolved[i] = has_work ? resolve(r, blade->device, blade->properties.is_body)
                                       : refuse(r, blade->device, blade->properties.is_body);
    }
}

static depenetrator_mover *mover_of(depenetrator *r, uint32_t device)
{
    depenetrator_mover *m = depenetrator_scene_find(&r->scene, device, false);

    return m ? m : depenetrator_scene_find(&r->scene, device, true);
}

/* Return the index of the first sample that was left over last time. */
static size_t first_of(const depenetrator *r, const pose_sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (samples[i].device == r->next_device)
            return i;
    return 0;
}

/* Place each, beginning with the first one left over; they share the work. */
static void settle_all(depenetrator *r, const pose_sample *samples, size_t count)
{
    const size_t first = first_of(r, samples, count);

    r->expected = 0;
    for (size_t i = 0; i < count; i++)
        r->expected += mover_of(r, samples[i].device) != NULL;
    r->is_first = true;
    for (size_t k = 0; k < count && r->work.left > 0; k++) {
        depenetrator_mover *m = mover_of(r, samples[(first + k) % count].device);

        if (!m)
            continue;
        m->has_waited = depenetrator_work_waits(&r->work, slot_of(m->device, m->is_body));
        depenetrator_settle(r, m);
        r->is_first = false;
    }
    r->is_first = false;
}

static bool is_cut_with(const depenetrator_mover *m, pose_resolution result)
{
    return m && m->is_settled && m->is_cut && m->result == result;
}

/* Spend the remaining work on those whose search was cut short with that result. */
static void improve_all(depenetrator *r, const pose_sample *samples, size_t count, pose_resolution result)
{
    r->expected = 0;
    for (size_t i = 0; i < count; i++)
        r->expected += is_cut_with(mover_of(r, samples[i].device), result);
    for (size_t i = 0; i < count && r->expected > 0; i++) {
        depenetrator_mover *m = mover_of(r, samples[i].device);

        if (is_cut_with(m, result))
            depenetrator_improve(r, m);
    }
}

static void resolve_poses(void *context, int64_t time_ns, const pose_sample *samples, size_t count,
                          pose_resolved *out_resolved)
{
    depenetrator *r = context;
    const depenetrator_samples known = {samples, count};
    const bool has_work = r->work.left > 0, is_set = has_work && set_scene(r, time_ns, &known);
    const size_t first = first_of(r, samples, count);
    bool all = true;

    if (is_set) {
        settle_all(r, samples, count);
        improve_all(r, samples, count, POSE_RESOLUTION_SPENT);
        improve_all(r, samples, count, POSE_RESOLUTION_MOVED);
    }
    for (size_t k = 0; k < count; k++) {
        const size_t i = (first + k) % count;
        const uint32_t device = samples[i].device;
        const depenetrator_mover *m = is_set ? mover_of(r, device) : NULL;

        out_resolved[i] = (pose_resolved){.result = POSE_RESOLUTION_NONE};
        if (m)
            out_resolved[i] = answer(r, m);
        else if (!has_work)
            out_resolved[i] = refuse(r, device, !depenetrator_scene_has(&r->scene, device, false));
        if (all && out_resolved[i].result == POSE_RESOLUTION_SPENT)
            r->next_device = device;
        all = all && out_resolved[i].result != POSE_RESOLUTION_SPENT;
    }
}

depenetrator *depenetrator_create(const pipeline *p, uint32_t work)
{
    depenetrator *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->pipeline = p;
    r->work = (depenetrator_work){.frame = work, .left = work, .refused_ns = DEPENETRATOR_NEVER};
    return r;
}

void depenetrator_destroy(depenetrator *r)
{
    if (!r)
        return;
    depenetrator_scene_finish(&r->scene);
    depenetrator_work_finish(&r->work);
    free(r->obstacles);
    free(r->met);
    free(r);
}

depenetrator_counters depenetrator_get_counters(const depenetrator *r)
{
    depenetrator_counters counters = r->counters;

    counters.work = r->work.done;
    return counters;
}

void depenetrator_list_counters(const depenetrator *r, counter_list *out)
{
    const counter_row all[] = {
        {"resolved_asked", "clashd_resolved_poses_total",
         "Poses that were asked for at which blades sink into nothing.", r->counters.asked},
        {"resolved_given_up", "clashd_resolved_poses_given_up_total",
         "Of those, not found because the frame's work for that was spent.", r->counters.spent},
        {"resolved_work", "clashd_resolved_poses_work_total",
         "Work done to find them, in units of libclash's push-out.", r->work.done},
    };

    counter_list_add(out, all, sizeof all / sizeof all[0]);
}

pose_resolver depenetrator_port(depenetrator *r)
{
    return (pose_resolver){.context = r, .frame = begin_frame, .event = resolve_event, .poses = resolve_poses};
}
