/* The names in a directory of recordings: made, counted, and cleared by age; see directory.h. */
#include "directory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "clash-"
#define SESSION_DIGITS 6
/* What stands between prefix and ending: 0 is a digit, x a digit of a session's id, else itself. More digits may
 * follow. */
#define PATTERN "00000000-000000Z-xxxxxx-0000"
/* The '-' before the part. */
#define PART_AT (sizeof PREFIX - 1 + sizeof "00000000-000000Z-xxxxxx" - 1)

int record_directory_make(const char *path)
{
    char part[4096];
    size_t length = strlen(path);

    if (length >= sizeof part)
        return ENAMETOOLONG;
    for (size_t end = 1; end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0')
            continue;
        memcpy(part, path, end);
        part[end] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return errno;
    }
    return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

/* Cut DIRECTORY/NAME to DIRECTORY. */
static void cut_to_parent(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash)
        memcpy(path, ".", sizeof ".");
    else
        slash[slash == path] = '\0';
}

/* If some of the path is missing, the nearest existing directory above must allow to create it. A dangling link is not
 * missing. */
int record_directory_check(const char *path)
{
    char part[4096];
    struct stat about;

    if (strlen(path) >= sizeof part)
        return ENAMETOOLONG;
    snprintf(part, sizeof part, "%s", path);
    while (stat(part, &about) != 0) {
        const int error = errno;

        if (error != ENOENT || lstat(part, &about) == 0)
            return error;
        cut_to_parent(part);
    }
    if (!S_ISDIR(about.st_mode))
        return ENOTDIR;
    return access(part, W_OK | X_OK) == 0 ? 0 : errno;
}

int record_directory_name(char *out_path, size_t size, const char *directory, time_t now, const char *session,
                          unsigned part, bool compress)
{
    struct tm parts;
    char date[40];
    int length;

    if (!gmtime_r(&now, &parts) || strftime(date, sizeof date, "%Y%m%d-%H%M%SZ", &parts) == 0)
        return -1;
    length = snprintf(out_path, size, "%s/" PREFIX "%s-%.*s-%04u.jsonl%s", directory, date, SESSION_DIGITS, session,
                      part, compress ? ".zst" : "");
    return length >= 0 && (size_t)length < size ? 0 : -1;
}

bool record_directory_is_name(const char *name)
{
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return false;
    name += strlen(PREFIX);
    for (const char *p = PATTERN; *p; p++, name++) {
        bool right = *p == '0'   ? isdigit((unsigned char)*name) != 0
                     : *p == 'x' ? isxdigit((unsigned char)*name) != 0
                                 : *p == *name;

        if (!right)
            return false;
    }
    while (isdigit((unsigned char)*name))
        name++;
    return strcmp(name, ".jsonl") == 0 || strcmp(name, ".jsonl.zst") == 0;
}

/* A recording in the directory, and what tells its age. */
typedef struct dated {
    char *name;
    struct timespec written; /* last; 0 if not known */
} dated;

/* The part is the number after the last '-'. */
static int compare_parts(const char *a, const char *b)
{
    const unsigned long first = strtoul(strrchr(a, '-') + 1, NULL, 10), second = strtoul(strrchr(b, '-') + 1, NULL, 10);

    return (first > second) - (first < second);
}

/* Compare by the second in the name, then by when it was last written, because a session's id is random. If both are
 * equal (file systems tick in steps of some ms), at least the parts of one session are in order. */
static int compare_ages(const void *left, const void *right)
{
    const dated *a = left, *b = right;
    int order = strncmp(a->name, b->name, PART_AT - 1 - SESSION_DIGITS);

    if (order == 0)
        order = (a->written.tv_sec > b->written.tv_sec) - (a->written.tv_sec < b->written.tv_sec);
    if (order == 0)
        order = (a->written.tv_nsec > b->written.tv_nsec) - (a->written.tv_nsec < b->written.tv_nsec);
    if (order == 0)
        order = strncmp(a->name, b->name, PART_AT);
    if (order == 0)
        order = compare_parts(a->name, b->name);
    return order != 0 ? order : strcmp(a->name, b->name);
}

static struct timespec last_written(int directory, const char *name)
{
    struct stat about;

    if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return (struct timespec){0};
    return about.st_mtim;
}

/* Return the directory's recordings, oldest first; the caller frees them and the list. Out of memory there are
 * fewer. */
static dated *list_recordings(DIR *directory, size_t *out_count)
{
    dated *found = NULL;
    struct dirent *entry;

    *out_count = 0;
    while ((entry = readdir(directory)) != NULL) {
        dated *more;

        if (!record_directory_is_name(entry->d_name))
            continue;
        more = realloc(found, (*out_count + 1) * sizeof *found);
        if (!more)
            break;
        found = more;
        found[*out_count] = (dated){strdup(entry->d_name), last_written(dirfd(directory), entry->d_name)};
        if (!found[*out_count].name)
            break;
        ++*out_count;
    }
    if (*out_count > 0)
        qsort(found, *out_count, sizeof *found, compare_ages);
    return found;
}

static bool is_in_use(int directory, const char *name)
{
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    bool in_use = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return in_use;
}

/* Return whether the file is gone now. */
static bool remove_one(int directory, const char *name, record_directory_removed removed, void *context)
{
    const int error = unlinkat(directory, name, 0) == 0 ? 0 : errno;

    if (removed && error != ENOENT)
        removed(context, name, error);
    return error == 0;
}

size_t record_directory_keep(const char *directory, uint32_t keep, const char *current,
                             record_directory_removed removed, void *context)
{
    DIR *opened = opendir(directory);
    const char *slash = strrchr(current, '/');
    const char *current_name = slash ? slash + 1 : current;
    size_t count, gone = 0;
    dated *found;

    if (!opened)
        return 0;
    found = list_recordings(opened, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = found[i].name;

        if (count - gone > keep && strcmp(name, current_name) != 0 && !is_in_use(dirfd(opened), name))
            gone += remove_one(dirfd(opened), name, removed, context);
    }
    for (size_t i = 0; i < count; i++)
        free(found[i].name);
    free(found);
    closedir(opened);
    return gone;
}
