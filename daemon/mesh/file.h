/* Read a whole file from outside: a regular one, not larger than allowed. */
#ifndef CLASHD_MESH_FILE_H
#define CLASHD_MESH_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef enum file_result {
    FILE_READ,
    FILE_CANNOT, /* errno; EISDIR and EINVAL: not a regular file */
    FILE_TOO_LARGE,
} file_result;

/** Read a file of at most `limit` bytes. The caller frees what was read, which ends in an extra zero. Never waits for a
 *  pipe. */
file_result file_read(const char *path, uint64_t limit, char **out_bytes, size_t *out_size);

#endif
