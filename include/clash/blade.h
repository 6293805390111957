/* Blades as they are written down: in a configuration, on a socket, in a recording. Plain data. What a blade is stands in
 * clash_blade_properties and nowhere else: who passes blades on adds only whose they are. */
#ifndef CLASH_BLADE_H
#define CLASH_BLADE_H

#include <clash/shape.h>
#include <string.h>

CLASH_BEGIN_DECLS

/** Names, with the terminating zero: as those of targets. */
#define CLASH_BLADE_NAME_MAX 64
#define CLASH_BLADE_DEVICE_MAX 128

/** All of a blade but its name, its device and its parts. A new property goes here, and into clash_blade_is_same. */
typedef struct clash_blade_properties {
    clash_capsule shape; /**< device's frame, m; with parts straight from one end of the first part to the other */
    bool has_edge;       /**< with parts: the first one */
    bool is_body;        /**< no blade, but a player's body: strikes targets, and no blade strikes it */
    clash_vec3 edge;     /**< direction of the cutting edge in the device's frame, any length above 0 */
    bool unity_negative; /**< made of a collider of Unity's with a negative size, of which the absolute value counts */
} clash_blade_properties;

/** A blade that is kept: it owns all it consists of, and is copied by assignment. */
typedef struct clash_blade_definition {
    char name[CLASH_BLADE_NAME_MAX];
    char device[CLASH_BLADE_DEVICE_MAX];
    clash_blade_properties properties;
    clash_sword sword; /**< its parts; part_count 0: none */
} clash_blade_definition;

/** A blade that is passed on: what it points to is somebody else's. */
typedef struct clash_blade {
    const char *name, *device;
    clash_blade_properties properties;
    const clash_sword *sword; /**< NULL: none */
} clash_blade;

/** The same blade; valid as long as `from` stays where it is. */
static inline clash_blade clash_blade_of(const clash_blade_definition *from)
{
    clash_blade blade = {from->name, from->device, from->properties, from->sword.part_count > 0 ? &from->sword : NULL};

    return blade;
}

/** Whether all but the names is the same, to the bit. */
static inline bool clash_blade_is_same(const clash_blade_definition *a, const clash_blade_definition *b)
{
    const clash_blade_properties *p = &a->properties, *q = &b->properties;

    return strcmp(a->device, b->device) == 0 && memcmp(&p->shape, &q->shape, sizeof p->shape) == 0 &&
           p->has_edge == q->has_edge && p->is_body == q->is_body && memcmp(&p->edge, &q->edge, sizeof p->edge) == 0 &&
           p->unity_negative == q->unity_negative && memcmp(&a->sword, &b->sword, sizeof a->sword) == 0;
}

CLASH_END_DECLS

#endif
