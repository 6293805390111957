/* Implements clash/world.h with a pipeline, a list of samples for its next step, and an array of the events that it delivers. Each
 * distinct time among the samples is one step of the pipeline, as each frame is in clashd. */
#include <clash/world.h>

#include "cli/array.h"
#include "pipeline/pipeline.h"
#include "ports/pose_rules.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOLD_RATE_MAX_HZ 1000.0f
#define SAMPLE_FLAGS \
    ((uint32_t)(CLASH_SAMPLE_VALID | CLASH_SAMPLE_TRACKED | CLASH_SAMPLE_TELEPORT | CLASH_SAMPLE_HOLDS))

static_assert((int)CLASH_SAMPLE_VALID == (int)POSE_VALID && (int)CLASH_SAMPLE_TRACKED == (int)POSE_TRACKED &&
                  (int)CLASH_SAMPLE_TELEPORT == (int)POSE_TELEPORT && (int)CLASH_SAMPLE_HOLDS == (int)POSE_HOLDS &&
                  (int)CLASH_INTENSITY_LINEAR == (int)PIPELINE_INTENSITY_LINEAR,
              "the pipeline takes both as they are");

/* A sample or a cut that the next step takes. */
typedef struct pending {
    int64_t time_ns;
    uint64_t order; /* counts up: of two with one time the earlier call comes first */
    bool is_cut;
    pose_sample sample;
} pending;

/* Where an event's strings are in `text`; 0: it has none. */
typedef struct event_texts {
    uint32_t blades[2], parts[2];
} event_texts;

struct clash_world {
    pipeline *pipeline;
    pending *pending;
    size_t pending_count, pending_capacity;
    bool is_pending_sorted;
    uint64_t added;
    clash_event *events; /* returned by the last step, or collected since */
    event_texts *texts;  /* by seq - first_seq */
    char *text;          /* begins with a byte for "none" */
    size_t count, capacity, text_size, text_capacity;
    bool is_returned, is_sorted;
    uint64_t first_seq, seq, starved, refused_time;
};

/* ---- sorting ---- */

/* Sort in place by a total order: needs no memory, and is fast when most elements are in order already. D. L. Shell, "A high-speed sorting procedure",
 * 1959, with the gaps of M. Ciura, "Best increments for the average case of shellsort", 2001. */
static void shell_sort(void *all, size_t count, size_t size, void *one, bool (*is_before)(const void *a, const void *b))
{
    static const size_t gaps[] = {1, 4, 10, 23, 57, 132, 301, 701};
    char *at = all;
    size_t gap = 701;

    while (gap < count / 2)
        gap = gap * 9 / 4;
    for (size_t known = sizeof gaps / sizeof gaps[0]; gap > 0;) {
        for (size_t i = gap; i < count; i++) {
            size_t k = i;

            memcpy(one, at + i * size, size);
            for (; k >= gap && is_before(one, at + (k - gap) * size); k -= gap)
                memcpy(at + k * size, at + (k - gap) * size, size);
            memcpy(at + k * size, one, size);
        }
        if (gap > 701)
            gap = gap * 4 / 9 > 701 ? gap * 4 / 9 : 701;
        else
            gap = --known > 0 ? gaps[known - 1] : 0;
    }
}

static bool pending_is_before(const void *a, const void *b)
{
    const pending *x = a, *y = b;

    return x->time_ns < y->time_ns || (x->time_ns == y->time_ns && x->order < y->order);
}

static bool event_is_before(const void *a, const void *b)
{
    const clash_event *x = a, *y = b;

    return x->time_ns < y->time_ns || (x->time_ns == y->time_ns && x->seq < y->seq);
}

/* ---- events ---- */

/* Forget the events that were returned. */
static void begin_events(clash_world *w)
{
    if (!w->is_returned)
        return;
    w->is_returned = false;
    w->is_sorted = true;
    w->count = 0;
    w->text_size = 1;
    w->first_seq = w->seq + 1;
}

static bool reserve_event(clash_world *w)
{
    const size_t capacity = w->capacity ? 2 * w->capacity : 64;

    if (w->count < w->capacity)
        return true;
    if (!array_resize(&w->events, capacity, sizeof *w->events) || !array_resize(&w->texts, capacity, sizeof *w->texts))
        return false;
    w->capacity = capacity;
    return true;
}

/* Copy a string, which may be NULL. Return false when out of memory. */
static bool keep_text(clash_world *w, const char *from, uint32_t *out_place)
{
    const size_t length = from ? strlen(from) + 1 : 0;
    size_t capacity = w->text_capacity ? w->text_capacity : 1024;

    *out_place = 0;
    if (!from)
        return true;
    if (w->text_size + length > INT32_MAX) /* places have 32 bits */
        return false;
    while (capacity < w->text_size + length)
        capacity *= 2;
    if (capacity > w->text_capacity) {
        if (!array_resize(&w->text, capacity, 1))
            return false;
        w->text_capacity = capacity;
    }
    memcpy(w->text + w->text_size, from, length);
    *out_place = (uint32_t)w->text_size;
    w->text_size += length;
    return true;
}

static bool has_parts(const clash_event *event)
{
    return event->kind == CLASH_EVENT_CLASH || event->kind == CLASH_EVENT_HOLD;
}

static bool keep_texts(clash_world *w, const clash_event *event, event_texts *out)
{
    *out = (event_texts){{0, 0}, {0, 0}};
    if (event->kind == CLASH_EVENT_TRACKING)
        return keep_text(w, event->as.tracking.device, &out->blades[0]);
    for (int side = 0; side < 2; side++)
        if (!keep_text(w, event->blades[side], &out->blades[side]) ||
            (has_parts(event) && !keep_text(w, event->as.clash.parts[side], &out->parts[side])))
            return false;
    return true;
}

static void on_event(void *context, const clash_event *event)
{
    clash_world *w = context;
    event_texts texts;

    begin_events(w);
    if (!reserve_event(w) || !keep_texts(w, event, &texts)) {
        w->starved++;
        return;
    }
    w->is_sorted = w->is_sorted && (w->count == 0 || event->time_ns >= w->events[w->count - 1].time_ns);
    w->texts[w->count] = texts;
    w->events[w->count] = *event;
    w->events[w->count++].seq = ++w->seq;
}

static const char *text_at(const clash_world *w, uint32_t place)
{
    return place ? w->text + place : NULL;
}

/* Call once all strings are kept: `text` moves while it grows. */
static void point_to_texts(const clash_world *w, clash_event *event)
{
    const event_texts *texts = &w->texts[event->seq - w->first_seq];

    if (event->kind == CLASH_EVENT_TRACKING) {
        event->as.tracking.device = text_at(w, texts->blades[0]);
        return;
    }
    for (int side = 0; side < 2; side++) {
        event->blades[side] = text_at(w, texts->blades[side]);
        if (has_parts(event))
            event->as.clash.parts[side] = text_at(w, texts->parts[side]);
    }
}

static clash_events return_events(clash_world *w)
{
    clash_event one;

    begin_events(w);
    if (!w->is_sorted)
        shell_sort(w->events, w->count, sizeof *w->events, &one, event_is_before);
    for (size_t i = 0; i < w->count; i++) {
        point_to_texts(w, &w->events[i]);
        w->events[i].seq = w->first_seq + i;
    }
    w->is_returned = true;
    return (clash_events){w->events, w->count};
}

/* ---- creation ---- */

clash_world_def clash_world_def_default(void)
{
    return (clash_world_def){.release_margin = 0.005f,
                             .hold_rate_hz = 30.0f,
                             .max_gap_ns = INT64_C(100000000),
                             .gap_by_rate = true,
                             .require_tracked = true,
                             .full_intensity_speed = 200.0f,
                             .intensity_curve = CLASH_INTENSITY_LOGARITHMIC};
}

static bool is_within(float value, float least, float most)
{
    return value >= least && value <= most; /* never of a NaN */
}

static bool def_is_valid(const clash_world_def *d)
{
    return is_within(d->margin, 0.0f, CLASH_COORDINATE_MAX) &&
           is_within(d->release_margin, 0.0f, CLASH_COORDINATE_MAX) && is_within(d->min_closing_speed, 0.0f, 1e9f) &&
           is_within(d->hold_rate_hz, 0.0f, HOLD_RATE_MAX_HZ) && d->max_gap_ns > 0 &&
           is_within(d->full_intensity_speed, 1e-6f, 1e9f) &&
           (d->intensity_curve == CLASH_INTENSITY_LINEAR || d->intensity_curve == CLASH_INTENSITY_LOGARITHMIC);
}

clash_world *clash_world_create(const clash_world_def *def)
{
    const clash_world_def d = def ? *def : clash_world_def_default();
    const pipeline_settings settings = {.margin = d.margin,
                                        .release_margin = d.release_margin,
                                        .min_closing_speed = d.min_closing_speed,
                                        .hold_rate_hz = d.hold_rate_hz,
                                        .full_intensity_speed = d.full_intensity_speed,
                                        .max_gap_ns = d.max_gap_ns,
                                        .require_tracked = d.require_tracked,
                                        .intensity_curve = (pipeline_intensity_curve)d.intensity_curve,
                                        .gap_by_rate = d.gap_by_rate};
    clash_world *w = def_is_valid(&d) ? calloc(1, sizeof *w) : NULL;

    if (!w)
        return NULL;
    w->text_size = w->first_seq = 1;
    w->is_sorted = w->is_pending_sorted = true;
    w->pipeline = pipeline_create(&settings, on_event, w);
    if (w->pipeline)
        return w;
    free(w);
    return NULL;
}

void clash_world_destroy(clash_world *world)
{
    if (!world)
        return;
    pipeline_destroy(world->pipeline);
    free(world->pending);
    free(world->events);
    free(world->texts);
    free(world->text);
    free(world);
}

/* ---- devices, blades and targets ---- */

uint32_t clash_world_device(clash_world *world, const char *name)
{
    return name ? pipeline_device(world->pipeline, name) : UINT32_MAX;
}

bool clash_world_remove_device(clash_world *world, uint32_t device)
{
    begin_events(world);
    return pipeline_remove_device(world->pipeline, device) == 0;
}

static bool is_direction(clash_vec3 v)
{
    return clash_vec3_is_within(v, CLASH_COORDINATE_MAX) && (v.x != 0.0f || v.y != 0.0f || v.z != 0.0f);
}

static bool is_capsule(const clash_capsule *c)
{
    return clash_vec3_is_within(c->base, CLASH_COORDINATE_MAX) && clash_vec3_is_within(c->tip, CLASH_COORDINATE_MAX) &&
           is_within(c->radius, 0.0f, CLASH_COORDINATE_MAX);
}

static const char *check_sword(const clash_sword *sword)
{
    uint32_t next = 0;

    if (sword->part_count > CLASH_PARTS_MAX)
        return "sword.part_count: expected at most 16";
    if (sword->capsule_count > CLASH_PARTS_MAX)
        return "sword.capsule_count: expected at most 16";
    for (uint32_t i = 0; i < sword->part_count; next += sword->parts[i++].count) {
        const clash_sword_part *part = &sword->parts[i];

        if (part->first != next || part->count < 1 || part->count > sword->capsule_count - next)
            return "sword.parts: expected each part's capsules after those of the part before";
        if (!part->name[0] || !memchr(part->name, '\0', sizeof part->name))
            return "sword.parts: expected names of 1 to 31 bytes";
        if (part->has_edge && !is_direction(part->edge))
            return "sword.parts: expected a finite edge of a length above 0";
    }
    if (next != sword->capsule_count)
        return "sword.capsule_count: expected the sum of its parts' capsules";
    for (uint32_t i = 0; i < sword->capsule_count; i++)
        if (!is_capsule(&sword->capsules[i]))
            return "sword.capsules: expected finite numbers up to 10000 m and radii of at least 0";
    return NULL;
}

static bool has_sword(const clash_blade *blade)
{
    return blade->sword && blade->sword->part_count > 0;
}

static const char *check_blade(const clash_blade *blade)
{
    const clash_blade_properties *p = &blade->properties;

    if (!blade->name || strnlen(blade->name, CLASH_BLADE_NAME_MAX) == CLASH_BLADE_NAME_MAX || !blade->name[0])
        return "name: expected 1 to 63 bytes";
    if (!blade->device || strnlen(blade->device, CLASH_BLADE_DEVICE_MAX) == CLASH_BLADE_DEVICE_MAX || !blade->device[0])
        return "device: expected 1 to 127 bytes";
    if (has_sword(blade))
        return check_sword(blade->sword);
    if (!is_capsule(&p->shape))
        return "properties.shape: expected finite numbers up to 10000 m and a radius of at least 0";
    if (p->has_edge && !is_direction(p->edge))
        return "properties.edge: expected a finite direction of a length above 0";
    return NULL;
}

const char *clash_world_set_blade(clash_world *world, const clash_blade *blade)
{
    const char *reason = check_blade(blade);
    pipeline_blade set = {.properties = blade->properties, .sword = has_sword(blade) ? blade->sword : NULL};
    const pipeline_blade *known;

    if (reason)
        return reason;
    begin_events(world);
    memcpy(set.name, blade->name, strlen(blade->name));
    known = pipeline_find_blade(world->pipeline, set.name);
    if (!known && pipeline_find_target(world->pipeline, set.name))
        return "name: a target has it";
    set.device = pipeline_device(world->pipeline, blade->device);
    if (set.device == UINT32_MAX)
        return "device: no room for one more";
    if (!known || known->device != set.device) {
        pipeline_remove_blade(world->pipeline, set.name);
        return pipeline_add_blade(world->pipeline, &set);
    }
    return clash_blade_properties_are_same(&known->properties, &set.properties) && !known->sword == !set.sword &&
                   (!set.sword || clash_sword_is_same(known->sword, set.sword))
               ? NULL
               : pipeline_change_blade(world->pipeline, &set);
}

/* Transform the shape of a carried target into its device's frame. Return NULL, or why it cannot be carried. */
static const char *place(const clash_pose *device_from_target, clash_shape *shape)
{
    const clash_pose origin = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};

    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        shape->as.sphere.center = clash_pose_apply(device_from_target, shape->as.sphere.center);
        return NULL;
    case CLASH_SHAPE_CAPSULE:
        shape->as.capsule.base = clash_pose_apply(device_from_target, shape->as.capsule.base);
        shape->as.capsule.tip = clash_pose_apply(device_from_target, shape->as.capsule.tip);
        return NULL;
    case CLASH_SHAPE_BOX:
        shape->as.box.center = clash_pose_apply(device_from_target, shape->as.box.center);
        shape->as.box.orientation = clash_quat_mul(device_from_target->orientation, shape->as.box.orientation);
        return NULL;
    case CLASH_SHAPE_MESH:
        return pose_is_same(device_from_target, &origin) ? NULL : "pose: expected the identity for a mesh on a device";
    case CLASH_SHAPE_TERRAIN:
        break;
    }
    return "device: expected none for a terrain";
}

/* Return NULL, or the number that is wrong. Creating a mesh or terrain has checked its numbers. */
static const char *check_shape(const clash_shape *shape)
{
    const clash_box *box = &shape->as.box;

    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        if (clash_vec3_is_within(shape->as.sphere.center, CLASH_COORDINATE_MAX) &&
            is_within(shape->as.sphere.radius, 0.0f, CLASH_COORDINATE_MAX))
            return NULL;
        return "shape: expected a finite centre up to 10000 m and a radius of at least 0";
    case CLASH_SHAPE_CAPSULE:
        return is_capsule(&shape->as.capsule) ? NULL
                                              : "shape: expected finite ends up to 10000 m and a radius of at least 0";
    case CLASH_SHAPE_BOX:
        if (clash_vec3_is_within(box->center, CLASH_COORDINATE_MAX) &&
            is_within(box->half.x, 0.0f, CLASH_COORDINATE_MAX) && is_within(box->half.y, 0.0f, CLASH_COORDINATE_MAX) &&
            is_within(box->half.z, 0.0f, CLASH_COORDINATE_MAX) &&
            clash_quat_is_unit(box->orientation, POSE_UNIT_TOLERANCE))
            return NULL;
        return "shape: expected a finite centre up to 10000 m, halves of at least 0 and a unit quaternion";
    case CLASH_SHAPE_MESH:
        return shape->as.mesh ? NULL : "shape: expected a mesh";
    case CLASH_SHAPE_TERRAIN:
        return shape->as.terrain ? NULL : "shape: expected a terrain";
    }
    return "shape.kind: expected a clash_shape_kind";
}

static const char *check_target(const clash_target *target, const clash_pose *pose)
{
    if (!target->name || strnlen(target->name, CLASH_TARGET_NAME_MAX) == CLASH_TARGET_NAME_MAX || !target->name[0])
        return "name: expected 1 to 63 bytes";
    if (target->device && strnlen(target->device, CLASH_TARGET_DEVICE_MAX) == CLASH_TARGET_DEVICE_MAX)
        return "device: expected at most 127 bytes";
    if (!clash_vec3_is_within(pose->position, CLASH_COORDINATE_MAX))
        return "pose.position: expected finite numbers up to 10000 m";
    if (!clash_quat_is_unit(pose->orientation, POSE_UNIT_TOLERANCE))
        return "pose.orientation: expected a unit quaternion";
    return check_shape(&target->shape);
}

static bool shape_is_same(const clash_shape *a, const clash_shape *b)
{
    const clash_pose p = {a->as.box.orientation, a->as.box.center}, q = {b->as.box.orientation, b->as.box.center};

    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CLASH_SHAPE_SPHERE:
        return clash_vec3_is_same(&a->as.sphere.center, &b->as.sphere.center) &&
               a->as.sphere.radius == b->as.sphere.radius;
    case CLASH_SHAPE_CAPSULE:
        return clash_capsule_is_same(&a->as.capsule, &b->as.capsule);
    case CLASH_SHAPE_BOX:
        return pose_is_same(&p, &q) && clash_vec3_is_same(&a->as.box.half, &b->as.box.half);
    case CLASH_SHAPE_MESH:
        return a->as.mesh == b->as.mesh;
    case CLASH_SHAPE_TERRAIN:
        return a->as.terrain == b->as.terrain;
    }
    return false;
}

static bool target_is_same(const pipeline_target *a, const pipeline_target *b)
{
    return a->is_static == b->is_static && a->device == b->device && pose_is_same(&a->pose, &b->pose) &&
           clash_layers_are_same(&a->layers, &b->layers) && shape_is_same(&a->shape, &b->shape);
}

const char *clash_world_set_target(clash_world *world, const clash_target *target)
{
    const clash_quat q = target->pose.orientation;
    pipeline_target set = {.is_static = !target->device || !target->device[0],
                           .pose = target->pose,
                           .layers = target->layers,
                           .shape = target->shape};
    const pipeline_target *known;
    const char *reason;

    if (q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 0.0f)
        set.pose.orientation.w = 1.0f;
    reason = check_target(target, &set.pose);
    if (!reason && !set.is_static)
        reason = place(&set.pose, &set.shape);
    if (reason)
        return reason;
    begin_events(world);
    memcpy(set.name, target->name, strlen(target->name));
    known = pipeline_find_target(world->pipeline, set.name);
    if (!known && pipeline_find_blade(world->pipeline, set.name))
        return "name: a blade has it";
    if (!set.is_static && (set.device = pipeline_device(world->pipeline, target->device)) == UINT32_MAX)
        return "device: no room for one more";
    if (known && target_is_same(known, &set))
        return NULL;
    pipeline_remove_target(world->pipeline, set.name);
    return pipeline_add_target(world->pipeline, &set);
}

bool clash_world_remove(clash_world *world, const char *name)
{
    if (!name)
        return false;
    begin_events(world);
    return pipeline_remove_blade(world->pipeline, name) == 0 || pipeline_remove_target(world->pipeline, name) == 0;
}

/* ---- samples and steps ---- */

static void add(clash_world *w, const pending *added)
{
    const pending *last = w->pending_count > 0 ? &w->pending[w->pending_count - 1] : NULL;

    begin_events(w);
    if (added->time_ns < -CLASH_TIME_MAX_NS || added->time_ns > CLASH_TIME_MAX_NS) {
        w->refused_time++;
        return;
    }
    if (!array_grow(&w->pending, w->pending_count, &w->pending_capacity, sizeof *w->pending) || !w->pending) {
        w->starved++;
        return;
    }
    w->is_pending_sorted = w->is_pending_sorted && (!last || last->time_ns <= added->time_ns);
    w->pending[w->pending_count] = *added;
    w->pending[w->pending_count++].order = w->added++;
}

void clash_world_add_sample(clash_world *world, uint32_t device, int64_t time_ns, const clash_pose *pose,
                            uint32_t flags)
{
    pending added = {.time_ns = time_ns, .sample = {.device = device, .flags = flags & SAMPLE_FLAGS}};

    if (!pose)
        added.sample.flags &= ~(uint32_t)CLASH_SAMPLE_VALID;
    else
        added.sample.pose = *pose;
    if (!(added.sample.flags & CLASH_SAMPLE_VALID))
        added.sample.flags &= (uint32_t)CLASH_SAMPLE_TELEPORT;
    add(world, &added);
}

void clash_world_cut(clash_world *world, uint32_t device, int64_t time_ns)
{
    add(world, &(pending){.time_ns = time_ns, .is_cut = true, .sample.device = device});
}

/* Take one cut, or all samples with the time of the first one up to the next cut. Return the index after them. */
static size_t take_time(clash_world *w, size_t from)
{
    pose_frame frame = {.time_ns = w->pending[from].time_ns};
    size_t i = from;

    if (w->pending[from].is_cut) {
        pipeline_cut(w->pipeline, w->pending[from].sample.device, frame.time_ns);
        return from + 1;
    }
    for (; i < w->pending_count && w->pending[i].time_ns == frame.time_ns && !w->pending[i].is_cut; i++) {
        if (frame.count == POSE_FRAME_SAMPLES_MAX) {
            frame.more = true;
            pipeline_frame(w->pipeline, &frame);
            frame.count = 0;
        }
        frame.samples[frame.count++] = w->pending[i].sample;
    }
    frame.more = false;
    pipeline_frame(w->pipeline, &frame);
    return i;
}

clash_events clash_world_step(clash_world *world)
{
    pending one;

    begin_events(world);
    if (!world->is_pending_sorted)
        shell_sort(world->pending, world->pending_count, sizeof *world->pending, &one, pending_is_before);
    for (size_t i = 0; i < world->pending_count;)
        i = take_time(world, i);
    world->pending_count = 0;
    world->is_pending_sorted = true;
    return return_events(world);
}

clash_world_counters clash_world_get_counters(const clash_world *world)
{
    const pipeline_counters *c = pipeline_get_counters(world->pipeline);

    return (clash_world_counters){.samples = c->samples,
                                  .refused_late = c->refused_late + world->refused_time,
                                  .refused_not_finite = c->refused_not_finite,
                                  .refused_too_far = c->refused_too_far,
                                  .refused_not_unit = c->refused_not_unit,
                                  .refused_unknown = c->refused_unknown,
                                  .replaced = c->replaced,
                                  .cuts = c->cuts,
                                  .overruns = c->overruns,
                                  .sweeps = c->sweeps,
                                  .contacts = c->contacts,
                                  .starved = c->starved + world->starved};
}

bool clash_world_pose_at(const clash_world *world, uint32_t device, int64_t time_ns, clash_pose *out_pose)
{
    clash_pose pose;

    if (!pipeline_pose_at(world->pipeline, device, time_ns, &pose))
        return false;
    *out_pose = pose;
    return true;
}
