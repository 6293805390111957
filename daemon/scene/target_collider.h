/* The shape of a target's definition, and what must live as long as the shape. */
#ifndef CLASHD_SCENE_TARGET_COLLIDER_H
#define CLASHD_SCENE_TARGET_COLLIDER_H

#include "cli/failure.h"
#include <clash/mesh.h>
#include <clash/target.h>

#include "mesh/mesh_data.h"

typedef struct target_shape {
    clash_shape shape;      /* in the device's frame; of a static target in its own */
    clash_mesh *mesh;       /* the shape's mesh, or NULL */
    clash_terrain *terrain; /* likewise */
} target_shape;

/** Say what must be read, or which hull computed, before the shape can be made. Return false if nothing must. */
bool target_shape_request(const clash_target_definition *definition, surface_request *out);
/** Make a shape from a definition and what was read (NULL: nothing; its vertices are moved), and write the file's
 *  digest or the hull into the definition. Any thread. Return 0, or -1 with a message in out_failure. */
int target_shape_make(clash_target_definition *definition, const surface *read, target_shape *out,
                      failure *out_failure);
/** Do both, waiting for what must be read. */
int target_shape_make_now(clash_target_definition *definition, target_shape *out, failure *out_failure);
void target_shape_finish(target_shape *s);

#endif
