/* Pages that come from the disk: looked for in another thread, so that nobody waits for a disk but who asked. See pages.h. */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** So many may be looked for at a time: a disk that hangs is not asked by more and more. */
#define PAGE_DISK_MAX 8

typedef struct disk_job {
    uv_work_t work;
    server *server;
    page_answer *answer; /* NULL: nobody waits for it any more */
    char path[PATH_MAX], name[NAME_MAX + 1];
    const char *key, *content_type; /* NULL: the list is wanted */
    uint64_t bytes_max;
    int error; /* errno */
    int fd;    /* of the file that was found, or -1 */
    uint64_t bytes;
    char *text; /* the list */
    size_t length;
} disk_job;

/* A link could lead anywhere, and to open what is no file could wait for ever. */
static int open_named(const disk_job *job)
{
    const int directory = open(job->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd, error;

    if (directory < 0)
        return -1;
    fd = openat(directory, job->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    error = errno;
    close(directory);
    errno = error;
    return fd;
}

static void find_file(disk_job *job)
{
    struct stat found;

    job->fd = job->name[0] ? open_named(job) : open(job->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (job->fd < 0 || fstat(job->fd, &found) != 0)
        job->error = errno;
    else if (!S_ISREG(found.st_mode))
        job->error = S_ISDIR(found.st_mode) ? EISDIR : EINVAL;
    else if (job->bytes_max > 0 && (uint64_t)found.st_size > job->bytes_max)
        job->error = EFBIG;
    else
        job->bytes = (uint64_t)found.st_size;
    if (job->error != 0 && job->fd >= 0) {
        close(job->fd);
        job->fd = -1;
    }
}

/* In another thread. */
static void work(uv_work_t *request)
{
    disk_job *job = request->data;

    if (job->content_type) {
        find_file(job);
        return;
    }
    job->text = log_list_make(job->path, &job->length);
    job->error = job->text ? 0 : errno;
}

static void refuse(disk_job *job)
{
    const bool is_absent = job->error == ENOENT || job->error == ELOOP || job->error == ENOTDIR ||
                           job->error == EISDIR || job->error == EINVAL || job->error == ENAMETOOLONG;
    const char *status = is_absent              ? "404 Not Found"
                         : job->error == EACCES ? "403 Forbidden"
                         : job->error == ENOMEM ? "503 Service Unavailable"
                                                : "500 Internal Server Error";

    if (job->key)
        page_answer_refuse(job->answer, status, "%s in clashd's configuration: the file cannot be read: %s", job->key,
                           strerror(job->error));
    else if (job->name[0] && is_absent)
        page_answer_refuse(job->answer, status, "there is no such recording (any more)");
    else
        page_answer_refuse(job->answer, status, "cannot read %.200s: %s", job->path, strerror(job->error));
}

static void give(disk_job *job)
{
    page_head head = {.content_type = job->content_type, .cache = "no-store", .length = job->bytes};

    if (job->error != 0) {
        refuse(job);
    } else if (job->content_type) {
        page_answer_file(job->answer, &head, job->fd);
        job->fd = -1;
    } else {
        head.content_type = "application/json";
        head.length = job->length;
        page_answer_heap(job->answer, &head, job->text);
        job->text = NULL;
    }
}

static void on_done(uv_work_t *request, int status)
{
    disk_job *job = request->data;
    server *s = job->server;

    if (job->answer && status == 0)
        give(job);
    if (job->fd >= 0)
        close(job->fd);
    free(job->text);
    free(job);
    s->disk_jobs--;
    server_free_if_over(s);
}

static void on_gone(void *context)
{
    disk_job *job = context;

    job->answer = NULL;
    uv_cancel((uv_req_t *)&job->work); /* if it is not at work yet */
}

static void begin(server *s, page_answer *a, const disk_job *wanted)
{
    disk_job *job = s->disk_jobs < PAGE_DISK_MAX ? malloc(sizeof *job) : NULL;

    if (job) {
        *job = *wanted;
        job->work.data = job;
        job->server = s;
        job->answer = a;
    }
    if (!job || uv_queue_work(s->settings.loop, &job->work, work, on_done) != 0) {
        free(job);
        page_answer_refuse(a, "503 Service Unavailable", "too much is being read at once: try again");
        return;
    }
    s->disk_jobs++;
    page_answer_later(a, on_gone, job);
}

/* Return false if it does not fit, which has been answered. */
static bool set_path(disk_job *job, page_answer *a, const char *path)
{
    const size_t length = strlen(path);

    if (length >= sizeof job->path) {
        page_answer_refuse(a, "500 Internal Server Error", "the path is too long: %.200s", path);
        return false;
    }
    memcpy(job->path, path, length + 1);
    return true;
}

void pages_open_file(server *s, page_answer *a, const page_file_wanted *wanted)
{
    disk_job job = {.key = wanted->key, .content_type = wanted->content_type, .bytes_max = wanted->bytes_max, .fd = -1};

    if (wanted->name)
        memcpy(job.name, wanted->name, strlen(wanted->name) + 1);
    if (set_path(&job, a, wanted->path))
        begin(s, a, &job);
}

void pages_list_logs(server *s, page_answer *a, const char *directory)
{
    disk_job job = {.fd = -1};

    if (set_path(&job, a, directory))
        begin(s, a, &job);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool pages_log_name(const char *text, size_t length, char *out_name, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        char c = text[i];

        if (c == '%') {
            const int high = i + 2 < length ? digit_of(text[i + 1]) : -1, low = high >= 0 ? digit_of(text[i + 2]) : -1;

            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0' || c == '/' || count + 1 >= size)
            return false;
        out_name[count++] = c;
    }
    out_name[count] = '\0';
    return log_list_is_name(out_name);
}
