/* A file of somebody's, whole: a regular one and no larger than is allowed. */
#ifndef CLASHD_MESH_FILE_H
#define CLASHD_MESH_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef enum file_result {
    FILE_READ,
    FILE_CANNOT, /* errno; EISDIR and EINVAL: it is no regular file */
    FILE_TOO_LARGE,
} file_result;

/** Of at most `limit` bytes. What was read is to be freed, and has a zero behind it. Never waits for whom a pipe may come from. */
file_result file_read(const char *path, uint64_t limit, char **out_bytes, size_t *out_size);

#endif
