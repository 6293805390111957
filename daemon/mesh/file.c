/* Open without waiting, and check before reading: refuse a pipe, a device or a folder. See file.h. */
#include "mesh/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, char *out, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t n = read(fd, out + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n < 0 ? errno : EIO; /* it has become shorter meanwhile */
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

static file_result take(int fd, uint64_t limit, char **out_bytes, size_t *out_size)
{
    struct stat about;

    if (fstat(fd, &about) < 0)
        return FILE_CANNOT;
    if (!S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
        return FILE_CANNOT;
    }
    if ((uint64_t)about.st_size > limit)
        return FILE_TOO_LARGE;
    *out_size = (size_t)about.st_size;
    *out_bytes = malloc(*out_size + 1);
    if (!*out_bytes) {
        errno = ENOMEM;
        return FILE_CANNOT;
    }
    if (read_all(fd, *out_bytes, *out_size)) {
        (*out_bytes)[*out_size] = '\0';
        return FILE_READ;
    }
    free(*out_bytes);
    *out_bytes = NULL;
    return FILE_CANNOT;
}

file_result file_read(const char *path, uint64_t limit, char **out_bytes, size_t *out_size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    file_result result;
    int error;

    *out_bytes = NULL;
    *out_size = 0;
    if (fd < 0)
        return FILE_CANNOT;
    result = take(fd, limit, out_bytes, out_size);
    error = errno;
    close(fd);
    errno = error;
    return result;
}
