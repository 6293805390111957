/* A shape of what is written of a target, and what has to stay as long as the shape. */
#ifndef CLASHD_APP_TARGET_SHAPE_H
#define CLASHD_APP_TARGET_SHAPE_H

#include <clash/mesh.h>
#include <clash/target.h>

typedef struct target_shape {
    clash_shape shape;      /* in the device's frame, or of a still target in its own */
    clash_mesh *mesh;       /* that the shape is of; NULL: none */
    clash_terrain *terrain; /* likewise */
} target_shape;

/** Loads the file, if there is one (blocking), and writes its digest into the definition where there is none. 0, or -1
 *  with a message in out_error. */
int target_shape_make(clash_target_definition *definition, target_shape *out, char *out_error, size_t size);
void target_shape_finish(target_shape *s);

#endif
