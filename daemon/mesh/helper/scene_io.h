/* How assimp reads files: whole, regular ones, from one folder, with a limit on all bytes together. */
#ifndef CLASHD_MESH_HELPER_SCENE_IO_H
#define CLASHD_MESH_HELPER_SCENE_IO_H

#include "cli/failure.h"

#include <assimp/cfileio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_io {
    struct aiFileIO io; /* for assimp */
    const char *path;   /* of the file asked for, */
    char *bytes;        /* and its content */
    size_t length;
    uint64_t left;   /* bytes of other files that may still be read */
    uint64_t looked; /* bytes of files read by checks before */
    bool too_large;  /* more were needed */
    failure wrong;   /* with the file asked for, or the first that could not be opened */
} scene_io;

/** Begin; checks the file asked for first. Return 0, or -1 with what is wrong in out->wrong. */
int scene_io_init(scene_io *out, const char *path, char *bytes, size_t length);

#endif
