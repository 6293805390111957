/* How assimp gets at files: whole ones, of one folder, none but regular ones, and not more than so many bytes in all. */
#ifndef CLASHD_APP_MESH_FILE_IO_H
#define CLASHD_APP_MESH_FILE_IO_H

#include <assimp/cfileio.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct mesh_io {
    struct aiFileIO io; /* for assimp */
    const char *path;   /* of the file asked for */
    uint64_t left;      /* bytes that may still be read */
    bool too_large;     /* more were wanted */
    int error;          /* errno of what could not be opened, the first; else 0 */
    bool is_checked;    /* the file asked for has been looked at, before it is given to anybody.. */
    char wrong[256];    /* .. and this is wrong with it; "": nothing */
} mesh_io;

void mesh_io_init(mesh_io *io, const char *path, uint64_t bytes);

#endif
