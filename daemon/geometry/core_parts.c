/* Blades made of several capsules: the searches of pair_time_of_impact.h over the least clearance of all pairs of
 * parts. The first touch of any two parts is the earliest of their first touches. The blades separate
 * when the last two parts in touch do, which is found by going from one such pair to the next. Pairs of parts are
 * prepared again for each look, so that many parts need no more stack than few. Pure. */
#include "core_unit.h"

/** The pairs of parts that matter in one interval. */
typedef struct parts_view {
    const clash_collider *a, *b;
    uint32_t count;
    unsigned char pairs[CLASH_PARTS_MAX * CLASH_PARTS_MAX][2];
} parts_view;

/** Two parts, prepared. */
typedef struct parts_pair {
    pair p;
    double radii;
} parts_pair;

static void parts_prepare_two(parts_pair *out, const clash_collider *a, size_t i, const clash_collider *b, size_t j)
{
    clash_body one = body_of(a, i), other = body_of(b, j);

    pair_prepare(&out->p, &one, a->span, &other, b->span);
    out->radii = (double)one.shape.radius + (double)other.shape.radius;
}

static void parts_prepare(parts_pair *out, const parts_view *v, uint32_t k)
{
    parts_prepare_two(out, v->a, v->pairs[k][0], v->b, v->pairs[k][1]);
}

/** Return one capsule around all parts, from the first one's base to the last one's tip: around the hull of the balls
 *  at their ends. */
static clash_body parts_cover(const clash_collider *parts)
{
    clash_body cover = {{parts->capsules[0].base, parts->capsules[parts->capsule_count - 1].tip, 0.0f}, *parts->motion};
    dvec base = dvec_from(cover.shape.base), axis = dvec_sub(dvec_from(cover.shape.tip), base), none = {0.0, 0.0, 0.0};
    double radius = 0.0;

    for (size_t i = 0; i < parts->capsule_count; i++) {
        const clash_capsule *c = &parts->capsules[i];
        closest near_base = closest_of_segments(dvec_sub(dvec_from(c->base), base), axis, none);
        closest near_tip = closest_of_segments(dvec_sub(dvec_from(c->tip), base), axis, none);
        double reach = sqrt(max_of(near_base.distance_squared, near_tip.distance_squared));

        radius = max_of(radius, reach + (double)c->radius);
    }
    cover.shape.radius = (float)(radius * COVER_SAFETY);
    return cover;
}

/** Return whether two bodies may come within `margin`; false is proven. The quick proof needs whole motions over the
 *  same time. */
static bool parts_may_meet(const clash_body *one, clash_span span_one, const clash_body *other, clash_span span_other,
                           double margin)
{
    double limit = (double)one->shape.radius + (double)other->shape.radius + margin;
    pair_toi search;
    pair p;

    if (span_one.from == span_other.from && span_one.to == span_other.to)
        return !separation_proves_apart(one, other, limit);
    pair_prepare(&p, one, span_one, other, span_other);
    return pair_first_within(&p, limit, 0.0, 1.0, &search);
}

/** Mark the parts that may come within `margin` of any part of the other blade. */
static void parts_mark_near(const clash_collider *a, const clash_collider *b, double margin,
                            bool out_near[CLASH_PARTS_MAX])
{
    clash_body cover = parts_cover(b);

    for (size_t i = 0; i < a->capsule_count; i++) {
        clash_body part = body_of(a, i);

        out_near[i] = parts_may_meet(&part, a->span, &cover, b->span, margin);
    }
}

/** List all pairs except those proven to stay beyond `margin`: these neither start a contact nor hold one. */
static void parts_view_of(parts_view *out, const clash_collider *a, const clash_collider *b, double margin)
{
    bool near_a[CLASH_PARTS_MAX], near_b[CLASH_PARTS_MAX];

    parts_mark_near(a, b, margin, near_a);
    parts_mark_near(b, a, margin, near_b);
    out->a = a;
    out->b = b;
    out->count = 0;
    for (size_t i = 0; i < a->capsule_count; i++) {
        for (size_t j = 0; j < b->capsule_count; j++) {
            clash_body one = body_of(a, i), other = body_of(b, j);

            if (!near_a[i] || !near_b[j] || !parts_may_meet(&one, a->span, &other, b->span, margin))
                continue;
            out->pairs[out->count][0] = (unsigned char)i;
            out->pairs[out->count][1] = (unsigned char)j;
            out->count++;
        }
    }
}

/** Find the first x in from..1 at which any two parts are within `margin`. */
static bool parts_first_within(const parts_view *v, double margin, double from, double *out_x)
{
    bool found = false;
    double until = 1.0;

    for (uint32_t k = 0; k < v->count; k++) {
        parts_pair pp;
        pair_toi search;

        parts_prepare(&pp, v, k);
        if (!pair_first_within(&pp.p, pp.radii + margin, from, until, &search))
            continue;
        found = true;
        until = search.x;
        if (until <= from)
            break;
    }
    *out_x = until;
    return found;
}

/** Find the first x in from..1 at which all parts are at least `end_margin` from each other, if they touch at
 *  `start_margin`. */
static bool parts_first_beyond(const parts_view *v, double start_margin, double end_margin, double from, double *out_x)
{
    double x = from;

    for (int turn = 0; turn < CLASH_PARTS_TURNS_MAX; turn++) {
        double before = x;

        for (uint32_t k = 0; k < v->count; k++) {
            parts_pair pp;
            pair_toi search;
            double margin;

            parts_prepare(&pp, v, k);
            margin = end_after(start_margin, end_margin, pp.p.tolerance);
            if (!pair_first_beyond(&pp.p, pp.radii + margin, x, 1.0, &search))
                return false;
            x = search.x;
        }
        if (turn > 0 && x == before) {
            *out_x = x;
            return true;
        }
    }
    return false;
}

/** Lower the state's least clearance to that of two parts over from..to, like min_distance in core.c. */
static void parts_lower(clash_contact_state *state, const parts_pair *pp, double from, double to)
{
    pair_state ends[2];
    double high = (double)state->min_clearance + pp->radii, low = 0.0;

    pair_at(&pp->p, from, &ends[0]);
    pair_at(&pp->p, to, &ends[1]);
    high = min_of(high, min_of(ends[0].distance, ends[1].distance));
    /* usually one search shows that these parts are not the nearest */
    for (double middle = high - MIN_DISTANCE_RESOLUTION; is_range(low, high); middle = 0.5 * (low + high)) {
        pair_toi search;

        if (middle <= low || middle >= high)
            break;
        if (pair_first_within(&pp->p, middle, from, to, &search))
            high = min_of(middle, search.state.distance);
        else
            low = middle;
    }
    if (high >= (double)state->min_clearance + pp->radii)
        return;
    state->min_clearance = (float)(high - pp->radii);
    state->min_distance = (float)high;
}

/** The two parts with the least clearance at one time. */
typedef struct parts_nearest {
    uint32_t parts[2];
    parts_pair pair;
    pair_state state;
} parts_nearest;

/** The axis of one part at one time, from a's origin. */
typedef struct parts_axis {
    dvec base, axis;
} parts_axis;

/** Of side 0 or 1 of a prepared pair. */
static parts_axis parts_axis_of(const pair_state *state, int side)
{
    dvec base = f64x4_vec_get(&state->ends, 2 * side);

    return (parts_axis){base, dvec_sub(f64x4_vec_get(&state->ends, 2 * side + 1), base)};
}

/** Return all axes, with as many prepared pairs as there are parts, not pairs of parts. */
static void parts_axes_at(const clash_collider *a, const clash_collider *b, double x,
                          parts_axis out_axes[2][CLASH_PARTS_MAX])
{
    parts_pair pp;
    pair_state state;

    for (size_t i = 0; i < a->capsule_count; i++) {
        parts_prepare_two(&pp, a, i, b, 0);
        pair_at(&pp.p, x, &state);
        out_axes[0][i] = parts_axis_of(&state, 0);
    }
    for (size_t j = 0; j < b->capsule_count; j++) {
        parts_prepare_two(&pp, a, 0, b, j);
        pair_at(&pp.p, x, &state);
        out_axes[1][j] = parts_axis_of(&state, 1);
    }
}

/** Which two parts these are. */
static void parts_find_nearest(const clash_collider *a, const clash_collider *b, double x, uint32_t out_parts[2])
{
    parts_axis ends[2][CLASH_PARTS_MAX];
    double least = INFINITY;

    parts_axes_at(a, b, x, ends);
    for (uint32_t i = 0; i < a->capsule_count; i++) {
        for (uint32_t j = 0; j < b->capsule_count; j++) {
            dvec between = dvec_sub(ends[1][j].base, ends[0][i].base);
            closest near = closest_of_segments(between, ends[0][i].axis, ends[1][j].axis);
            double clearance =
                sqrt(near.distance_squared) - (double)a->capsules[i].radius - (double)b->capsules[j].radius;

            if (!(clearance < least))
                continue;
            least = clearance;
            out_parts[0] = i;
            out_parts[1] = j;
        }
    }
}

static void parts_nearest_at(const clash_collider *a, const clash_collider *b, double x, parts_nearest *out)
{
    out->parts[0] = out->parts[1] = 0;
    if (a->capsule_count > 1 || b->capsule_count > 1)
        parts_find_nearest(a, b, x, out->parts);
    parts_prepare_two(&out->pair, a, out->parts[0], b, out->parts[1]);
    pair_at(&out->pair.p, x, &out->state);
}

/** Fill `out`. Return false if a number does not fit into a float. */
static bool parts_output(const parts_nearest *nearest, double x, clash_toi_output *out)
{
    if (!contact_of(&nearest->pair.p, x, &nearest->state, &out->contact))
        return false;
    name_parts(out, nearest->parts[0], nearest->parts[1]);
    return true;
}

static bool parts_next_change(clash_contact_state *state, const parts_view *v, double start_margin, double end_margin,
                              double *x, clash_contact_change *out_change)
{
    parts_nearest nearest;
    double until = 1.0;
    bool found = state->touching ? parts_first_beyond(v, start_margin, end_margin, *x, &until)
                                 : parts_first_within(v, start_margin, *x, &until);

    for (uint32_t k = 0; state->touching && k < v->count; k++) {
        parts_pair pp;

        parts_prepare(&pp, v, k);
        parts_lower(state, &pp, *x, until);
    }
    *x = until;
    if (!found)
        return false;
    parts_nearest_at(v->a, v->b, until, &nearest);
    if (!parts_output(&nearest, until, &out_change->impact))
        return false;
    if (!state->touching) {
        state->min_distance = out_change->impact.contact.distance;
        state->min_clearance = (float)(nearest.state.distance - nearest.pair.radii);
    }
    out_change->kind = state->touching ? CLASH_CONTACT_END : CLASH_CONTACT_START;
    out_change->min_distance = state->min_distance;
    state->touching = !state->touching;
    return true;
}

size_t CORE(parts_advance)(clash_contact_state *state, const clash_toi_input *in, clash_contact_change *out_changes)
{
    double start_margin = (double)in->margin, end_margin = start_margin + release_margin_of(in), x = 0.0;
    size_t count = 0;
    parts_view v;

    parts_view_of(&v, &in->colliders[0], &in->colliders[1], end_margin);
    while (count < CLASH_CONTACT_CHANGES_MAX &&
           parts_next_change(state, &v, start_margin, end_margin, &x, &out_changes[count]))
        count++;
    return count;
}

clash_sweep_result CORE(parts_impact)(const clash_toi_input *in, clash_toi_output *out)
{
    parts_nearest nearest;
    parts_view v;
    double x;

    parts_view_of(&v, &in->colliders[0], &in->colliders[1], (double)in->margin);
    if (!parts_first_within(&v, (double)in->margin, 0.0, &x))
        return CLASH_SWEEP_APART;
    parts_nearest_at(v.a, v.b, x, &nearest);
    if (!parts_output(&nearest, x, out))
        return CLASH_SWEEP_INVALID;
    return x > 0.0 ? CLASH_SWEEP_HIT : CLASH_SWEEP_OVERLAP;
}

clash_sweep_result CORE(parts_contact_at)(const clash_toi_input *in, double fraction, clash_toi_output *out)
{
    parts_nearest nearest;
    double limit;

    parts_nearest_at(&in->colliders[0], &in->colliders[1], fraction, &nearest);
    if (!parts_output(&nearest, fraction, out))
        return CLASH_SWEEP_INVALID;
    limit = nearest.pair.radii + (double)in->margin + nearest.pair.p.tolerance;
    return nearest.state.distance <= limit ? CLASH_SWEEP_OVERLAP : CLASH_SWEEP_APART;
}
