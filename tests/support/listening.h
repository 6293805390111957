/* A directory of its own for each test, and listeners in it. */
#ifndef TESTS_LISTENING_H
#define TESTS_LISTENING_H

#include "support/fresh.h"
#include "support/line_client.h"
#include "support/own_folder.h"

#include "ipc/listener.h"
#include "ipc/socket_path.h"

#include <sys/stat.h>

#define CLIENTS_MAX 16

typedef struct fixture {
    char root[64]; /* a directory of its own, 0700 */
    char path[128];
    uv_loop_t loop;
    kept_log log;
    int fds[CLIENTS_MAX]; /* accepted */
    size_t fd_count;
    failure error;
} fixture;

static inline void on_connection(void *context, int fd)
{
    fixture *f = context;

    assert_true(f->fd_count < CLIENTS_MAX);
    f->fds[f->fd_count++] = fd;
}

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    own_folder_open(&f->root, &f->path, "s.sock", &f->loop);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    char command[128];

    for (size_t i = 0; i < f->fd_count; i++)
        close(f->fds[i]);
    for (int i = 0; i < 10; i++) /* not for ever: a test that failed may have left its listener open */
        uv_run(&f->loop, UV_RUN_NOWAIT);
    int closed = uv_loop_close(&f->loop);
    snprintf(command, sizeof command, "rm -rf '%s'", f->root);
    assert_int_equal(system(command), 0);
    free(f);
    assert_int_equal(closed, 0);
    return 0;
}

static inline listener_result open_at(fixture *f, const char *path, bool make_directory, listener **out)
{
    const listener_settings settings = {.loop = &f->loop,
                                        .path = path,
                                        .make_directory = make_directory,
                                        .log = {.context = &f->log, .write = kept_log_write},
                                        .context = f,
                                        .connection = on_connection};

    *out = NULL;
    return listener_open(&settings, out, fresh(&f->error));
}

static inline listener *open_ok(fixture *f)
{
    listener *l;
    listener_result result = open_at(f, f->path, false, &l);

    if (result != LISTENER_OK)
        fail_msg("%s", f->error.text);
    return l;
}

static inline unsigned mode_of(const char *path)
{
    struct stat status;

    assert_int_equal(lstat(path, &status), 0);
    return (unsigned)(status.st_mode & 07777);
}

static inline bool is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

static inline int bind_elsewhere(const char *path, bool listening)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(address.sun_path, path, strlen(path) + 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    if (listening)
        assert_int_equal(listen(fd, 8), 0);
    return fd;
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
