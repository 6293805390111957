/* A glTF names files that its buffers are in; only those in the folder of the glTF itself, or below, are opened. Each is read
 * whole, so that nothing is left open, and nothing but memory is asked for afterwards. */
#include <stdbool.h>

#include "app/mesh_file_io.h"
#include "app/mesh_gltf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct open_file {
    struct aiFile file; /* for assimp */
    char *bytes;
    size_t size, at;
} open_file;

static size_t read_items(struct aiFile *file, char *buffer, size_t size, size_t count)
{
    open_file *f = (open_file *)(void *)file->UserData;
    size_t items = size ? (f->size - f->at) / size : 0;

    items = items < count ? items : count;
    if (items > 0)
        memcpy(buffer, f->bytes + f->at, items * size);
    f->at += items * size;
    return items;
}

static size_t write_items(struct aiFile *file, const char *buffer, size_t size, size_t count)
{
    (void)file;
    (void)buffer;
    (void)size;
    (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    return ((open_file *)(void *)file->UserData)->at;
}

static size_t file_size(struct aiFile *file)
{
    return ((open_file *)(void *)file->UserData)->size;
}

static void flush(struct aiFile *file)
{
    (void)file;
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    open_file *f = (open_file *)(void *)file->UserData;
    size_t from = origin == aiOrigin_CUR ? f->at : origin == aiOrigin_END ? f->size : 0;

    if (offset > f->size - from)
        return aiReturn_FAILURE;
    f->at = from + offset;
    return aiReturn_SUCCESS;
}

/** Whether `name` is the file asked for, or one of its folder that is no way out of it. A material file says nothing of
 *  triangles. */
static bool is_allowed(const mesh_io *io, const char *name)
{
    const char *slash = strrchr(io->path, '/'), *end = strrchr(name, '.');
    size_t folder = slash ? (size_t)(slash - io->path) + 1 : 0;

    if (strcmp(name, io->path) == 0)
        return true;
    if (end && strcmp(end, ".mtl") == 0)
        return false;
    if (strncmp(name, io->path, folder) != 0)
        return false;
    name += folder;
    return *name && *name != '/' && !strstr(name, "..");
}

static bool read_all(int fd, char *out, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = read(fd, out + done, size - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/** The file's bytes; NULL where it is none, or larger than what may still be read. */
static char *take(mesh_io *io, int fd, size_t *out_size)
{
    struct stat about;
    char *bytes;

    if (fstat(fd, &about) < 0)
        return NULL;
    if (!S_ISREG(about.st_mode)) {
        io->error = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    if ((uint64_t)about.st_size > io->left) {
        io->too_large = true;
        return NULL;
    }
    *out_size = (size_t)about.st_size;
    bytes = malloc(*out_size + 1);
    if (bytes && !read_all(fd, bytes, *out_size)) {
        free(bytes);
        return NULL;
    }
    if (bytes)
        io->left -= *out_size;
    return bytes;
}

/** An OBJ's lines of materials become comments: they say nothing of triangles, and each takes the loader a thousand times
 *  its own memory. */
static void hide_materials(char *bytes, size_t size)
{
    static const char word[] = "usemtl";

    for (char *line = bytes, *end = bytes + size; line && line < end;) {
        while (line < end && (*line == ' ' || *line == '\t'))
            line++;
        if ((size_t)(end - line) >= sizeof word - 1 && memcmp(line, word, sizeof word - 1) == 0)
            *line = '#';
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), end_length = strlen(end);

    return length >= end_length && strcasecmp(name + length - end_length, end) == 0;
}

/** Of the file asked for; one beside it is bytes, which say nothing of themselves. */
static bool may_be_had(mesh_io *io, const char *name, open_file *f)
{
    if (strcmp(name, io->path) != 0)
        return true;
    if (ends_in(name, ".obj")) {
        hide_materials(f->bytes, f->size);
        return true;
    }
    if (!io->is_checked)
        mesh_gltf_check(f->bytes, f->size, io->wrong, sizeof io->wrong);
    io->is_checked = true;
    return !io->wrong[0];
}

static struct aiFile *open_one(struct aiFileIO *self, const char *name, const char *mode)
{
    mesh_io *io = (mesh_io *)(void *)self->UserData;
    open_file *f;
    int fd;

    if (mode[0] != 'r' || !is_allowed(io, name))
        return NULL;
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        io->error = io->error ? io->error : errno;
        return NULL;
    }
    f = calloc(1, sizeof *f);
    if (f)
        f->bytes = take(io, fd, &f->size);
    close(fd);
    if (!f || !f->bytes || !may_be_had(io, name, f)) {
        if (f)
            free(f->bytes);
        free(f);
        return NULL;
    }
    f->file = (struct aiFile){.ReadProc = read_items,
                              .WriteProc = write_items,
                              .TellProc = tell,
                              .FileSizeProc = file_size,
                              .SeekProc = seek,
                              .FlushProc = flush,
                              .UserData = (aiUserData)(void *)f};
    return &f->file;
}

static void close_one(struct aiFileIO *self, struct aiFile *file)
{
    (void)self;
    if (!file)
        return;
    free(((open_file *)(void *)file->UserData)->bytes);
    free((open_file *)(void *)file->UserData);
}

void mesh_io_init(mesh_io *io, const char *path, uint64_t bytes)
{
    *io = (mesh_io){.io = {.OpenProc = open_one, .CloseProc = close_one}, .path = path, .left = bytes};
    io->io.UserData = (aiUserData)(void *)io;
}
