/* How assimp gets at files: whole ones, of one folder, none but regular ones, and not more than so many bytes in all. */
#ifndef CLASHD_MESH_HELPER_SCENE_IO_H
#define CLASHD_MESH_HELPER_SCENE_IO_H

#include "cli/failure.h"

#include <assimp/cfileio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_io {
    struct aiFileIO io; /* for assimp */
    const char *path;   /* of the file asked for.. */
    char *bytes;        /* .. and what stands in it */
    size_t length;
    uint64_t left;   /* bytes of others that may still be read */
    uint64_t looked; /* those that were looked at beforehand */
    bool too_large;  /* more were wanted */
    failure wrong;   /* with the file asked for, or the first that could not be opened */
} scene_io;

/** Looks at the file asked for before anybody gets it. 0, or -1 with what is wrong in out->wrong. */
int scene_io_init(scene_io *out, const char *path, char *bytes, size_t length);

#endif
