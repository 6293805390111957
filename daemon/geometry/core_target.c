/* A blade of one capsule or several against a target: the sweep, one moment, and following a contact. The clearance of
 * a part is the distance of its axis from the shape minus its radius. Pure. */
#include "core_unit.h"

#include "target_contact.h"

/** A blade and a target over one interval. */
typedef struct target_meeting {
    const clash_collider *blade, *target;
    clash_capsule cover; /* around the target's shape */
    target_shape shape;
} target_meeting;

/** One part of the blade. */
typedef struct target_part {
    uint32_t index;
    double radius;
    target_motion motion;
} target_part;

/** The parts that may come near. */
typedef struct target_parts {
    uint32_t count;
    target_part parts[CLASH_PARTS_MAX];
} target_parts;

/** Return a capsule around a box, along its longest side. */
static inline clash_capsule target_cover_of_box(dvec center, dquat orientation, dvec half)
{
    dvec along = {half.x, 0.0, 0.0};
    double across = half.y * half.y + half.z * half.z;

    if (half.y > half.x && half.y >= half.z) {
        along = (dvec){0.0, half.y, 0.0};
        across = half.x * half.x + half.z * half.z;
    } else if (half.z > half.x) {
        along = (dvec){0.0, 0.0, half.z};
        across = half.x * half.x + half.y * half.y;
    }
    along = dquat_rotate(orientation, along);
    /* more than rounding the ends to float takes away */
    return (clash_capsule){dvec_round(dvec_sub(center, along)), dvec_round(dvec_add(center, along)),
                           (float)(sqrt(across) * COVER_SAFETY + 1e-6 * (dvec_sum(center) + dvec_sum(half)))};
}

static inline clash_capsule target_cover_of_surface(const surface *s)
{
    dvec low = dvec_from(s->mesh ? s->mesh->low : s->terrain->low);
    dvec high = dvec_from(s->mesh ? s->mesh->high : s->terrain->high);

    return target_cover_of_box(dvec_scale(dvec_add(low, high), 0.5), (dquat){{0.0, 0.0, 0.0}, 1.0},
                               dvec_scale(dvec_sub(high, low), 0.5));
}

static inline clash_capsule target_cover_of(const target_shape *t)
{
    const clash_shape *shape = t->is;

    if (shape->kind == CLASH_SHAPE_CAPSULE)
        return shape->as.capsule;
    if (shape->kind == CLASH_SHAPE_SPHERE)
        return (clash_capsule){shape->as.sphere.center, shape->as.sphere.center, shape->as.sphere.radius};
    if (t->is_surface)
        return target_cover_of_surface(&t->surface);
    return target_cover_of_box(t->frame.center, t->frame.orientation, t->convex.u);
}

static inline void target_meet(target_meeting *t, const clash_toi_input *in)
{
    t->blade = &in->colliders[0];
    t->target = &in->colliders[1];
    target_shape_of(&t->shape, t->target->shape);
    t->cover = target_cover_of(&t->shape);
}

static inline void target_part_of(const target_meeting *t, uint32_t index, target_part *out)
{
    clash_body part = body_of(t->blade, index);

    out->index = index;
    out->radius = (double)part.shape.radius;
    target_prepare(&out->motion, &part, t->blade->span, t->target->motion, t->target->span, t->shape.frame,
                   t->shape.size);
}

/** Return whether a part is proven to stay beyond `margin`, by the capsule around the shape. The proof is for whole
 *  motions over the same time, so it holds for any common part of them. */
static inline bool target_is_apart(const target_meeting *t, uint32_t index, double margin)
{
    clash_body part = body_of(t->blade, index), cover = {t->cover, *t->target->motion};

    return t->blade->span.from == t->target->span.from && t->blade->span.to == t->target->span.to &&
           separation_proves_apart(&part, &cover, (double)part.shape.radius + (double)t->cover.radius + margin);
}

/** List all parts except those proven to stay beyond `margin`. */
static inline void target_parts_near(const target_meeting *t, double margin, target_parts *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < t->blade->capsule_count; i++)
        if (!target_is_apart(t, i, margin))
            target_part_of(t, i, &out->parts[out->count++]);
}

/** Find the first x in from..1 at which any part is within `margin`; return the part with its state then, or NULL. */
static inline const target_part *target_parts_within(const target_meeting *t, const target_parts *parts, double margin,
                                                     double from, target_look *out_look)
{
    const target_part *first = NULL;
    double until = 1.0;

    for (uint32_t k = 0; k < parts->count; k++) {
        const target_part *part = &parts->parts[k];
        target_look look;

        if (!target_first_within(&t->shape, &part->motion, part->radius + margin, from, until, &look))
            continue;
        if (!first || look.search.state.x < until) {
            first = part;
            until = look.search.state.x;
            *out_look = look;
        }
        if (until <= from)
            break;
    }
    return first;
}

/** Find the first x in from..1 at which all parts are at least `end_margin` from the shape; see parts_first_beyond. */
static inline bool target_parts_beyond(const target_meeting *t, const target_parts *parts, double start_margin,
                                       double end_margin, double from, double *out_x)
{
    double x = from;

    for (int turn = 0; turn < CLASH_PARTS_TURNS_MAX; turn++) {
        double before = x;

        for (uint32_t k = 0; k < parts->count; k++) {
            const target_part *part = &parts->parts[k];
            double margin = end_after(start_margin, end_margin, part->motion.tolerance);
            target_look look;

            if (!target_first_beyond(&t->shape, &part->motion, part->radius + margin, x, 1.0, &look))
                return false;
            x = look.search.state.x;
        }
        if (parts->count == 1 || (turn > 0 && x == before)) {
            *out_x = x;
            return true;
        }
    }
    return false;
}

/** Find the part with the least clearance at x, of all of them, and its state. */
static inline void target_nearest_part(const target_meeting *t, double x, target_part *out_part, target_look *out_look)
{
    target_part_of(t, 0, out_part);
    target_look_at(&t->shape, &out_part->motion, x, out_look);
    for (uint32_t i = 1; i < t->blade->capsule_count; i++) {
        target_part part;
        target_look look;

        target_part_of(t, i, &part);
        target_look_at(&t->shape, &part.motion, x, &look);
        if (!(look.distance - part.radius < out_look->distance - out_part->radius))
            continue;
        *out_part = part;
        *out_look = look;
    }
}

clash_sweep_result CORE(target_impact)(const clash_toi_input *in, clash_toi_output *out)
{
    target_meeting t;
    target_parts near;
    target_look look;
    const target_part *part;

    target_meet(&t, in);
    target_parts_near(&t, (double)in->margin, &near);
    part = target_parts_within(&t, &near, (double)in->margin, 0.0, &look);
    if (!part)
        return CLASH_SWEEP_APART;
    if (!target_contact_of(&t.shape, &part->motion, &look, part->index, out))
        return CLASH_SWEEP_INVALID;
    return look.search.state.x > 0.0 ? CLASH_SWEEP_HIT : CLASH_SWEEP_OVERLAP;
}

clash_sweep_result CORE(target_contact_at)(const clash_toi_input *in, double fraction, clash_toi_output *out)
{
    target_meeting t;
    target_part part;
    target_look look;
    double limit;

    target_meet(&t, in);
    target_nearest_part(&t, fraction, &part, &look);
    if (!target_contact_of(&t.shape, &part.motion, &look, part.index, out))
        return CLASH_SWEEP_INVALID;
    limit = part.radius + (double)in->margin + part.motion.tolerance;
    return look.distance <= limit ? CLASH_SWEEP_OVERLAP : CLASH_SWEEP_APART;
}

/** Lower the state's least distance to the parts' least over from..to. */
static inline void target_lower(const target_meeting *t, const target_parts *parts, clash_contact_state *state,
                                double from, double to)
{
    for (uint32_t k = 0; k < parts->count; k++) {
        const target_part *part = &parts->parts[k];
        double before = max_of((double)state->min_clearance + part->radius, 0.0);
        double least = target_least(&t->shape, &part->motion, from, to, before);

        if (least >= before)
            continue;
        state->min_clearance = (float)(least - part->radius);
        state->min_distance = (float)least;
    }
}

static inline bool target_next_change(const target_meeting *t, const target_parts *parts, clash_contact_state *state,
                                      double start_margin, double end_margin, double *x,
                                      clash_contact_change *out_change)
{
    bool found;
    double until = 1.0;
    target_part part;
    target_look look;

    if (state->touching) {
        found = target_parts_beyond(t, parts, start_margin, end_margin, *x, &until);
        target_lower(t, parts, state, *x, until);
    } else {
        found = target_parts_within(t, parts, start_margin, *x, &look);
        until = found ? look.search.state.x : 1.0;
    }
    *x = until;
    if (!found)
        return false;
    target_nearest_part(t, until, &part, &look);
    if (!target_contact_of(&t->shape, &part.motion, &look, part.index, &out_change->impact))
        return false;
    if (!state->touching) {
        state->min_distance = out_change->impact.contact.distance;
        state->min_clearance = (float)(look.distance - part.radius);
    }
    out_change->kind = state->touching ? CLASH_CONTACT_END : CLASH_CONTACT_START;
    out_change->min_distance = state->min_distance;
    state->touching = !state->touching;
    return true;
}

/* If there are more changes than fit, see capsule_pair_advance in core.c. */
size_t CORE(target_advance)(clash_contact_state *state, const clash_toi_input *in, clash_contact_change *out_changes)
{
    double start_margin = (double)in->margin, end_margin = start_margin + release_margin_of(in), x = 0.0;
    size_t count = 0;
    target_meeting t;
    target_parts near;

    target_meet(&t, in);
    target_parts_near(&t, end_margin, &near);
    while (count < CLASH_CONTACT_CHANGES_MAX &&
           target_next_change(&t, &near, state, start_margin, end_margin, &x, &out_changes[count]))
        count++;
    return count;
}
