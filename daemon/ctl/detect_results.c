/* See detect_results.h. */
#include "detect_results.h"

#include "cli/array.h"
#include "cli/output.h"
#include "cli/utf8.h"
#include "event_text.h"

#include <cjson/cJSON.h>
#include <clash/base.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A recording that is done. */
typedef struct row {
    char *name;
    uint64_t bytes;
    size_t order; /* the last line of a name counts */
    bool is_done;
} row;

struct detect_results {
    const char *path; /* NULL: standard output */
    int fd;
    row *rows; /* in the order of their names, each once */
    size_t count, capacity;
};

static bool add_row(detect_results *r, const cJSON *line)
{
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(line, "bytes");

    if (!array_grow(&r->rows, r->count, &r->capacity, sizeof *r->rows))
        return false;
    r->rows[r->count] = (row){.name = strdup(message_string(line, "file")),
                              .bytes = cJSON_IsNumber(bytes) && bytes->valuedouble >= 0 && bytes->valuedouble < 9e15
                                           ? (uint64_t)bytes->valuedouble
                                           : 0,
                              .order = r->count,
                              .is_done = strcmp(message_string(line, "result"), "done") == 0};
    if (!r->rows[r->count].name)
        return false;
    r->count++;
    return true;
}

/* One line of the file. */
static bool take_line(detect_results *r, const char *text, size_t number, const char *settings, failure *out_failure)
{
    cJSON *line = cJSON_Parse(text);
    const bool is_ours = strcmp(message_string(line, "type"), "detect") == 0 && message_string(line, "file")[0] != '\0';
    bool taken = false;

    if (!is_ours)
        fail_with(out_failure, "%s: line %zu is none of detect --summary", r->path, number);
    else if (strcmp(message_string(line, "version"), CLASH_VERSION_STRING) != 0)
        fail_with(out_failure, "%s: line %zu was made by version %.40s; this is " CLASH_VERSION_STRING, r->path, number,
                  message_string(line, "version"));
    else if (strcmp(message_string(line, "settings_sha256"), settings) != 0)
        fail_with(out_failure, "%s: line %zu was made with other settings (--config, --set)", r->path, number);
    else if (!(taken = add_row(r, line)))
        fail_with(out_failure, "out of memory");
    cJSON_Delete(line);
    return taken;
}

static int by_name(const void *a, const void *b)
{
    const row *x = a, *y = b;
    const int order = strcmp(x->name, y->name);

    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/* Of each name the last. */
static void sort_rows(detect_results *r)
{
    size_t kept = 0;

    if (r->count > 0)
        qsort(r->rows, r->count, sizeof *r->rows, by_name);
    for (size_t i = 0; i < r->count; i++) {
        if (i + 1 < r->count && strcmp(r->rows[i].name, r->rows[i + 1].name) == 0)
            free(r->rows[i].name);
        else
            r->rows[kept++] = r->rows[i];
    }
    r->count = kept;
}

/* What a line of ours begins with, however much of it is there: nothing else is cut off, as somebody may have named another file. */
static bool is_torn(detect_results *r, const char *text, size_t number, failure *out_failure)
{
    static const char begins[] = "{\"type\":\"detect\",";
    const size_t length = strlen(text);

    if (strncmp(text, begins, length < sizeof begins - 1 ? length : sizeof begins - 1) == 0)
        return true;
    return fail_with(out_failure, "%s: line %zu is none of detect --summary", r->path, number);
}

static bool read_file(detect_results *r, const char *settings, failure *out_failure)
{
    FILE *file = fdopen(dup(r->fd), "r");
    char *text = NULL;
    size_t size = 0, number = 0;
    off_t whole = 0;
    ssize_t length = 0;
    bool right = file != NULL;

    while (right && (length = getline(&text, &size, file)) > 0 && text[length - 1] == '\n') {
        right = take_line(r, text, ++number, settings, out_failure);
        whole += length;
    }
    if (right && length > 0)
        right = is_torn(r, text, number + 1, out_failure);
    if (right && (ferror(file) || ftruncate(r->fd, whole) != 0))
        right = false;
    if (!right)
        fail_with(out_failure, "%s: %s", r->path, strerror(errno)); /* if nobody has said another thing */
    free(text);
    if (file)
        fclose(file);
    sort_rows(r);
    return right;
}

static bool open_file(detect_results *r, bool resumes, const char *settings, failure *out_failure)
{
    struct stat s;

    r->fd = open(r->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | (resumes ? 0 : O_EXCL), 0600);
    if (r->fd < 0 && errno == EEXIST)
        return fail_with(out_failure, "%s: is there already: --resume goes on with it", r->path);
    if (r->fd < 0 || fstat(r->fd, &s) != 0)
        return fail_with(out_failure, "%s: %s", r->path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return fail_with(out_failure, "%s: is no regular file", r->path);
    if (flock(r->fd, LOCK_EX | LOCK_NB) != 0)
        return fail_with(out_failure, "%s: %s", r->path,
                         errno == EWOULDBLOCK ? "another clashctl detect writes to it" : strerror(errno));
    return !resumes || read_file(r, settings, out_failure);
}

detect_results *detect_results_open(const char *path, bool resumes, const char *settings, failure *out_failure)
{
    detect_results *r = calloc(1, sizeof *r);

    if (!r) {
        fail_with(out_failure, "out of memory");
        return NULL;
    }
    r->path = path;
    r->fd = -1;
    if (!path || open_file(r, resumes, settings, out_failure))
        return r;
    detect_results_close(r, out_failure);
    return NULL;
}

/* What is no UTF-8 is another name in the file. */
static bool is_utf8(const char *text)
{
    for (size_t left = strlen(text), length; left > 0; left -= length, text += length)
        if ((length = utf8_length(text, left)) == 0)
            return false;
    return true;
}

bool detect_results_has(const detect_results *r, const char *name, uint64_t bytes)
{
    size_t low = 0, high = r->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(r->rows[middle].name, name);

        if (order == 0)
            return r->rows[middle].is_done && r->rows[middle].bytes == bytes && is_utf8(name);
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return false;
}

bool detect_results_add(detect_results *r, const char *line, size_t length, failure *out_failure)
{
    const off_t before = r->path ? lseek(r->fd, 0, SEEK_END) : 0;
    ssize_t written;

    if (!r->path)
        return output_write(line, length) && (fflush(stdout) == 0 || (output_failed(errno), false));
    do
        written = write(r->fd, line, length);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)length)
        return true;
    fail_with(out_failure, "%s: %s", r->path, written < 0 ? strerror(errno) : "there is no room for a line");
    if (before >= 0 && ftruncate(r->fd, before) != 0)
        fail_with(out_failure, "%s", strerror(errno)); /* --resume cuts it off */
    return false;
}

bool detect_results_is(const detect_results *r, const char *path)
{
    struct stat own, other;

    return r->path && fstat(r->fd, &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev &&
           own.st_ino == other.st_ino;
}

void detect_results_leave(const detect_results *r)
{
    if (r->fd >= 0)
        close(r->fd);
}

int detect_results_close(detect_results *r, failure *out_failure)
{
    int result = 0;

    if (!r)
        return 0;
    if (r->fd >= 0 && (fsync(r->fd) != 0 || close(r->fd) != 0))
        result = fail_int(out_failure, "%s: %s", r->path, strerror(errno));
    for (size_t i = 0; i < r->count; i++)
        free(r->rows[i].name);
    free(r->rows);
    free(r);
    return result;
}
