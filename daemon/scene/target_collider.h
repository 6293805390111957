/* The shape of a target's definition, and what must live as long as the shape. */
#ifndef CLASHD_SCENE_TARGET_COLLIDER_H
#define CLASHD_SCENE_TARGET_COLLIDER_H

#include "cli/failure.h"
#include <clash/mesh.h>
#include <clash/outline.h>
#include <clash/target.h>

#include "mesh/mesh_data.h"

typedef struct target_shape {
    clash_shape shape;      /* in the device's frame; of a static target in its own */
    clash_mesh *mesh;       /* the shape's mesh, or NULL */
    clash_terrain *terrain; /* likewise */
    bool is_outlined;       /* the outline was made: */
    clash_line *outline;    /* NULL: it has no lines, or memory did not suffice */
    size_t outline_count;
    bool is_outline_whole;
} target_shape;

/** The most lines of an outline: what has more is shown by fewer. */
#define TARGET_OUTLINE_MAX 8192
/** Triangles, above which a mesh's outline takes too long for the loop, and is made with the shape. */
#define TARGET_OUTLINE_LATER_MAX CLASH_TARGET_TRIANGLES_MAX

/** Say what must be read, or which hull computed, before the shape can be made. Return false if nothing must. */
bool target_shape_request(const clash_target_definition *definition, surface_request *out);
/** Make a shape from a definition and what was read (NULL: nothing; its vertices are moved), and write the file's
 *  digest or the hull into the definition. Any thread. Return 0, or -1 with a message in out_failure. */
int target_shape_make(clash_target_definition *definition, const surface *read, target_shape *out,
                      failure *out_failure);
/** Do both, waiting for what must be read. */
int target_shape_make_now(clash_target_definition *definition, target_shape *out, failure *out_failure);
/** Make the outline of a shape of that definition, if it was not made before: in the device's frame, or for a static
 *  target in the stage. */
void target_shape_outline(target_shape *s, const clash_target_definition *definition);
void target_shape_finish(target_shape *s);

#endif
