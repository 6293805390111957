/* One helper's life: start, ask, read, reap. It is done when both the process and its output have ended, in either
 * order; until then a timer watches it. See loader.h. */
#include "mesh/loader_private.h"

#include "mesh/place.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STDERR_FLAGS UV_INHERIT_FD
#else
#define STDERR_FLAGS UV_IGNORE
#endif

static void kill_helper(surface_job *job)
{
    if (job->has_process && !job->has_exited)
        uv_process_kill(&job->process, SIGKILL);
}

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle)
{
    surface_job *job = handle->data;

    if (--job->handles_open == 0)
        loader_on_gone(job);
}

static void close_all(surface_job *job)
{
    uv_handle_t *all[] = {(uv_handle_t *)&job->timer, (uv_handle_t *)&job->to, (uv_handle_t *)&job->from,
                          (uv_handle_t *)&job->process};

    for (size_t i = 0; i < job->handles_open; i++)
        if (!uv_is_closing(all[i]))
            uv_close(all[i], on_closed);
}

static void explain_end(surface_job *job)
{
    if (answer_is_whole(&job->answer))
        return;
    if (job->exit_signal == SIGXCPU)
        fail_with(&job->problem, "reading it takes longer than %u s", (unsigned)job->request.seconds);
    else if (job->exit_signal == SIGKILL)
        fail_with(&job->problem,
                  "its reader was killed, as the system does with the largest program when memory runs out");
    else if (job->exit_signal)
        fail_with(&job->problem, "reading it crashed: %s", strsignal(job->exit_signal));
    else if (job->exit_status == 1) /* no code of the helper's own: a library or a sanitizer has ended it */
        fail_with(&job->problem,
                  "its reader gave up (exit code 1), as a rule for want of memory: it may have %" PRIu64 " MiB",
                  job->request.memory_bytes >> 20);
    else
        fail_with(&job->problem, "reading it ended too early, with exit code %" PRId64, job->exit_status);
}

static void end_if_over(surface_job *job)
{
    if (!job->has_ended || (job->has_process && !job->has_exited))
        return;
    if (job->has_process)
        explain_end(job);
    close_all(job);
}

static void on_exit_of_helper(uv_process_t *process, int64_t status, int signal_number)
{
    surface_job *job = process->data;

    job->has_exited = true;
    job->exit_status = status;
    job->exit_signal = signal_number;
    end_if_over(job);
}

/* Stop reading: what it sent no longer matters. */
static void give_up(surface_job *job)
{
    kill_helper(job);
    if (job->handles_open > 2)
        uv_read_stop((uv_stream_t *)&job->from);
    job->has_ended = true;
    end_if_over(job);
}

static void on_time_out(uv_timer_t *timer)
{
    surface_job *job = timer->data;

    fail_with(&job->problem, "reading it takes longer than %u s", (unsigned)job->request.seconds);
    give_up(job);
}

void job_kill(surface_job *job, bool waits)
{
    if (waits) {
        give_up(job);
        return;
    }
    kill_helper(job);
    close_all(job);
}

/* ---- what it says ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out_buffer)
{
    surface_job *job = handle->data;
    char *place;
    const size_t room = answer_room(&job->answer, &place);

    (void)suggested;
    *out_buffer = uv_buf_init(place, room > UINT_MAX ? UINT_MAX : (unsigned)room);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    surface_job *job = stream->data;

    (void)buffer;
    if (count == 0)
        return;
    if (count < 0) {
        uv_read_stop(stream);
        job->has_ended = true;
        end_if_over(job);
        return;
    }
    if (!answer_take(&job->answer, &job->request.surface, (size_t)count, &job->problem))
        give_up(job);
}

/* ---- the start ---- */

/* A helper that does not read must not cause a signal: it ends, or is silent, and both are noticed. */
static int ask(surface_job *job)
{
    const uv_buf_t request = uv_buf_init((char *)&job->request, sizeof job->request);
    const struct timespec now = {0};
    sigset_t pipe, before;
    int written;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    written = uv_try_write((uv_stream_t *)&job->to, &request, 1);
    if (written == UV_EPIPE && !sigismember(&before, SIGPIPE))
        sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return written == sizeof job->request || written == UV_EPIPE ? 0 : written < 0 ? written : UV_EIO;
}

/* Keep what is preloaded into clashd, such as a game's overlay, from the helper. Return NULL when out of memory. */
static char **make_environment(void)
{
    static const char preload[] = "LD_PRELOAD=";
    size_t count = 0, kept = 0;
    char **made;

    while (environ[count])
        count++;
    made = (char **)calloc(count + 1, sizeof(char *));
    for (size_t i = 0; made && i < count; i++)
        if (strncmp(environ[i], preload, sizeof preload - 1) != 0)
            made[kept++] = environ[i];
    return made;
}

static int spawn(surface_job *job, const char *path)
{
    uv_stdio_container_t stdio[] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&job->to},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&job->from},
        {.flags = STDERR_FLAGS, .data.fd = 2},
    };
    char *arguments[] = {(char *)(uintptr_t)path, NULL};
    const uv_process_options_t options = {
        .exit_cb = on_exit_of_helper,
        .file = path,
        .args = arguments,
        .env = make_environment(),
        .flags = UV_PROCESS_DETACHED, /* the terminal's keys are not for it */
        .stdio_count = 3,
        .stdio = stdio,
    };
    int error;

    error = options.env ? uv_spawn(job->loader->loop, &job->process, &options) : UV_ENOMEM;
    free((void *)options.env);
    return error;
}

static int start_helper(surface_job *job, const char *path)
{
    int error = spawn(job, path);

    job->has_process = error == 0;
    if (error != 0 && job->process.loop == NULL)
        return error;
    job->handles_open = 4; /* the process is a handle even if it was not started */
    if (error != 0)
        return error;
    error = uv_timer_start(&job->timer, on_time_out, (uint64_t)job->request.seconds * 1000, 0);
    if (error == 0)
        error = ask(job);
    return error != 0 ? error : uv_read_start((uv_stream_t *)&job->from, on_alloc, on_read);
}

/* In the order of close_all. */
static int open_handles(surface_job *job)
{
    uv_loop_t *loop = job->loader->loop;
    int error;

    uv_timer_init(loop, &job->timer); /* fills a struct and cannot fail */
    job->handles_open = 1;
    if ((error = uv_pipe_init(loop, &job->to, 0)) == 0)
        job->handles_open = 2;
    if (error == 0 && (error = uv_pipe_init(loop, &job->from, 0)) == 0)
        job->handles_open = 3;
    return error;
}

void job_start(surface_job *job)
{
    char path[PATH_MAX];
    int error;

    job->state = JOB_RUNNING;
    job->timer.data = job->process.data = job->to.data = job->from.data = job;
    if ((error = open_handles(job)) != 0)
        fail_with(&job->problem, "its reader cannot be started: %s", uv_strerror(error));
    else if (mesh_helper_place(path, sizeof path) != 0)
        fail_with(&job->problem, "its reader, " MESH_HELPER_NAME ", cannot be found: %s", strerror(errno));
    else if ((error = start_helper(job, path)) != 0)
        fail_with(&job->problem, "its reader cannot be started: %.256s: %s; $" MESH_HELPER_VARIABLE " names another",
                  path, uv_strerror(error));
    if (job->problem.text[0])
        give_up(job);
}
