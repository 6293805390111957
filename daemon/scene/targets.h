/* Targets: the shapes of their definitions, with all that must live as long, for the scene, which owns what the world borrows.
 * Functions that wait for files are for commands; clashd uses target_load.h. */
#ifndef CLASHD_SCENE_TARGETS_H
#define CLASHD_SCENE_TARGETS_H

#include "cli/failure.h"
#include "config/config.h"
#include "mesh/mesh_data.h"

#include <clash/mesh.h>
#include <clash/outline.h>
#include <clash/target.h>

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

typedef struct scene_target {
    const void *owner;                  /* as in scene.h */
    clash_target_definition definition; /* with its file's digest, once that was read */
    target_shape shape;
    struct scene_target *next; /* for the scene */
} scene_target;

/** Return whether making it takes too long for the loop: a file, or a hull. */
bool scene_target_is_slow(const clash_target_definition *definition);
/** Create from a definition (copied), not built yet. Return NULL when out of memory. */
scene_target *scene_target_create(const clash_target_definition *definition);
/** Build it from what was read of its file (NULL if it needs none; see target_collider.h). Any thread. Return 0, or -1
 *  with a message in out_failure. */
int scene_target_build(scene_target *target, const surface *read, failure *out_failure);
/** Free a target that nobody has taken. Any thread; accepts NULL. */
void scene_target_destroy(scene_target *target);

/** Create and build, waiting for the file. Return NULL with a message in out_failure, also if the file's digest is not the
 *  definition's. */
scene_target *scene_target_make(const clash_target_definition *definition, failure *out_failure);

/** Put it into the pipeline, which borrows its shape and keeps it as the target's owner. Return NULL, or why it is
 *  refused. */
const char *scene_target_put(pipeline *p, const scene_target *from);
/** Return the scene_target of a pipeline's target; NULL for NULL. */
static inline scene_target *scene_target_of(const pipeline_target *target)
{
    return target ? (scene_target *)target->owner : NULL;
}
/** List those of a pipeline that are on a device, or all if UINT32_MAX; destroy them once it has them no more. */
scene_target *scene_targets_on(const pipeline *p, uint32_t device);
void scene_targets_destroy(scene_target *first);

#endif
