/* The scene, built anew for each question: blades come and go, and building is cheap beside resolving. See
 * depenetrator_scene.h. */
#include "pipeline/depenetrator_scene.h"
#include "cli/array.h"

#include <stdlib.h>

/* The same as for tracks. */
#define UNIT_TOLERANCE 0.01f

void depenetrator_scene_finish(depenetrator_scene *s)
{
    free(s->movers);
    free(s->targets);
    free(s->mover_of);
    *s = (depenetrator_scene){0};
}

/* Make room for `count` things of `size` bytes. */
static bool reserve(void *things, uint32_t *capacity, size_t count, size_t size)
{
    const size_t wanted = count + count / 2 + 8;

    if (count <= *capacity)
        return true;
    if (!array_resize(things, wanted, size))
        return false;
    *capacity = (uint32_t)wanted;
    return true;
}

static bool reserve_all(depenetrator_scene *s, const pipeline *p)
{
    return reserve(&s->movers, &s->mover_capacity, pipeline_blade_count(p), sizeof *s->movers) &&
           reserve(&s->targets, &s->target_capacity, pipeline_target_count(p), sizeof *s->targets) &&
           reserve(&s->mover_of, &s->device_capacity, 2 * (size_t)pipeline_device_count(p), sizeof *s->mover_of);
}

static bool is_usable(const pose_sample *sample, bool require_tracked)
{
    return (sample->flags & POSE_VALID) && ((sample->flags & POSE_TRACKED) || !require_tracked) &&
           clash_vec3_is_finite(sample->pose.position) && clash_quat_is_unit(sample->pose.orientation, UNIT_TOLERANCE);
}

static bool pose_of(const pipeline *p, uint32_t device, int64_t time_ns, const depenetrator_samples *known,
                    clash_pose *out_pose)
{
    for (size_t i = 0; i < known->count; i++) {
        if (known->samples[i].device != device)
            continue;
        *out_pose = known->samples[i].pose;
        return is_usable(&known->samples[i], pipeline_get_settings(p)->require_tracked);
    }
    return pipeline_pose_at(p, device, time_ns, out_pose);
}

static void find_box(depenetrator_mover *m, const clash_pose *at)
{
    const clash_motion at_rest = {*at, *at};
    const clash_collider there = clash_collider_of_capsules(m->capsules, m->count, &at_rest);

    m->box = clash_collider_bounds(&there, 0.0f);
}

void depenetrator_scene_settle(depenetrator_mover *m)
{
    find_box(m, &m->placed);
    m->is_settled = true;
}

void depenetrator_scene_unsettle(depenetrator_mover *m)
{
    find_box(m, &m->pose);
    m->is_settled = false;
}

static void take_blade(depenetrator_scene *s, const pipeline_blade *blade)
{
    const clash_capsule *capsules = blade->sword ? blade->sword->capsules : &blade->properties.shape;
    const uint32_t count = blade->sword ? blade->sword->capsule_count : 1;
    uint32_t *index = &s->mover_of[2 * blade->device + blade->properties.is_body];
    depenetrator_mover *m;

    if (blade->properties.is_disabled)
        return;
    if (*index == DEPENETRATOR_NOBODY) {
        *index = s->mover_count++;
        s->movers[*index] = (depenetrator_mover){.device = blade->device, .is_body = blade->properties.is_body};
    }
    m = &s->movers[*index];
    m->layers |= clash_layers_own(&blade->properties.layers);
    m->mask |= clash_layers_mask(&blade->properties.layers);
    for (uint32_t i = 0; i < count && m->count < CLASH_PARTS_MAX; i++)
        m->capsules[m->count++] = capsules[i];
}

static void take_target(depenetrator_scene *s, const pipeline_target *from, const clash_pose *pose)
{
    const clash_motion at_rest = {*pose, *pose};
    const clash_collider target = clash_collider_of_shape(&from->shape, &at_rest);

    s->targets[s->target_count++] =
        (depenetrator_target){.device = from->is_static ? DEPENETRATOR_NOBODY : from->device,
                              .layers = clash_layers_own(&from->layers),
                              .mask = clash_layers_mask(&from->layers),
                              .is = {from->shape, *pose},
                              .box = clash_collider_bounds(&target, 0.0f)};
}

static void take_targets(depenetrator_scene *s, const pipeline *p, int64_t time_ns, const depenetrator_samples *known)
{
    for (size_t i = 0; i < pipeline_target_count(p); i++) {
        const pipeline_target *target = pipeline_target_at(p, i);
        clash_pose pose = target->pose;

        if (target->is_static || pose_of(p, target->device, time_ns, known, &pose))
            take_target(s, target, &pose);
    }
}

int depenetrator_scene_set(depenetrator_scene *s, const pipeline *p, int64_t time_ns, const depenetrator_samples *known)
{
    if (!reserve_all(s, p))
        return -1;
    s->mover_count = s->target_count = 0;
    s->device_count = 2 * pipeline_device_count(p);
    for (uint32_t i = 0; i < s->device_count; i++)
        s->mover_of[i] = DEPENETRATOR_NOBODY;
    for (size_t i = 0; i < pipeline_blade_count(p); i++)
        take_blade(s, pipeline_blade_at(p, i));
    for (uint32_t i = 0; i < s->mover_count; i++) {
        depenetrator_mover *m = &s->movers[i];

        m->is_there = pose_of(p, m->device, time_ns, known, &m->pose);
        if (m->is_there)
            find_box(m, &m->pose);
    }
    take_targets(s, p, time_ns, known);
    return 0;
}

/* Return the mover's index; a sample may be of a device that the pipeline does not know. */
static uint32_t find_index(const depenetrator_scene *s, uint32_t device, bool is_body)
{
    const size_t place = 2 * (size_t)device + is_body;

    return device != DEPENETRATOR_NOBODY && place < s->device_count ? s->mover_of[place] : DEPENETRATOR_NOBODY;
}

bool depenetrator_scene_has(const depenetrator_scene *s, uint32_t device, bool is_body)
{
    return find_index(s, device, is_body) != DEPENETRATOR_NOBODY;
}

depenetrator_mover *depenetrator_scene_find(const depenetrator_scene *s, uint32_t device, bool is_body)
{
    const uint32_t index = find_index(s, device, is_body);

    return index != DEPENETRATOR_NOBODY && s->movers[index].is_there ? &s->movers[index] : NULL;
}

bool depenetrator_boxes_meet(const clash_bounds *a, const clash_bounds *b, float reach)
{
    return a->low.x - reach <= b->high.x && b->low.x - reach <= a->high.x && a->low.y - reach <= b->high.y &&
           b->low.y - reach <= a->high.y && a->low.z - reach <= b->high.z && b->low.z - reach <= a->high.z &&
           a->low.x <= a->high.x && b->low.x <= b->high.x;
}
