/* Push-out that keeps to the side a blade came from: see clash/push_out.h. Sweep the cores of the capsules, half as
 * thick, along the way: what they meet is not crossed, and each thing met gives a plane that the blade must stay
 * before, on the side it came from. Sweep the least move that all planes allow (push_out_solve.h) again, until nothing
 * is met. Pure. */
#include <clash/push_out.h>
#include <clash/time_of_impact.h>

#include "push_out_private.h"
#include "push_out_solve.h"
#include "quat.h"
#include "validate.h"

/* Planes before a place is given up: a corner takes a few, something round some more. */
#define FROM_LOOKS 32
/* The radius of what is swept, in radii: no axis has crossed yet what this meets. */
#define FROM_CORE 0.5f
/* How often a way back to the wanted place is halved. */
#define FROM_HALVINGS 10
/* Closer to something than this, m, halving gains nothing. */
#define FROM_NEAR 1e-3

/** What is met first on a way, and which capsule meets it. */
typedef struct from_touch {
    clash_sweep_result result;
    size_t capsule;
    clash_contact contact;
} from_touch;

static from_touch first_touch(const clash_push_input *t, const clash_pose *to, float share)
{
    from_touch first = {.result = CLASH_SWEEP_APART};

    for (size_t i = 0; i < t->capsule_count; i++) {
        const clash_motion motion = {*t->from, *to};
        clash_toi_input in = clash_toi_input_default();
        clash_capsule capsule = t->capsules[i];

        capsule.radius *= share;
        in.colliders[0] = clash_collider_of_capsules(&capsule, 1, &motion);
        for (size_t k = 0; k < t->obstacle_count; k++) {
            const clash_obstacle *o = &t->obstacles[k];
            const clash_motion at_rest = {o->pose, o->pose};
            clash_toi_output c;
            clash_sweep_result result;

            in.colliders[1] = clash_collider_of_shape(&o->shape, &at_rest);
            result = clash_time_of_impact(&in, &c);
            if (result == CLASH_SWEEP_INVALID)
                return (from_touch){.result = CLASH_SWEEP_INVALID};
            if (result == CLASH_SWEEP_APART ||
                (first.result != CLASH_SWEEP_APART && c.contact.fraction >= first.contact.fraction))
                continue;
            first = (from_touch){result, i, c.contact};
        }
    }
    return first;
}

static bool is_clear(const clash_push_input *t, const clash_pose *to)
{
    return first_touch(t, to, FROM_CORE).result == CLASH_SWEEP_APART;
}

/** Return the deepest overlap at a pose; depth NaN beyond the range of float. */
static clash_overlap deepest(const clash_push_input *t, const clash_pose *at)
{
    clash_overlap all = {.depth = -INFINITY}, one;

    for (size_t i = 0; i < t->capsule_count; i++) {
        for (size_t k = 0; k < t->obstacle_count; k++) {
            if (!push_out_overlap_two_sided(&t->capsules[i], at, &t->obstacles[k], &one))
                return (clash_overlap){.depth = (float)NAN};
            if (one.depth > all.depth)
                all = one;
        }
    }
    return all;
}

static bool is_outside(const clash_push_input *t, const clash_pose *at)
{
    return deepest(t, at).depth <= CLASH_PUSH_DEPTH;
}

static clash_pose moved(const clash_push_input *t, dvec x)
{
    return (clash_pose){t->pose.orientation, dvec_round(dvec_add(dvec_from(t->pose.position), x))};
}

/** Return the plane between what was met and the capsule when it met it. All of the capsule must stay before the
 *  plane. */
static push_out_plane plane_of(const clash_push_input *t, const clash_pose *to, const from_touch *touch)
{
    const clash_contact *c = &touch->contact;
    const clash_capsule *capsule = &t->capsules[touch->capsule];
    const clash_motion motion = {*t->from, *to};
    dquat turn = dquat_from(t->pose.orientation);
    dvec n = dvec_scale(dvec_from(c->normal), -1.0);
    dvec from = dvec_sub(dvec_from(t->pose.position), dvec_from(c->points[1]));
    double base, tip;

    /* if the axis itself meets a surface: a surface has two sides */
    if (c->distance <= 0.0f && dvec_dot(n, dvec_from(clash_motion_velocity(&motion, c->fraction, c->points[0]))) > 0.0)
        n = dvec_scale(n, -1.0);
    base = dvec_dot(n, dvec_add(from, dquat_rotate(turn, dvec_from(capsule->base))));
    tip = dvec_dot(n, dvec_add(from, dquat_rotate(turn, dvec_from(capsule->tip))));
    return (push_out_plane){n, (double)capsule->radius - min_of(base, tip)};
}

/** Bring a place nearer to the wanted one, if there is room. */
static dvec shortened(const clash_push_input *t, dvec x)
{
    double share = 1.0, low = 0.0;

    for (int i = 0; i < FROM_HALVINGS; i++) {
        double middle = 0.5 * (low + share);
        clash_pose at = moved(t, dvec_scale(x, middle));

        if (is_outside(t, &at) && is_clear(t, &at))
            share = middle;
        else
            low = middle;
    }
    return dvec_scale(x, share);
}

/** Find the least move that leaves the blade outside everything, and before everything on its way. */
static bool gather_planes(const clash_push_input *t, dvec *out_x)
{
    push_out_plane planes[FROM_LOOKS];
    dvec x = {0.0, 0.0, 0.0};

    for (int count = 0; count < FROM_LOOKS; count++) {
        clash_pose at = moved(t, x);
        from_touch touch = first_touch(t, &at, FROM_CORE);
        clash_overlap o;

        if (touch.result == CLASH_SWEEP_INVALID || touch.result == CLASH_SWEEP_OVERLAP)
            return false;
        if (touch.result == CLASH_SWEEP_HIT) {
            planes[count] = plane_of(t, &at, &touch);
        } else {
            o = deepest(t, &at);
            if (o.depth <= 0.5f * CLASH_PUSH_DEPTH) {
                *out_x = (double)o.depth > -FROM_NEAR ? x : shortened(t, x);
                return true;
            }
            planes[count] = (push_out_plane){dvec_from(o.normal), dvec_dot(dvec_from(o.normal), x) + (double)o.depth};
        }
        if (!isfinite(planes[count].least) || !push_out_solve(planes, count + 1, &x) ||
            dvec_length(x) > (double)t->reach)
            return false;
    }
    return false;
}

/** Take a place as the answer if it is valid and nearer than the last one. */
static void try_place(const clash_push_input *t, const clash_pose *at, double *least, clash_pose *out_pose)
{
    double length = dvec_length(dvec_sub(dvec_from(at->position), dvec_from(t->pose.position)));

    if (length <= (double)t->reach && length < *least && is_outside(t, at) && is_clear(t, at)) {
        *least = length;
        *out_pose = *at;
    }
}

/** If no way aside is found: go as far as it came, or turn in place. */
static bool stay_before(const clash_push_input *t, clash_pose *out_pose)
{
    const clash_motion motion = {*t->from, t->pose};
    from_touch touch = first_touch(t, &t->pose, 1.0f);
    clash_pose here = {t->pose.orientation, t->from->position}, there = here;
    double least = INFINITY;

    if (touch.result == CLASH_SWEEP_HIT)
        there.position = clash_motion_at(&motion, touch.contact.fraction).position;
    try_place(t, &there, &least, out_pose);
    try_place(t, &here, &least, out_pose);
    return least < INFINITY;
}

bool push_out_from(const clash_push_input *in, clash_push_output *out, clash_push_result *out_result)
{
    const clash_motion motion = {*in->from, in->pose};
    from_touch touch;
    dvec x;

    *out_result = CLASH_PUSH_INVALID;
    if (!motion_is_valid(&motion))
        return true;
    touch = first_touch(in, &in->pose, FROM_CORE);
    if (touch.result == CLASH_SWEEP_OVERLAP) /* it came from within something, which has no side */
        return false;
    *out = (clash_push_output){in->pose, 0};
    if (touch.result == CLASH_SWEEP_APART && is_outside(in, &in->pose)) {
        *out_result = CLASH_PUSH_FREE;
        return true;
    }
    *out_result = CLASH_PUSH_MOVED;
    if (gather_planes(in, &x))
        out->pose = moved(in, x);
    else if (!stay_before(in, &out->pose))
        *out_result = CLASH_PUSH_STUCK;
    return true;
}
