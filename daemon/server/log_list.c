/* The recordings of a directory, as JSON: the newest ones, each with its size and when it was written last. See pages.h. */
#include "pages.h"

#include "cli/array.h"
#include "cli/name_end.h"
#include "protocol/messages/encode_logs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/** So many are listed, the newest ones. */
#define LOG_LIST_MAX 1000

typedef struct found_logs {
    protocol_log *logs;
    size_t count, room;
    bool out_of_memory;
} found_logs;

bool log_list_is_name(const char *name)
{
    return name[0] != '.' && !strchr(name, '/') && (name_ends_in(name, ".jsonl") || name_ends_in(name, ".jsonl.zst"));
}

static void add(found_logs *found, const char *name, const struct stat *file)
{
    char *copy;

    if (!array_grow(&found->logs, found->count, &found->room, sizeof *found->logs)) {
        found->out_of_memory = true;
        return;
    }
    copy = strdup(name);
    found->out_of_memory = !copy;
    if (copy)
        found->logs[found->count++] = (protocol_log){
            .name = copy, .bytes = file->st_size > 0 ? (uint64_t)file->st_size : 0, .modified_s = file->st_mtim.tv_sec};
}

/* The newest first; of one second the greater name, which is the later part. */
static int by_age(const void *left, const void *right)
{
    const protocol_log *a = left, *b = right;

    if (a->modified_s != b->modified_s)
        return a->modified_s < b->modified_s ? 1 : -1;
    return -strcmp(a->name, b->name);
}

/* Return false with errno. */
static bool look(const char *path, found_logs *found)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    struct stat file;

    if (!directory)
        return false;
    while (!found->out_of_memory && (entry = readdir(directory)))
        if (log_list_is_name(entry->d_name) &&
            fstatat(dirfd(directory), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode))
            add(found, entry->d_name, &file);
    closedir(directory);
    errno = ENOMEM;
    return !found->out_of_memory;
}

char *log_list_make(const char *directory, size_t *out_length)
{
    found_logs found = {0};
    char *text = NULL;
    int error = 0;

    if (look(directory, &found)) {
        if (found.count > 0)
            qsort(found.logs, found.count, sizeof found.logs[0], by_age);
        text = protocol_encode_logs(directory, found.logs, found.count < LOG_LIST_MAX ? found.count : LOG_LIST_MAX,
                                    found.count, out_length);
        error = ENOMEM;
    } else {
        error = errno;
    }
    for (size_t i = 0; i < found.count; i++)
        free((char *)found.logs[i].name);
    free(found.logs);
    errno = error;
    return text;
}
