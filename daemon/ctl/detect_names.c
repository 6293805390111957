/* See detect_names.h. */
#include "detect_names.h"
#include "cli/name_end.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_BYTES 4096
#define DEPTH_MAX 64

/* A folder on the way to where we are. */
typedef struct folder {
    struct dirent **entries;
    int count, next;
    size_t length; /* of its own name in `path` */
} folder;

struct detect_names {
    char *const *words;
    size_t count, next;
    int list;
    bool list_ended;
    folder folders[DEPTH_MAX];
    size_t depth;
    char path[NAME_MAX_BYTES]; /* of the last entry */
    char line[NAME_MAX_BYTES]; /* of the list: `length` bytes of one that is not whole yet.. */
    size_t length;
    bool too_long; /* .. of which the rest is passed over */
    char buffer[16384];
    size_t start, end;
};

detect_names *detect_names_open(char *const *words, size_t count, const char *list, failure *out_failure)
{
    detect_names *n = calloc(1, sizeof *n);
    const bool is_standard = list && strcmp(list, "-") == 0;

    if (!n) {
        fail_with(out_failure, "out of memory");
        return NULL;
    }
    n->words = words;
    n->count = count;
    n->list = !list ? -1 : is_standard ? STDIN_FILENO : open(list, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    n->list_ended = !list;
    if (!list || n->list >= 0)
        return n;
    fail_with(out_failure, "%s: %s", list, strerror(errno));
    free(n);
    return NULL;
}

/* The innermost folder is done with. */
static void leave(detect_names *n)
{
    folder *f = &n->folders[--n->depth];

    for (int i = 0; i < f->count; i++)
        free(f->entries[i]);
    free(f->entries);
}

void detect_names_close(detect_names *n)
{
    if (!n)
        return;
    while (n->depth > 0)
        leave(n);
    if (n->list > STDIN_FILENO)
        close(n->list);
    free(n);
}

int detect_names_descriptor(const detect_names *n)
{
    return n->list_ended ? -1 : n->list;
}

/* ---- folders ---- */

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static detect_names_result enter(detect_names *n, failure *out_failure)
{
    folder *f = &n->folders[n->depth];

    if (n->depth == DEPTH_MAX) {
        fail_with(out_failure, "is a folder more than %d deep", DEPTH_MAX);
        return DETECT_NAMES_BAD;
    }
    *f = (folder){.length = strlen(n->path)};
    f->count = scandir(n->path, &f->entries, is_entry, by_bytes);
    if (f->count < 0) {
        fail_with(out_failure, "%s", strerror(errno));
        return DETECT_NAMES_BAD;
    }
    n->depth++;
    return DETECT_NAMES_LATER;
}

static bool is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* If nobody has named it, take no pipe: we might wait for ever. What is not there, as behind a link, shall be said. */
static bool is_recording(const char *path)
{
    struct stat s;

    return (name_ends_in(path, ".jsonl") || name_ends_in(path, ".jsonl.zst") || name_ends_in(path, ".mcap") ||
            name_ends_in(path, ".bsor")) &&
           (stat(path, &s) != 0 || S_ISREG(s.st_mode));
}

static bool is_link(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
}

/* LATER: what the entry is said nothing, or it was a folder, which comes now. */
static detect_names_result take_entry(detect_names *n, failure *out_failure)
{
    folder *f = &n->folders[n->depth - 1];
    const char *name;
    bool slash;

    if (f->next == f->count) {
        leave(n);
        return DETECT_NAMES_LATER;
    }
    name = f->entries[f->next++]->d_name;
    slash = f->length > 0 && n->path[f->length - 1] != '/';
    n->path[f->length] = '\0';
    if (f->length + slash + strlen(name) + 1 > sizeof n->path) {
        fail_with(out_failure, "has a file whose whole name is longer than %d bytes", NAME_MAX_BYTES - 1);
        return DETECT_NAMES_BAD;
    }
    snprintf(n->path + f->length, sizeof n->path - f->length, "%s%s", slash ? "/" : "", name);
    if (is_folder(n->path) && !is_link(n->path))
        return enter(n, out_failure);
    return is_recording(n->path) ? DETECT_NAMES_ONE : DETECT_NAMES_LATER;
}

/* Of a word or a line. */
static detect_names_result take_name(detect_names *n, const char *name, failure *out_failure)
{
    const size_t length = strlen(name);

    memcpy(n->path, name, length < sizeof n->path ? length : sizeof n->path - 1);
    n->path[length < sizeof n->path ? length : sizeof n->path - 1] = '\0';
    if (length >= sizeof n->path) {
        fail_with(out_failure, "is a name of more than %d bytes", NAME_MAX_BYTES - 1);
        return DETECT_NAMES_BAD;
    }
    return is_folder(n->path) ? enter(n, out_failure) : DETECT_NAMES_ONE;
}

/* ---- the list ---- */

/* LATER if nothing can be read without waiting, ONE if something was, END. */
static detect_names_result fill(detect_names *n, failure *out_failure)
{
    struct pollfd polled = {.fd = n->list, .events = POLLIN};
    ssize_t count;

    if (poll(&polled, 1, 0) <= 0)
        return DETECT_NAMES_LATER;
    count = read(n->list, n->buffer, sizeof n->buffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return DETECT_NAMES_LATER;
    if (count < 0) {
        fail_with(out_failure, "the list: %s", strerror(errno));
        n->list_ended = true;
        return DETECT_NAMES_ERROR;
    }
    n->start = 0;
    n->end = (size_t)count;
    n->list_ended = count == 0;
    return count == 0 ? DETECT_NAMES_END : DETECT_NAMES_ONE;
}

static detect_names_result end_line(detect_names *n, failure *out_failure)
{
    const bool was_too_long = n->too_long;
    const size_t length = n->length;

    n->line[length] = '\0';
    n->length = 0;
    n->too_long = false;
    if (length == 0)
        return DETECT_NAMES_LATER;
    if (!was_too_long && strlen(n->line) == length)
        return take_name(n, n->line, out_failure);
    memcpy(n->path, n->line, length + 1);
    fail_with(out_failure, was_too_long ? "is a name of more than %d bytes" : "is a name with a zero in it",
              NAME_MAX_BYTES - 2);
    return DETECT_NAMES_BAD;
}

static detect_names_result take_line(detect_names *n, failure *out_failure)
{
    detect_names_result filled = DETECT_NAMES_ONE;

    for (;;) {
        while (n->start < n->end) {
            const char c = n->buffer[n->start++];

            if (c == '\n')
                return end_line(n, out_failure);
            if (n->length + 1 < sizeof n->line)
                n->line[n->length++] = c;
            else
                n->too_long = true;
        }
        filled = fill(n, out_failure);
        if (filled == DETECT_NAMES_END)
            return end_line(n, out_failure);
        if (filled != DETECT_NAMES_ONE)
            return filled;
    }
}

detect_names_result detect_names_next(detect_names *n, const char **out_name, failure *out_failure)
{
    detect_names_result result = DETECT_NAMES_LATER;

    *out_name = n->path;
    while (result == DETECT_NAMES_LATER) {
        if (n->depth > 0)
            result = take_entry(n, out_failure);
        else if (n->next < n->count)
            result = take_name(n, n->words[n->next++], out_failure);
        else if (n->list_ended)
            return DETECT_NAMES_END;
        else if ((result = take_line(n, out_failure)) == DETECT_NAMES_LATER && n->start == n->end && n->depth == 0 &&
                 !n->list_ended)
            return DETECT_NAMES_LATER;
    }
    return result;
}
