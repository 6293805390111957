/* Where a sword begins and which way it points on each kind of controller: values to begin with, until somebody calibrates. */
#ifndef CLASHD_CONFIG_HILTS_H
#define CLASHD_CONFIG_HILTS_H

#include <clash/shape.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct hilt {
    const char *name, *profile; /* OpenXR's interaction profile; profiles of later models of a kind are close to it */
    float begin;                /* from the grip's origin to the end of the controller along the handle (-z), m */
    bool has_aim;
    float aim; /* by so many degrees the aim pose's -z is tilted down from the grip's */
} hilt;

/** By its short name or its profile; NULL: none. */
const hilt *hilt_find(const char *name);
/** Fill in a sword that ends `reach` m from the grip's origin: along the handle or, for games that draw by the aim
 *  pose, along that (only for a controller whose aim is known). Its edge faces down. Its radius stays. */
void hilt_place(const hilt *h, bool by_aim, float reach, clash_capsule *shape, clash_vec3 *out_edge);

#endif
