/* The core's entry points around the searches of pair_time_of_impact.h. CORE_NAME is the table's name in this
 * compilation. Pure. */
#include "core.h"

#include "pair_time_of_impact.h"
#include "separation_test.h"

#define MIN_DISTANCE_RESOLUTION 1e-5

/** Infinity and NaN times 0 are NaN, and so is any sum with them. */
static inline bool is_finite_sum(float distance, clash_vec3 a, clash_vec3 b, clash_vec3 c, clash_vec3 d)
{
    const float numbers[] = {distance, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
    float sum = 0.0f;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sum += numbers[i] * 0.0f;
    return sum == 0.0f;
}

/** Two axes at time x of the interval: a's base in stage space, and how the axes lie. */
typedef struct axes {
    dvec base, u, v;
    const closest *near;
    double distance, x;
} axes;

/** Turn axes into a contact in stage space. Return false if a number does not fit into a float. */
static bool contact_between(const axes *at, clash_contact *out_contact)
{
    dvec on_a = dvec_add_scaled(at->base, at->u, at->near->s);
    dvec on_b = dvec_add(on_a, at->near->w);
    clash_contact c = {
        .fraction = at->x,
        .distance = (float)at->distance,
        .midpoint = dvec_round(dvec_add_scaled(on_a, at->near->w, 0.5)),
        .points = {dvec_round(on_a), dvec_round(on_b)},
        .normal = dvec_round(closest_normal(at->near, at->u, at->v)),
        .along = {(float)at->near->s, (float)at->near->t},
    };

    if (!is_finite_sum(c.distance, c.midpoint, c.points[0], c.points[1], c.normal))
        return false;
    if (out_contact)
        *out_contact = c;
    return true;
}

static bool contact_of(const pair *p, double x, const pair_state *s, clash_contact *out_contact)
{
    dvec origin = dvec_add_scaled(p->origin, p->step, x);
    axes at = {dvec_add(origin, f64x4_vec_get(&s->ends, 0)), s->u, s->v, &s->near, s->distance, x};

    return contact_between(&at, out_contact);
}

static const clash_span whole = {0.0, 1.0};

static clash_sweep_result pair_time_of_impact(const clash_body *a, clash_span span_a, const clash_body *b,
                                              clash_span span_b, double limit, clash_contact *out_contact)
{
    pair p;
    pair_toi search;

    pair_prepare(&p, a, span_a, b, span_b);
    if (!pair_first_within(&p, limit, 0.0, 1.0, &search))
        return CLASH_SWEEP_APART;
    if (!contact_of(&p, search.x, &search.state, out_contact))
        return CLASH_SWEEP_INVALID;
    return search.x > 0.0 ? CLASH_SWEEP_HIT : CLASH_SWEEP_OVERLAP;
}

static bool is_whole(clash_span span)
{
    return span.from == 0.0 && span.to == 1.0;
}

static clash_sweep_result sweep(const clash_body *a, const clash_body *b, double limit, clash_contact *out_contact)
{
    if (separation_proves_apart(a, b, limit))
        return CLASH_SWEEP_APART;
    return pair_time_of_impact(a, whole, b, whole, limit, out_contact);
}

static clash_sweep_result sweep_near(const clash_body *a, const clash_body *b, double limit, clash_contact *out_contact)
{
    return pair_time_of_impact(a, whole, b, whole, limit, out_contact);
}

static clash_body body_of(const clash_collider *collider, size_t i)
{
    return (clash_body){collider->capsules[i], *collider->motion};
}

static void name_parts(clash_toi_output *out, uint32_t a, uint32_t b)
{
    out->surface_normal = (clash_vec3){0.0f, 0.0f, 0.0f};
    out->triangle = CLASH_NO_TRIANGLE;
    out->parts[0] = a;
    out->parts[1] = b;
}

/** Two colliders of one capsule each. */
typedef struct capsule_pair {
    clash_body a, b;
    clash_span span_a, span_b;
    double limit; /* of the axes' distance, m */
} capsule_pair;

static capsule_pair capsule_pair_of(const clash_toi_input *in)
{
    const clash_collider *a = &in->colliders[0], *b = &in->colliders[1];
    double radii = (double)a->capsules[0].radius + (double)b->capsules[0].radius;

    return (capsule_pair){body_of(a, 0), body_of(b, 0), a->span, b->span, radii + (double)in->margin};
}

static bool capsule_pair_is_apart(const capsule_pair *d)
{
    return is_whole(d->span_a) && is_whole(d->span_b) && separation_proves_apart(&d->a, &d->b, d->limit);
}

static clash_sweep_result capsule_pair_impact(const clash_toi_input *in, clash_toi_output *out)
{
    capsule_pair d = capsule_pair_of(in);
    clash_sweep_result result;

    if (capsule_pair_is_apart(&d))
        return CLASH_SWEEP_APART;
    result = pair_time_of_impact(&d.a, d.span_a, &d.b, d.span_b, d.limit, &out->contact);
    if (result == CLASH_SWEEP_HIT || result == CLASH_SWEEP_OVERLAP)
        name_parts(out, 0, 0);
    return result;
}

/** Return whether there is more to halve: between two huge distances rounding may leave nothing. */
static bool is_range(double low, double high)
{
    return high - low > MIN_DISTANCE_RESOLUTION + 1e-15 * high;
}

/** Return the least distance over from..to by halving its range: each search either finds a smaller one or proves that
 *  there is none. Also ends if doubles are further apart than the resolution. */
static double min_distance(const pair *p, double from, double to)
{
    pair_state ends;
    double low = 0.0, high;

    pair_at(p, from, &ends);
    high = ends.distance;
    pair_at(p, to, &ends);
    high = min_of(high, ends.distance);
    while (is_range(low, high)) {
        pair_toi search;
        double middle = 0.5 * (low + high);

        if (middle <= low || middle >= high)
            break;
        if (pair_first_within(p, middle, from, to, &search))
            high = min_of(middle, search.state.distance);
        else
            low = middle;
    }
    return high;
}

static double release_margin_of(const clash_toi_input *in)
{
    return (double)(in->release_margin < CLASH_CONTACT_RELEASE_MIN ? CLASH_CONTACT_RELEASE_MIN : in->release_margin);
}

/** Return the distance at which a contact ends. Hysteresis is never less than the uncertainty by rounding, far beyond
 *  CLASH_COORDINATE_MAX: a contact that begins within the tolerance of its limit must not end there. */
static double end_after(double start_limit, double end_limit, double tolerance)
{
    return max_of(end_limit, start_limit + 4.0 * tolerance);
}

/** Look for the next change from *x on; move *x there, or to the end. */
static bool next_change(clash_contact_state *state, const pair *p, double start_limit, double end_limit, double *x,
                        clash_contact_change *out_change)
{
    pair_toi search;
    bool found = state->touching
                     ? pair_first_beyond(p, end_after(start_limit, end_limit, p->tolerance), *x, 1.0, &search)
                     : pair_first_within(p, start_limit, *x, 1.0, &search);
    double until = found ? search.x : 1.0;

    if (state->touching)
        state->min_distance = (float)min_of((double)state->min_distance, min_distance(p, *x, until));
    *x = until;
    if (!found || !contact_of(p, search.x, &search.state, &out_change->impact.contact))
        return false;
    if (!state->touching)
        state->min_distance = out_change->impact.contact.distance;
    out_change->kind = state->touching ? CLASH_CONTACT_END : CLASH_CONTACT_START;
    out_change->min_distance = state->min_distance;
    name_parts(&out_change->impact, 0, 0);
    state->touching = !state->touching;
    return true;
}

/* If there are more changes than fit, their number is even and the state is as at the start: if that contradicts the
 * end of the interval, the next interval begins with the missing change. */
static size_t capsule_pair_advance(clash_contact_state *state, const clash_toi_input *in,
                                   clash_contact_change *out_changes)
{
    capsule_pair d = capsule_pair_of(in);
    double end_limit = d.limit + release_margin_of(in), x = 0.0;
    size_t count = 0;
    pair p;

    if (!state->touching && capsule_pair_is_apart(&d))
        return 0;
    pair_prepare(&p, &d.a, d.span_a, &d.b, d.span_b);
    while (count < CLASH_CONTACT_CHANGES_MAX && next_change(state, &p, d.limit, end_limit, &x, &out_changes[count]))
        count++;
    return count;
}

#include "parts.inl"

#include "target_parts.inl"

#include "batch.inl"

static bool is_capsule_pair(const clash_toi_input *in)
{
    return in->colliders[0].capsule_count == 1 && in->colliders[1].capsule_count == 1;
}

static clash_sweep_result time_of_impact(const clash_toi_input *in, clash_toi_output *out)
{
    return in->colliders[1].shape ? target_impact(in, out)
           : is_capsule_pair(in)  ? capsule_pair_impact(in, out)
                                  : parts_impact(in, out);
}

static clash_sweep_result contact_at(const clash_toi_input *in, double fraction, clash_toi_output *out)
{
    return in->colliders[1].shape ? target_contact_at(in, fraction, out) : parts_contact_at(in, fraction, out);
}

static size_t contact_advance(clash_contact_state *state, const clash_toi_input *in, clash_contact_change *out_changes)
{
    return in->colliders[1].shape ? target_advance(state, in, out_changes)
           : is_capsule_pair(in)  ? capsule_pair_advance(state, in, out_changes)
                                  : parts_advance(state, in, out_changes);
}

const core CORE_NAME = {sweep,       sweep_near,    time_of_impact, contact_at, contact_advance, spheres_apart_run,
                        eight_apart, sixteen_apart, sweep_many};
