/* A shape of what is written of a target, and what has to stay as long as the shape. */
#ifndef CLASHD_SCENE_TARGET_COLLIDER_H
#define CLASHD_SCENE_TARGET_COLLIDER_H

#include "cli/failure.h"
#include <clash/mesh.h>
#include <clash/target.h>

#include "mesh/mesh_data.h"

typedef struct target_shape {
    clash_shape shape;      /* in the device's frame, or of a static target in its own */
    clash_mesh *mesh;       /* that the shape is of; NULL: none */
    clash_terrain *terrain; /* likewise */
} target_shape;

/** What has to be read, or which hull has to be found, before it can be made; false: nothing. */
bool target_shape_request(const clash_target_definition *definition, surface_request *out);
/** Of a definition, and of what was read (NULL: nothing; its vertices are moved), whose digest or hull goes into the
 *  definition. Any thread. 0, or -1 with a message in out_failure. */
int target_shape_make(clash_target_definition *definition, const surface *read, target_shape *out,
                      failure *out_failure);
/** Both, waiting for what has to be read. */
int target_shape_make_now(clash_target_definition *definition, target_shape *out, failure *out_failure);
void target_shape_finish(target_shape *s);

#endif
