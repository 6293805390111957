/* Velocities come from the motion itself, not from differences of samples: they are exact at the contact's own time and
 * do not lag. Sums are computed in double and rounded once, since closing speeds are small differences of large
 * ones. */
#include "contact_kinematics.h"

#include "intensity.h"

#include <math.h>

/* m/s. Anything slower is rounding: float positions a metre or two from the origin, sampled at 500 Hz, give up to 0.06
 * mm/s. */
#define SLIDE_SPEED_MIN 1e-4

#define QUARTER_TURN 1.57079632679489661923f

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d widen(clash_vec3 v)
{
    return (vec3d){v.x, v.y, v.z};
}

static vec3d difference(vec3d a, vec3d b)
{
    return (vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(vec3d a, vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Return the part of `v` perpendicular to `axis`; all of it if there is no axis (a ball). */
static vec3d across(vec3d v, vec3d axis)
{
    double square = dot(axis, axis);
    double along = square > 0.0 ? dot(v, axis) / square : 0.0;

    return (vec3d){v.x - along * axis.x, v.y - along * axis.y, v.z - along * axis.z};
}

/* Convert a fraction of the interval to one of the collider's own motion. */
static double own_fraction(const pair_interval *interval, int side, double fraction)
{
    clash_span span = interval->input.colliders[side].span;
    double own = span.from + fraction * (span.to - span.from);

    return own < span.to ? own : span.to;
}

/* Return the velocity, m/s, of the material point of collider `side` at its closest axis point. */
static vec3d point_velocity(const pair_interval *interval, int side, const clash_contact *contact)
{
    double own = own_fraction(interval, side, contact->fraction);
    vec3d v = widen(clash_motion_velocity(&interval->motions[side], own, contact->points[side]));
    double per_second = 1e9 / (double)interval->motion_ns[side];

    return (vec3d){v.x * per_second, v.y * per_second, v.z * per_second};
}

/* Return the cosine between edge and movement, both projected perpendicular to the axis: a configured edge is never
 * exactly perpendicular. */
static float edge_alignment(vec3d movement, vec3d axis, vec3d edge)
{
    vec3d way = across(movement, axis);
    vec3d side = across(edge, axis);
    double speed = sqrt(dot(way, way));
    double length = sqrt(dot(side, side));
    double cosine;

    if (speed <= SLIDE_SPEED_MIN || !(length > 0.0))
        return 0.0f;
    cosine = dot(way, side) / (speed * length);
    return (float)(cosine > 1.0 ? 1.0 : cosine < -1.0 ? -1.0 : cosine);
}

/* Return the angle between two lines. Turn the second round if it points against the first, so that nothing is
 * subtracted from pi and small angles keep their digits. */
static float crossing_angle(clash_vec3 a, clash_vec3 b)
{
    if (dot(widen(a), widen(b)) < 0.0)
        b = (clash_vec3){-b.x, -b.y, -b.z};
    return clash_vec3_angle(a, b);
}

float contact_closing_speed(const pair_interval *interval, const clash_contact *contact)
{
    vec3d approach = difference(point_velocity(interval, 0, contact), point_velocity(interval, 1, contact));

    return (float)dot(approach, widen(contact->normal));
}

/* Return the part to which a capsule of a sword belongs. */
static const clash_sword_part *part_of(const clash_sword *sword, uint32_t capsule)
{
    const clash_sword_part *part = sword->parts;

    while (capsule >= part->first + part->count)
        part++;
    return part;
}

static double capsule_length(const clash_capsule *c)
{
    return (double)clash_vec3_length((clash_vec3){c->tip.x - c->base.x, c->tip.y - c->base.y, c->tip.z - c->base.z});
}

/* Return the place on the whole part, by length, of what lies at `along` on one of its capsules. */
static float along_part(const clash_sword *sword, const clash_sword_part *part, uint32_t capsule, float along)
{
    double before = 0.0, whole = 0.0;

    if (part->count == 1)
        return along;
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        double length = capsule_length(&sword->capsules[i]);

        whole += length;
        before += i < capsule ? length : i == capsule ? length * (double)along : 0.0;
    }
    return whole > 0.0 ? (float)(before / whole) : 0.0f;
}

/* What an event tells of one blade: its edge, the part that was hit, and where on it. */
typedef struct blade_view {
    const clash_capsule *capsule;
    const clash_vec3 *edge; /* NULL: none */
} blade_view;

static blade_view view_blade(const pipeline_blade *blade, uint32_t capsule, int side, clash_event_clash *out_clash)
{
    const clash_blade_properties *p = &blade->properties;
    const clash_sword_part *part;

    if (!blade->sword)
        return (blade_view){&p->shape, p->has_edge ? &p->edge : NULL};
    part = part_of(blade->sword, capsule);
    out_clash->parts[side] = part->name;
    out_clash->contact.along[side] = along_part(blade->sword, part, capsule, out_clash->contact.along[side]);
    return (blade_view){&blade->sword->capsules[capsule], part->has_edge ? &part->edge : NULL};
}

/* Return the angle to the surface's normal, if there is a target, else between the two axes. */
static float angle_between(const pair_interval *interval, const clash_toi_output *touch, const clash_vec3 axes[2])
{
    if (!interval->who.target)
        return crossing_angle(axes[0], axes[1]);
    if (clash_vec3_length(axes[0]) == 0.0f)
        return 0.0f;
    return QUARTER_TURN - crossing_angle(axes[0], touch->surface_normal);
}

static void view_motion(const pair_interval *interval, int side, const blade_view *blade, double fraction,
                        vec3d against, clash_vec3 *out_axis, clash_event_clash *out_clash)
{
    clash_pose pose = clash_motion_at(&interval->motions[side], own_fraction(interval, side, fraction));
    clash_vec3 base = blade->capsule->base, tip = blade->capsule->tip;

    *out_axis = clash_pose_rotate(&pose, (clash_vec3){tip.x - base.x, tip.y - base.y, tip.z - base.z});
    out_clash->has_edge[side] = blade->edge != NULL;
    if (blade->edge)
        out_clash->edge_alignment[side] =
            edge_alignment(against, widen(*out_axis), widen(clash_pose_rotate(&pose, *blade->edge)));
}

/* Return the longer of the two motions that contain the interval: the longer one is less certain. A static target's is
 * as long as the interval. */
static int64_t longest_motion_ns(const pair_interval *interval)
{
    return interval->motion_ns[0] > interval->motion_ns[1] ? interval->motion_ns[0] : interval->motion_ns[1];
}

void contact_kinematics_at(const pair_interval *interval, const clash_toi_output *touch,
                           const pipeline_settings *settings, clash_event_clash *out_clash)
{
    const clash_contact *contact = &touch->contact;
    vec3d velocities[2] = {point_velocity(interval, 0, contact), point_velocity(interval, 1, contact)};
    vec3d approach = difference(velocities[0], velocities[1]);
    double closing = dot(approach, widen(contact->normal));
    vec3d slide = across(approach, widen(contact->normal));
    clash_vec3 axes[2] = {{0}};

    *out_clash = (clash_event_clash){
        .contact = *contact, .tracked = interval->tracked, .interval_ns = longest_motion_ns(interval)};
    for (int i = 0; i < 2; i++) {
        out_clash->velocities[i] = (clash_vec3){(float)velocities[i].x, (float)velocities[i].y, (float)velocities[i].z};
        if (i == 0 || !interval->who.target) {
            blade_view blade = view_blade(interval->who.blades[i], touch->parts[i], i, out_clash);

            view_motion(interval, i, &blade, contact->fraction,
                        i == 0 ? approach : difference(velocities[1], velocities[0]), &axes[i], out_clash);
        }
    }
    out_clash->closing_speed = (float)closing;
    out_clash->slide_speed = (float)sqrt(dot(slide, slide));
    out_clash->crossing_angle = angle_between(interval, touch, axes);
    out_clash->triangle = touch->triangle;
    out_clash->surface_normal = touch->surface_normal;
    out_clash->intensity = intensity_of(closing, settings->full_intensity_speed, settings->intensity_curve);
}
