/* Blades as written in a configuration, on a socket, in a recording. Plain data. All of a blade's properties are in
 * clash_blade_properties and nowhere else: whoever passes blades on adds only who owns them. */
#ifndef CLASH_BLADE_H
#define CLASH_BLADE_H

#include <clash/shape.h>
#include <string.h>

CLASH_BEGIN_DECLS

/** Size of names, with the terminating zero; targets have the same. */
#define CLASH_BLADE_NAME_MAX 64
#define CLASH_BLADE_DEVICE_MAX 128

/** Properties that are one number, or yes or no, each in one row: its type (bool or float), its name here and in
 *  messages, and its default. The struct, the comparison, clashd's parser and encoder, `--set` and the C client all use
 *  these rows; the ranges are in the schema.
 *
 *  is_body: no blade, but a player's body, which hits targets and is hit by no blade.
 *  is_peer: on another machine, where what it does to targets and to others of these is told. */
#define CLASH_BLADE_PROPERTIES(ROW) ROW(bool, is_body, "body", false) ROW(bool, is_peer, "peer", false)

#define CLASH_BLADE_MEMBER(type, member, key, otherwise) type member;

/** Everything about a blade except its name, its device and its parts. */
typedef struct clash_blade_properties {
    clash_capsule shape; /**< device's frame, m; with parts: straight from one end of the first part to its other end */
    bool has_edge;       /**< with parts: whether the first one has */
    CLASH_BLADE_PROPERTIES(CLASH_BLADE_MEMBER)
    bool is_disabled;    /**< it touches nothing, like a sheathed sword; in messages `enabled` is false */
    clash_layers layers; /**< which others it can touch */
    clash_vec3 edge;     /**< direction of the cutting edge in the device's frame, any length above 0 */
    bool unity_negative; /**< made from a Unity collider with a negative size, of which the absolute value counts */
} clash_blade_properties;

/** A blade that is stored: it owns everything it consists of, and is copied by assignment. */
typedef struct clash_blade_definition {
    char name[CLASH_BLADE_NAME_MAX];
    char device[CLASH_BLADE_DEVICE_MAX];
    clash_blade_properties properties;
    clash_sword sword; /**< its parts; part_count 0: none */
} clash_blade_definition;

/** A blade that is passed on: it points to what others own. */
typedef struct clash_blade {
    const char *name, *device;
    clash_blade_properties properties;
    const clash_sword *sword; /**< NULL: none */
} clash_blade;

/** Return the same blade; valid as long as `from` is not moved. */
static inline clash_blade clash_blade_of(const clash_blade_definition *from)
{
    clash_blade blade = {from->name, from->device, from->properties, from->sword.part_count > 0 ? &from->sword : NULL};

    return blade;
}

static inline bool clash_vec3_is_same(const clash_vec3 *a, const clash_vec3 *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static inline bool clash_capsule_is_same(const clash_capsule *a, const clash_capsule *b)
{
    return clash_vec3_is_same(&a->base, &b->base) && clash_vec3_is_same(&a->tip, &b->tip) && a->radius == b->radius;
}

static inline bool clash_sword_is_same(const clash_sword *a, const clash_sword *b)
{
    if (a->part_count != b->part_count || a->capsule_count != b->capsule_count)
        return false;
    for (uint32_t i = 0; i < a->part_count; i++) {
        const clash_sword_part *p = &a->parts[i], *q = &b->parts[i];

        if (strcmp(p->name, q->name) != 0 || p->first != q->first || p->count != q->count ||
            p->has_edge != q->has_edge || !clash_vec3_is_same(&p->edge, &q->edge))
            return false;
    }
    for (uint32_t i = 0; i < a->capsule_count; i++)
        if (!clash_capsule_is_same(&a->capsules[i], &b->capsules[i]))
            return false;
    return true;
}

#define CLASH_BLADE_AND_SAME(type, member, key, otherwise) &&p->member == q->member

static inline bool clash_blade_properties_are_same(const clash_blade_properties *p, const clash_blade_properties *q)
{
    return clash_capsule_is_same(&p->shape, &q->shape) &&
           p->has_edge == q->has_edge CLASH_BLADE_PROPERTIES(CLASH_BLADE_AND_SAME) &&
           p->is_disabled == q->is_disabled && clash_layers_are_same(&p->layers, &q->layers) &&
           clash_vec3_is_same(&p->edge, &q->edge) && p->unity_negative == q->unity_negative;
}

/** Return whether everything but the names is the same. */
static inline bool clash_blade_is_same(const clash_blade_definition *a, const clash_blade_definition *b)
{
    return strcmp(a->device, b->device) == 0 && clash_blade_properties_are_same(&a->properties, &b->properties) &&
           clash_sword_is_same(&a->sword, &b->sword);
}

CLASH_END_DECLS

#endif
