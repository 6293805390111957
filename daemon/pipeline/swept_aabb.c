/* The last motion gets a tight box, since it decides nearly all pairs. Earlier motions, needed only if devices have
 * different rates, get a loose one: the origin's path with the blade's whole length around it. */
#include "swept_aabb.h"
#include "cli/array.h"

#include <math.h>
#include <stdlib.h>

/* m. Far above what counts as touching (1 nm), far below what anybody would notice. */
#define SLACK 1e-6f
/* m. Beyond any coordinate, yet differences stay finite. */
#define EVERYWHERE 1e38f
/* Relative: more than float rounding moves. */
#define ROUNDING 1e-6

static const clash_bounds nowhere = {{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
static const clash_bounds everywhere = {{-EVERYWHERE, -EVERYWHERE, -EVERYWHERE}, {EVERYWHERE, EVERYWHERE, EVERYWHERE}};

void swept_aabbs_change(swept_aabbs *s, const pipeline_settings *settings)
{
    s->widening = settings->margin * 0.500001f + SLACK;
    s->is_boundless = settings->every_pair;
}

void swept_aabbs_init(swept_aabbs *s, const pipeline_settings *settings)
{
    *s = (swept_aabbs){.all = NULL};
    swept_aabbs_change(s, settings);
}

void swept_aabbs_finish(swept_aabbs *s)
{
    free(s->all);
    free(s->bodies);
    free(s->boxes);
    free(s->devices);
    free(s->moved);
}

bool swept_aabbs_reserve(swept_aabbs *s, uint32_t slots)
{
    size_t capacity = slots + slots / 2 + 8;

    if (slots <= s->capacity)
        return true;
    if (!array_resize(&s->all, capacity, sizeof *s->all) || !array_resize(&s->bodies, capacity, sizeof *s->bodies) ||
        !array_resize(&s->boxes, capacity, sizeof *s->boxes) ||
        !array_resize(&s->devices, capacity, sizeof *s->devices) ||
        !array_resize(&s->moved, capacity, sizeof *s->moved))
        return false;
    s->capacity = (uint32_t)capacity;
    return true;
}

/* Clamp the box: positions near the end of float's range have boxes beyond it, and two such boxes must still meet. */
static clash_bounds within_range(clash_bounds box)
{
    float *sides = &box.low.x;

    if (box.low.x >= -EVERYWHERE && box.low.y >= -EVERYWHERE && box.low.z >= -EVERYWHERE && box.high.x <= EVERYWHERE &&
        box.high.y <= EVERYWHERE && box.high.z <= EVERYWHERE)
        return box; /* nearly always: no high side is below its low one but that of a box around nothing */
    for (int i = 0; i < 6; i++)
        sides[i] = sides[i] < -EVERYWHERE ? -EVERYWHERE : sides[i] > EVERYWHERE ? EVERYWHERE : sides[i];
    return box;
}

static float distance_to_axis(const clash_capsule *axis, clash_vec3 point)
{
    return clash_segment_distance(axis->base, axis->tip, point, point, NULL);
}

static clash_vec3 end_of(const clash_sword *sword, uint32_t end)
{
    const clash_capsule *capsule = &sword->capsules[end / 2];

    return end % 2 == 0 ? capsule->base : capsule->tip;
}

/* Return a capsule around a sword, along the two ends that are furthest apart. Capsules are the hulls of their ends'
 * balls: if it contains those, it contains all. */
static clash_capsule capsule_around(const clash_sword *sword)
{
    uint32_t ends = 2 * sword->capsule_count;
    clash_capsule around = {.base = end_of(sword, 0), .tip = end_of(sword, 0)};
    float longest = 0.0f;

    for (uint32_t i = 0; i < ends; i++)
        for (uint32_t k = 0; k < i; k++) {
            clash_vec3 a = end_of(sword, k), b = end_of(sword, i);
            float length = clash_vec3_length((clash_vec3){b.x - a.x, b.y - a.y, b.z - a.z});

            if (length <= longest)
                continue;
            longest = length;
            around.base = a;
            around.tip = b;
        }
    for (uint32_t i = 0; i < ends; i++) {
        float needed = distance_to_axis(&around, end_of(sword, i)) + sword->capsules[i / 2].radius;

        around.radius = needed > around.radius ? needed : around.radius;
    }
    around.radius += (float)ROUNDING * (around.radius + longest);
    return around;
}

/* What can touch nothing is nowhere and never moves, so that no search comes upon it. */
static void leave_out(swept_aabbs *s, uint32_t slot)
{
    s->all[slot] = (last_motion){.from_ns = INT64_MIN, .last_ns = INT64_MIN};
    s->boxes[slot] = nowhere;
}

void swept_aabbs_enter(swept_aabbs *s, uint32_t slot, const blade_slot *b)
{
    s->devices[slot] = b->is.device;
    s->bodies[slot].shape = b->is.sword ? capsule_around(b->is.sword) : b->is.properties.shape;
}

/* Return the radius of a ball around the origin that contains the box: its length along each axis, combined. */
static float radius_around(clash_bounds box)
{
    clash_vec3 corner = {fmaxf(-box.low.x, box.high.x), fmaxf(-box.low.y, box.high.y), fmaxf(-box.low.z, box.high.z)};

    return clash_vec3_length(corner) * (1.0f + (float)ROUNDING);
}

void swept_aabbs_enter_target(swept_aabbs *s, uint32_t slot, const blade_slot *b, const clash_collider *rest)
{
    s->devices[slot] = b->is.device;
    s->boxes[slot] = s->is_boundless ? everywhere : within_range(clash_collider_bounds(rest, s->widening));
    s->bodies[slot].shape = (clash_capsule){.radius = radius_around(clash_collider_bounds(rest, 0.0f))};
    s->bodies[slot].motion = *rest->motion;
    s->all[slot] = (last_motion){.from_ns = INT64_MIN, .last_ns = INT64_MAX};
    if (!b->layers)
        leave_out(s, slot);
}

/* For a sword use the box around its capsules, which is tighter than that of the capsule around them all; the same for
 * targets. */
static clash_bounds box_of_body(const swept_aabbs *s, const clash_body *body, const blade_slot *b)
{
    clash_collider collider =
        b->target ? clash_collider_of_shape(&b->target->shape, &body->motion) : blade_collider(&b->is, &body->motion);

    return clash_collider_bounds(&collider, s->widening);
}

void swept_aabbs_update(swept_aabbs *s, uint32_t slot, const blade_slot *b, const device_slot *d)
{
    const track *t = &d->track;
    last_motion *motion = &s->all[slot];

    if (!b->layers) {
        leave_out(s, slot);
        return;
    }
    motion->last_ns = motion->from_ns = track_is_empty(t) ? INT64_MIN : track_last(t)->time_ns;
    motion->moved = d->moved;
    s->boxes[slot] = nowhere;
    if (!track_ends_in_motion(t))
        return;
    motion->from_ns = track_at(t, t->end - 2)->time_ns;
    s->bodies[slot].motion = (clash_motion){track_at(t, t->end - 2)->pose, track_last(t)->pose};
    s->boxes[slot] = s->is_boundless ? everywhere : within_range(box_of_body(s, &s->bodies[slot], b));
    if (d->moved)
        s->moved[s->moved_count++] = slot;
}

void swept_aabbs_end_step(swept_aabbs *s)
{
    for (uint32_t i = 0; i < s->moved_count; i++)
        s->all[s->moved[i]].moved = false;
    s->moved_count = 0;
}

void swept_aabbs_clear(swept_aabbs *s, uint32_t slot)
{
    leave_out(s, slot);
    s->devices[slot] = LOOKUP_NONE;
}

/* Return the box of the origin's straight way from a to b, widened by `around`, and by the rounding of its few float
 * sums. */
static clash_bounds box_of_way(clash_vec3 a, clash_vec3 b, float around)
{
    const float *p = &a.x, *q = &b.x;
    float sides[6];

    for (int i = 0; i < 3; i++) {
        double side = (1.0 + ROUNDING) * (double)around;
        double low = (double)fminf(p[i], q[i]) - side, high = (double)fmaxf(p[i], q[i]) + side;

        sides[i] = (float)(low - ROUNDING * fabs(low));
        sides[i + 3] = (float)(high + ROUNDING * fabs(high));
    }
    return within_range((clash_bounds){{sides[0], sides[1], sides[2]}, {sides[3], sides[4], sides[5]}});
}

/* Return the box around all motions of that time. */
static bool box_of_history(const clash_capsule *shape, float widening, const track *t, int64_t since_ns,
                           int64_t until_ns, clash_bounds *out_box)
{
    float base = clash_vec3_length(shape->base), tip = clash_vec3_length(shape->tip);
    float around = (base > tip ? base : tip) + shape->radius + widening;
    bool found = false;

    for (uint64_t i = track_find(t, since_ns); i + 1 < t->end && track_at(t, i)->time_ns < until_ns; i++) {
        const track_sample *from = track_at(t, i), *to = track_at(t, i + 1);
        clash_bounds way;

        if (from->segment != to->segment)
            continue;
        way = box_of_way(from->pose.position, to->pose.position, around);
        *out_box = found ? clash_bounds_union(*out_box, way) : way;
        found = true;
    }
    return found;
}

bool swept_aabbs_window(const swept_aabbs *s, uint32_t slot, const track *t, int64_t since_ns, int64_t until_ns,
                        clash_bounds *out_box)
{
    const last_motion *motion = &s->all[slot];

    if (motion->last_ns <= since_ns)
        return false;
    *out_box = s->boxes[slot];
    if (motion->from_ns <= since_ns)
        return true;
    if (s->is_boundless || track_find(t, since_ns) < track_first(t)) {
        *out_box = everywhere;
        return true;
    }
    return box_of_history(&s->bodies[slot].shape, s->widening, t, since_ns, until_ns, out_box);
}
