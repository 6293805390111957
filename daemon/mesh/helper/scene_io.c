/* A glTF names the files of its buffers; only files in its own folder, or below, are opened. Each is read whole, so
 * that nothing stays open and later only memory is needed. */
#include "mesh/helper/scene_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mesh/file.h"
#include "mesh/helper/gltf_check.h"
#include "mesh/helper/obj_check.h"
#include "mesh/mesh_data.h"

typedef struct open_file {
    struct aiFile file; /* for assimp */
    char *bytes;
    size_t size, at;
    bool is_own; /* otherwise the bytes are the scene_io's */
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

    if (from > f->size || offset > f->size - from)
        return aiReturn_FAILURE;
    f->at = from + offset;
    return aiReturn_SUCCESS;
}

static size_t folder_length(const scene_io *io)
{
    const char *slash = strrchr(io->path, '/');

    return slash ? (size_t)(slash - io->path) + 1 : 0;
}

/** Return whether `name` is the file asked for, or one in its folder that does not lead out of it. Not a material file,
 *  which has no triangles. */
static bool is_allowed(const scene_io *io, const char *name)
{
    const char *end = strrchr(name, '.');
    const size_t folder = folder_length(io);

    if (strcmp(name, io->path) == 0)
        return true;
    if (end && strcmp(end, ".mtl") == 0)
        return false;
    if (strncmp(name, io->path, folder) != 0)
        return false;
    name += folder;
    return *name && *name != '/' && !strstr(name, "..");
}

/** Turn an OBJ's material lines into comments: they do not matter for triangles, and each costs the loader a thousand
 *  times its size in memory. */
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

static struct aiFile *make(char *bytes, size_t size, bool is_own)
{
    open_file *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->bytes = bytes;
    f->size = size;
    f->is_own = is_own;
    f->file = (struct aiFile){.ReadProc = read_items,
                              .WriteProc = write_items,
                              .TellProc = tell,
                              .FileSizeProc = file_size,
                              .SeekProc = seek,
                              .FlushProc = flush,
                              .UserData = (aiUserData)(void *)f};
    return &f->file;
}

static struct aiFile *open_external(scene_io *io, const char *name)
{
    struct aiFile *file;
    size_t size;
    char *bytes;

    switch (file_read(name, io->left, &bytes, &size)) {
    case FILE_READ:
        break;
    case FILE_TOO_LARGE:
        io->too_large = true;
        return NULL;
    case FILE_CANNOT:
        fail_with(&io->wrong, "%.128s, which it names: %s", name + folder_length(io), strerror(errno));
        return NULL;
    }
    io->left -= size;
    file = make(bytes, size, true);
    if (!file)
        free(bytes);
    return file;
}

static struct aiFile *open_one(struct aiFileIO *self, const char *name, const char *mode)
{
    scene_io *io = (scene_io *)(void *)self->UserData;

    if (mode[0] != 'r' || !is_allowed(io, name))
        return NULL;
    return strcmp(name, io->path) == 0 ? make(io->bytes, io->length, false) : open_external(io, name);
}

static void close_one(struct aiFileIO *self, struct aiFile *file)
{
    open_file *f = file ? (open_file *)(void *)file->UserData : NULL;

    (void)self;
    if (f && f->is_own)
        free(f->bytes);
    free(f);
}

/* Let checks see another file as assimp will get it, or not at all. */
static char *read_external(void *context, const char *uri, size_t *out_size)
{
    scene_io *io = context;
    const size_t folder = folder_length(io);
    char *name = malloc(folder + strlen(uri) + 1), *bytes = NULL;

    if (!name)
        return NULL;
    memcpy(name, io->path, folder);
    memcpy(name + folder, uri, strlen(uri) + 1);
    if (!is_allowed(io, name) || file_read(name, io->left - io->looked, &bytes, out_size) != FILE_READ)
        bytes = NULL;
    io->looked += bytes ? *out_size : 0;
    free(name);
    return bytes;
}

int scene_io_init(scene_io *out, const char *path, char *bytes, size_t length)
{
    const gltf_external beside = {out, read_external};

    *out = (scene_io){.io = {.OpenProc = open_one, .CloseProc = close_one},
                      .path = path,
                      .bytes = bytes,
                      .length = length,
                      .left = MESH_FILE_BYTES_MAX - length};
    out->io.UserData = (aiUserData)(void *)out;
    if (ends_in(path, ".obj")) {
        obj_check(bytes, length, &out->wrong);
        hide_materials(bytes, length);
    } else {
        gltf_check(bytes, length, &beside, &out->wrong);
    }
    return out->wrong.text[0] ? -1 : 0;
}
