/* Sync one descriptor at a time, a duplicate of the owner's. See sync.h. */
#include "sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

struct record_sync {
    uv_thread_t thread;
    uv_mutex_t mutex;
    uv_cond_t wake;
    int fd; /* being synced, or to be; -1: none */
    int error;
    bool is_stopping;
};

/* A function of its own, not inlined, so that tests/support/tsan.supp can name it. */
static __attribute__((noinline)) void close_duplicate(int fd)
{
    close(fd);
}

/* Some file systems have nothing to sync. */
static int sync_and_close(int fd)
{
    const int error = fdatasync(fd) == 0 || errno == EINVAL ? 0 : errno;

    close_duplicate(fd);
    return error;
}

static void run(void *context)
{
    record_sync *s = context;

    uv_mutex_lock(&s->mutex);
    while (!s->is_stopping || s->fd >= 0) {
        if (s->fd < 0) {
            uv_cond_wait(&s->wake, &s->mutex);
            continue;
        }
        const int fd = s->fd;
        uv_mutex_unlock(&s->mutex);
        const int error = sync_and_close(fd);
        uv_mutex_lock(&s->mutex);
        s->fd = -1;
        s->error = error ? error : s->error;
    }
    uv_mutex_unlock(&s->mutex);
}

record_sync *record_sync_create(void)
{
    record_sync *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->fd = -1;
    if (uv_mutex_init(&s->mutex) != 0) {
        free(s);
        return NULL;
    }
    if (uv_cond_init(&s->wake) != 0) {
        uv_mutex_destroy(&s->mutex);
        free(s);
        return NULL;
    }
    if (uv_thread_create(&s->thread, run, s) == 0)
        return s;
    uv_cond_destroy(&s->wake);
    uv_mutex_destroy(&s->mutex);
    free(s);
    return NULL;
}

bool record_sync_begin(record_sync *s, int fd)
{
    bool begins = false;

    uv_mutex_lock(&s->mutex);
    if (s->fd < 0) {
        s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        begins = s->fd >= 0;
        uv_cond_signal(&s->wake);
    }
    uv_mutex_unlock(&s->mutex);
    return begins;
}

int record_sync_take_error(record_sync *s)
{
    int error;

    uv_mutex_lock(&s->mutex);
    error = s->error;
    s->error = 0;
    uv_mutex_unlock(&s->mutex);
    return error;
}

void record_sync_destroy(record_sync *s)
{
    if (!s)
        return;
    uv_mutex_lock(&s->mutex);
    s->is_stopping = true;
    uv_cond_signal(&s->wake);
    uv_mutex_unlock(&s->mutex);
    uv_thread_join(&s->thread);
    uv_cond_destroy(&s->wake);
    uv_mutex_destroy(&s->mutex);
    free(s);
}
