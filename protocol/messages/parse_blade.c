/* What a schema cannot say of a blade: what must not stand together, how many capsules there are, names of parts given
 * twice, floats, edges without a length. See parse_blade.h. */
#include "parse_blade.h"

#include <stdio.h>
#include <string.h>

#include "parse.h"
#include "parse_unity.h"

#define EITHER "expected either parts, or base, tip and radius"

static clash_vec3 take_vector(const cJSON *array, protocol_axes axes)
{
    return protocol_axes_vec3(axes, parse_vec3(array));
}

static bool check_numbers(const cJSON *object, const char *where, failure *out_failure)
{
    static const char *const keys[] = {"base", "tip", "points", "edge", "radius"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (parse_at(object, keys[i]) && !parse_fits_float(parse_at(object, keys[i])))
            return fail_with(out_failure, "%s%s: a number is out of range", where, keys[i]);
    return true;
}

/* `where` is what stands before the key in a message. */
static bool take_edge(const cJSON *object, protocol_axes axes, const char *where, bool *out_has, clash_vec3 *out_edge,
                      failure *out_failure)
{
    const cJSON *edge = parse_at(object, "edge");

    *out_has = edge != NULL;
    *out_edge = take_vector(edge, axes);
    if (edge && out_edge->x == 0.0f && out_edge->y == 0.0f && out_edge->z == 0.0f)
        return fail_with(out_failure, "%sedge: has no length: expected a direction, or no edge at all", where);
    return true;
}

static bool take_name(const cJSON *part, const char *where, clash_sword *sword, failure *out_failure)
{
    char *name = sword->parts[sword->part_count].name;

    if (!parse_copy(parse_at(part, "name"), name, CLASH_PART_NAME_MAX))
        return fail_with(out_failure, "%sname: expected at most %d bytes of UTF-8", where, CLASH_PART_NAME_MAX - 1);
    for (uint32_t i = 0; i < sword->part_count; i++)
        if (strcmp(sword->parts[i].name, name) == 0)
            return fail_with(out_failure, "%sname: \"%s\" is the name of parts[%u] already: each needs its own", where,
                             name, (unsigned)i);
    return true;
}

/* The capsules between the corners, each where the one before it ended. */
static bool take_points(const cJSON *points, protocol_axes axes, float radius, clash_sword *sword)
{
    const cJSON *point = points->child;

    for (; point && point->next; point = point->next) {
        if (sword->capsule_count == CLASH_PARTS_MAX)
            return false;
        sword->capsules[sword->capsule_count++] =
            (clash_capsule){take_vector(point, axes), take_vector(point->next, axes), radius};
    }
    return true;
}

static bool take_axis(const cJSON *part, protocol_axes axes, const char *where, clash_sword *sword,
                      failure *out_failure)
{
    const cJSON *base = parse_at(part, "base"), *tip = parse_at(part, "tip"), *points = parse_at(part, "points");
    clash_sword_part *out = &sword->parts[sword->part_count];
    const float radius = parse_float(part, "radius", 0.0f);
    bool fits = points || sword->capsule_count < CLASH_PARTS_MAX;

    if (points ? base || tip : !base || !tip)
        return fail_with(out_failure, "%s%s: expected either points, or base and tip", where,
                         base || !tip ? "base" : "tip");
    out->first = sword->capsule_count;
    if (points)
        fits = take_points(points, axes, radius, sword);
    else if (fits)
        sword->capsules[sword->capsule_count++] =
            (clash_capsule){take_vector(base, axes), take_vector(tip, axes), radius};
    if (!fits)
        return fail_with(
            out_failure,
            "parts: more than %d capsules, and at most %d are allowed: a part has one between every two of its "
            "points",
            CLASH_PARTS_MAX, CLASH_PARTS_MAX);
    out->count = sword->capsule_count - out->first;
    return true;
}

static bool take_part(const cJSON *part, protocol_axes axes, clash_sword *sword, failure *out_failure)
{
    clash_sword_part *out = &sword->parts[sword->part_count];
    char where[24];

    snprintf(where, sizeof where, "parts[%u].", (unsigned)sword->part_count);
    if (!check_numbers(part, where, out_failure) || !take_name(part, where, sword, out_failure) ||
        !take_axis(part, axes, where, sword, out_failure) ||
        !take_edge(part, axes, where, &out->has_edge, &out->edge, out_failure))
        return false;
    sword->part_count++;
    return true;
}

static bool take_parts(const cJSON *parts, protocol_axes axes, clash_blade_definition *out, failure *out_failure)
{
    const clash_sword_part *first = &out->sword.parts[0];
    const clash_capsule *capsules = out->sword.capsules;
    const cJSON *part;

    cJSON_ArrayForEach(part, parts)
    {
        if (out->sword.part_count == CLASH_PARTS_MAX)
            break; /* the schema allows no more */
        if (!take_part(part, axes, &out->sword, out_failure))
            return false;
    }
    out->properties.shape = (clash_capsule){capsules[0].base, capsules[first->count - 1].tip, capsules[0].radius};
    out->properties.has_edge = first->has_edge;
    out->properties.edge = first->edge;
    return true;
}

/* The edge is in the axes of the line, the collider in Unity's. */
static bool take_collider(const cJSON *object, protocol_axes axes, clash_blade_definition *out, failure *out_failure)
{
    static const char *const keys[] = {"base", "tip", "radius", "parts"};
    clash_blade_properties *p = &out->properties;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (parse_at(object, keys[i]))
            return fail_with(out_failure, "%s: stands beside unity_collider, which says it", keys[i]);
    return check_numbers(object, "", out_failure) &&
           parse_unity_blade(parse_at(object, "unity_collider"), &p->shape, &p->unity_negative, out_failure) &&
           take_edge(object, axes, "", &p->has_edge, &p->edge, out_failure);
}

bool parse_blade(const cJSON *object, protocol_axes axes, parse_blade_hand hand, clash_blade_definition *out,
                 failure *out_failure)
{
    static const char *const keys[] = {"base", "tip", "radius", "edge"};
    const cJSON *parts = parse_at(object, "parts");
    clash_blade_properties *p = &out->properties;
    const char *wrong;

    memset(p, 0, sizeof *p);
    memset(&out->sword, 0, sizeof out->sword);
    if ((wrong = parse_blade_properties(object, p)))
        return fail_with(out_failure, "%s: a number is out of range", wrong);
    if (parse_at(object, "unity_collider") && hand == PARSE_BLADE_THEIRS)
        return take_collider(object, axes, out, out_failure);
    for (size_t i = 0; parts && hand == PARSE_BLADE_THEIRS && i < 4; i++)
        if (parse_at(object, keys[i]))
            return fail_with(out_failure, "%s: stands beside parts, which have their own: " EITHER, keys[i]);
    if (parts)
        return take_parts(parts, axes, out, out_failure);
    for (size_t i = 0; i < 3; i++)
        if (!parse_at(object, keys[i]))
            return fail_with(out_failure, "%s: is missing: " EITHER, keys[i]);
    if (!check_numbers(object, "", out_failure))
        return false;
    p->shape = (clash_capsule){take_vector(parse_at(object, "base"), axes), take_vector(parse_at(object, "tip"), axes),
                               parse_float(object, "radius", 0.0f)};
    return take_edge(object, axes, "", &p->has_edge, &p->edge, out_failure);
}
