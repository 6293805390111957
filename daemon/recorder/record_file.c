/* Every write names its offset, which moves only past what is complete; see record_file.h. A compressed frame holds at
 * most FRAME_BYTES of lines and has a checksum, so that damage costs little and is detected. */
#include "record_file.h"
#include "cli/name_end.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define FRAME_BYTES (128u << 10)
/* A line must fit. */
static_assert(FRAME_BYTES >= 65536, "a frame holds a line");
#define LEVEL 3

void record_file_init(record_file *f)
{
    *f = (record_file){.fd = -1};
}

/* Lock the file and return NULL, or return why it cannot be used. File systems without locks do without. Refuse a file
 * with other names: nobody agreed to overwrite those. */
static const char *find_fault(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it exists and is no regular file";
    if (status.st_nlink > 1)
        return "it is a file with other names too (hard links), expected one without";
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return "another process is writing it";
    return NULL;
}

static const char *claim(int fd)
{
    const char *why = find_fault(fd);

    if (why)
        return why;
    if (ftruncate(fd, 0) != 0)
        return strerror(errno);
    fchmod(fd, 0600); /* on file systems that have modes */
    return NULL;
}

/* Open without waiting, as a FIFO would. Truncate nothing before it is known what the file is. */
static int open_existing(const char *path, int more, const char **out_why)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | more, 0600);

    if (fd < 0 && errno == ELOOP)
        *out_why = "it is a link, expected a regular file";
    if (fd < 0 && errno == EISDIR)
        *out_why = "it is a directory, expected a regular file";
    return fd;
}

static int check_directory_of(const char *path)
{
    char directory[RECORD_PATH_MAX];
    const char *slash = strrchr(path, '/');

    if (!slash)
        snprintf(directory, sizeof directory, ".");
    else
        snprintf(directory, sizeof directory, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return access(directory, W_OK | X_OK) == 0 ? 0 : errno;
}

static const char *name_kind(mode_t mode)
{
    return S_ISREG(mode)   ? NULL
           : S_ISLNK(mode) ? "it is a link, expected a regular file"
           : S_ISDIR(mode) ? "it is a directory, expected a regular file"
                           : "it exists and is no regular file";
}

int record_file_check(const char *path, bool is_new, const char **out_why)
{
    struct stat status;
    int fd;

    *out_why = NULL;
    if (strlen(path) >= RECORD_PATH_MAX)
        return ENAMETOOLONG;
    if (lstat(path, &status) != 0)
        return errno == ENOENT ? check_directory_of(path) : errno;
    *out_why = name_kind(status.st_mode);
    if (*out_why || is_new)
        return EEXIST;
    fd = open_existing(path, 0, out_why);
    if (fd < 0)
        return errno;
    *out_why = find_fault(fd);
    close(fd);
    return *out_why ? EINVAL : 0;
}

static int open_compressor(record_file *f)
{
    ZSTD_CCtx *context = f->context ? f->context : ZSTD_createCCtx();

    f->context = context;
    f->frame_size = ZSTD_compressBound(FRAME_BYTES);
    if (!f->frame)
        f->frame = malloc(f->frame_size);
    if (!context || !f->frame)
        return ENOMEM;
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    return 0;
}

int record_file_adopt(record_file *f, int fd, bool is_compressed)
{
    assert(f->fd < 0);
    f->is_compressed = is_compressed;
    f->is_stream = true;
    if (is_compressed && open_compressor(f) != 0)
        return ENOMEM;
    f->fd = fd;
    f->size = 0;
    return 0;
}

int record_file_open(record_file *f, const char *path, bool is_new, const char **out_why)
{
    return record_file_open_as(f, path, is_new, name_ends_in(path, ".zst"), out_why);
}

int record_file_open_as(record_file *f, const char *path, bool is_new, bool is_compressed, const char **out_why)
{
    const char *why = NULL;
    size_t length = strlen(path);

    assert(f->fd < 0);
    *out_why = NULL;
    if (length >= sizeof f->path)
        return ENAMETOOLONG;
    f->is_compressed = is_compressed;
    f->is_stream = false;
    if (f->is_compressed && open_compressor(f) != 0)
        return ENOMEM;
    f->fd = open_existing(path, O_CREAT | (is_new ? O_EXCL : 0), out_why);
    if (f->fd < 0)
        return errno;
    why = claim(f->fd);
    if (why) {
        close(f->fd);
        if (is_new) /* else the file would be in the way of the next try */
            unlink(path);
        f->fd = -1;
        *out_why = why;
        return EINVAL;
    }
    memcpy(f->path, path, length + 1);
    f->size = 0;
    f->is_dirty = true;
    return 0;
}

/* Return 0, or the error; *out_written bytes are in the file after what is complete. */
static int write_bytes(record_file *f, const char *bytes, size_t length, size_t *out_written)
{
    size_t written = 0;
    int error = 0;

    while (written < length && error == 0) {
        ssize_t count = f->is_stream
                            ? write(f->fd, bytes + written, length - written)
                            : pwrite(f->fd, bytes + written, length - written, (off_t)f->size + (off_t)written);

        if (count > 0)
            written += (size_t)count;
        else if (count == 0)
            error = ENOSPC;
        else if (errno != EINTR)
            error = errno;
    }
    *out_written = written;
    return error;
}

/* Keep that many bytes as complete, and cut off what follows them. */
static void keep(record_file *f, size_t count, bool is_torn)
{
    f->size += (int64_t)count;
    f->is_dirty = !f->is_stream && (f->is_dirty || count > 0);
    /* If this fails, the next good write covers the torn bytes. */
    if (is_torn && !f->is_stream && ftruncate(f->fd, (off_t)f->size) != 0)
        return;
}

static int write_plain(record_file *f, const char *lines, size_t length, size_t *out_taken)
{
    size_t written, whole;
    int error = write_bytes(f, lines, length, &written);
    const char *end = written > 0 ? memrchr(lines, '\n', written) : NULL;

    whole = end ? (size_t)(end - lines) + 1 : 0;
    keep(f, whole, error != 0);
    *out_taken = whole;
    return error;
}

static int write_frame(record_file *f, const char *lines, size_t length)
{
    size_t written, size = ZSTD_compress2(f->context, f->frame, f->frame_size, lines, length);
    int error = ZSTD_isError(size) ? ENOMEM : write_bytes(f, f->frame, size, &written);

    keep(f, error == 0 ? size : 0, error != 0);
    return error;
}

/* Return the length of as many whole lines as fit a frame. */
static size_t frame_length(const char *lines, size_t length)
{
    const char *end = length > FRAME_BYTES ? memrchr(lines, '\n', FRAME_BYTES) : lines + length - 1;

    assert(end);
    return (size_t)(end - lines) + 1;
}

int record_file_write(record_file *f, const char *lines, size_t length, size_t *out_taken)
{
    size_t taken = 0;
    int error = 0;

    assert(f->fd >= 0 && (length == 0 || lines[length - 1] == '\n'));
    if (!f->is_compressed)
        return write_plain(f, lines, length, out_taken);
    while (taken < length && error == 0) {
        size_t next = frame_length(lines + taken, length - taken);

        error = write_frame(f, lines + taken, next);
        taken += error == 0 ? next : 0;
    }
    *out_taken = taken;
    return error;
}

int record_file_sync(record_file *f)
{
    if (f->fd < 0 || !f->is_dirty)
        return 0;
    f->is_dirty = false; /* do not try again after a failure: the system has reported all it knows */
    return fdatasync(f->fd) == 0 || errno == EINVAL ? 0 : errno;
}

record_file_place record_file_find(const record_file *f)
{
    struct stat ours, named;

    if (fstat(f->fd, &ours) != 0)
        return RECORD_FILE_THERE; /* cannot be determined */
    if (stat(f->path, &named) == 0 && named.st_dev == ours.st_dev && named.st_ino == ours.st_ino)
        return RECORD_FILE_THERE;
    return ours.st_nlink == 0 ? RECORD_FILE_GONE : RECORD_FILE_MOVED;
}

int record_file_close(record_file *f)
{
    int error;

    if (f->fd < 0)
        return 0;
    if (f->is_stream) {
        f->fd = -1;
        return 0;
    }
    error = record_file_sync(f);
    flock(f->fd, LOCK_UN); /* somebody may have a duplicate of the descriptor */
    if (close(f->fd) != 0 && error == 0)
        error = errno;
    f->fd = -1;
    return error;
}

void record_file_finish(record_file *f)
{
    record_file_close(f);
    ZSTD_freeCCtx(f->context);
    free(f->frame);
    record_file_init(f);
}
