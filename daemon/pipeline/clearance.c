/* Until when nothing can meet; see pipeline_apart_until(). For each pair take the distance now and how fast it can
 * shrink: by both blades' speed at their faster ends, plus what hands can add. */
#include "pipeline_private.h"

#include <math.h>

/* m/s^2, of a blade's ends: a tip that circles at 30 m/s and 1 m needs 900. Faster contacts are found all the same,
 * only between samples that are further apart. */
#define ACCELERATION 1000.0
/* With more others than this, looking for the nearest costs more than sampling. */
#define OTHERS_MAX 256
/* A device silent for so long is ignored: its track starts again when it comes back. */
#define STALE_NS INT64_C(100000000)
/* The same of another machine's, whose samples come late. */
#define PEER_STALE_NS INT64_C(2000000000)

/* A blade at its last sample, or a carried target as a ball. */
typedef struct mover {
    clash_vec3 base, tip;
    float radius;
    double speed; /* m/s, of the faster end */
    int64_t time_ns;
} mover;

typedef enum presence { PRESENCE_NONE, PRESENCE_UNKNOWN, PRESENCE_MOVING } presence;

static presence look_at(const pipeline *p, uint32_t slot, int64_t now_ns, mover *out)
{
    const last_motion *motion = &p->swept_aabbs.all[slot];
    const clash_body *body = &p->swept_aabbs.bodies[slot];
    const int64_t stale_ns = p->blades.slots[slot].is.properties.is_peer ? PEER_STALE_NS : STALE_NS;

    if (motion->last_ns == INT64_MIN || now_ns - motion->last_ns > stale_ns)
        return PRESENCE_NONE;
    if (motion->from_ns >= motion->last_ns)
        return PRESENCE_UNKNOWN;
    out->base = clash_pose_apply(&body->motion.to, body->shape.base);
    out->tip = clash_pose_apply(&body->motion.to, body->shape.tip);
    out->radius = body->shape.radius;
    out->time_ns = motion->last_ns;
    out->speed = fmax((double)clash_vec3_distance(clash_pose_apply(&body->motion.from, body->shape.base), out->base),
                      (double)clash_vec3_distance(clash_pose_apply(&body->motion.from, body->shape.tip), out->tip)) /
                 ((double)(motion->last_ns - motion->from_ns) * 1e-9);
    return PRESENCE_MOVING;
}

/* Return the ns after which a gap that shrinks at `speed` and accelerates can be closed; 0 if there is no gap. */
static int64_t time_to_close(double gap, double speed, double acceleration)
{
    if (!(gap > 0.0))
        return 0;
    return (int64_t)(1e9 * (sqrt(speed * speed + 2.0 * acceleration * gap) - speed) / acceleration);
}

static int64_t apart_from_static(const pipeline *p, const mover *blade, const pipeline_target *target)
{
    const double distance = (double)clash_shape_distance(blade->base, blade->tip, &target->shape, &target->pose, NULL);

    return blade->time_ns +
           time_to_close(distance - (double)(blade->radius + p->settings.margin), blade->speed, ACCELERATION);
}

static int64_t apart_from(const pipeline *p, const mover *blade, uint32_t other, int64_t now_ns)
{
    const blade_slot *o = &p->blades.slots[other];
    mover b;
    presence there;
    double gap;

    if (o->target && o->target->is_static)
        return apart_from_static(p, blade, o->target);
    there = look_at(p, other, now_ns, &b);
    if (there != PRESENCE_MOVING)
        return there == PRESENCE_NONE ? INT64_MAX : now_ns;
    gap = (double)(clash_segment_distance(blade->base, blade->tip, b.base, b.tip, NULL) - blade->radius - b.radius -
                   p->settings.margin);
    return (b.time_ns < blade->time_ns ? b.time_ns : blade->time_ns) +
           time_to_close(gap, blade->speed + b.speed, 2.0 * ACCELERATION);
}

static int64_t blade_apart_until(const pipeline *p, uint32_t slot, int64_t now_ns)
{
    const uint32_t device = p->blades.slots[slot].is.device;
    blades_walk walk = {0};
    int64_t until_ns = INT64_MAX;
    mover blade;
    presence there = look_at(p, slot, now_ns, &blade);

    if (there != PRESENCE_MOVING)
        return there == PRESENCE_NONE ? INT64_MAX : now_ns;
    for (uint32_t other; until_ns > now_ns && (other = blades_next(&p->blades, &walk)) != LOOKUP_NONE;) {
        int64_t pair_ns;

        if (p->blades.slots[other].is.device == device || !blades_can_meet(&p->blades, slot, other))
            continue;
        pair_ns = apart_from(p, &blade, other, now_ns);
        until_ns = pair_ns < until_ns ? pair_ns : until_ns;
    }
    return until_ns;
}

int64_t pipeline_apart_until(const pipeline *p, const pose_frame *frame)
{
    int64_t until_ns = INT64_MAX;

    if (p->is_in_step || p->step.part != STEP_NONE || p->blades.blades.count + p->blades.targets.count > OTHERS_MAX)
        return frame->time_ns;
    for (uint32_t i = 0; i < frame->count && until_ns > frame->time_ns; i++) {
        const device_slot *device = devices_get(&p->devices, frame->samples[i].device);

        for (uint32_t slot = device ? device->first_blade : LOOKUP_NONE; slot != LOOKUP_NONE;
             slot = p->blades.slots[slot].next) {
            int64_t blade_ns = blade_apart_until(p, slot, frame->time_ns);

            until_ns = blade_ns < until_ns ? blade_ns : until_ns;
        }
    }
    return until_ns;
}
