/* Decide which job is next, and build what was read. See loader.h. */
#include "mesh/loader_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t wanted_seconds(void)
{
    const char *text = getenv(MESH_SECONDS_VARIABLE);
    char *end;
    const unsigned long seconds = text ? strtoul(text, &end, 10) : 0;

    return text && *text && *end == '\0' && seconds > 0 && seconds <= 86400 ? (uint32_t)seconds : MESH_SECONDS_MAX;
}

surface_loader *surface_loader_create(uv_loop_t *loop)
{
    surface_loader *loader = calloc(1, sizeof *loader);

    if (!loader)
        return NULL;
    loader->loop = loop;
    loader->seconds = wanted_seconds();
    return loader;
}

uv_loop_t *surface_loader_loop(const surface_loader *loader)
{
    return loader->loop;
}

uint32_t surface_loader_seconds(const surface_loader *loader, size_t files)
{
    return loader->seconds * (uint32_t)((files + MESH_HELPERS_MAX - 1) / MESH_HELPERS_MAX);
}

static void unlink_job(surface_job *job)
{
    surface_job **at = &job->loader->jobs;

    while (*at && *at != job)
        at = &(*at)->next;
    if (*at)
        *at = job->next;
}

static void free_job(surface_job *job)
{
    surface_finish(&job->answer.surface);
    free(job);
}

static size_t *busy_with(const surface_job *job)
{
    return &job->loader->busy[job->request.surface.kind == SURFACE_POINTS];
}

static void start_waiting(surface_loader *loader)
{
    for (surface_job *job = loader->jobs; job; job = job->next)
        if (job->state == JOB_WAITING && *busy_with(job) < MESH_HELPERS_MAX) {
            ++*busy_with(job);
            job_start(job);
        }
}

/* End a job that was running, and let the next ones run. */
static void retire(surface_job *job)
{
    surface_loader *loader = job->loader;
    const surface_user user = job->user;
    const bool is_cancelled = job->is_cancelled, has_failed = job->problem.text[0] != '\0';
    const char *file = job->request.surface.file;
    char error[MESH_ERROR_MAX];

    snprintf(error, sizeof error, "%s%s%s", file, file[0] ? ": " : "", job->problem.text);
    --*busy_with(job);
    unlink_job(job);
    free_job(job);
    if (loader->is_closing) {
        if (!loader->jobs)
            free(loader);
        return;
    }
    start_waiting(loader);
    if (!is_cancelled)
        user.done(user.context, has_failed ? error : NULL);
}

/* ---- building ---- */

static void build(void *context)
{
    surface_job *job = context;
    failure reason = {0};

    if (!frame_surface_check(&job->answer.surface, &reason))
        fail_with(&job->problem, "its reader is not understood: %s", reason.text);
    else if (job->user.build(job->user.context, &job->answer.surface, &reason) != 0)
        fail_with(&job->problem, "%s", reason.text);
}

static void on_built(void *context)
{
    retire(context);
}

static void on_dropped(void *context)
{
    surface_job *job = context;

    job->user.drop(job->user.context);
    free_job(job);
}

void loader_on_gone(surface_job *job)
{
    const worker_job work = {.context = job, .work = build, .done = on_built, .drop = on_dropped};

    if (job->problem.text[0] || job->is_cancelled) {
        retire(job);
        return;
    }
    job->state = JOB_BUILDING;
    job->builder = worker_start(job->loader->loop, &work);
    if (job->builder)
        return;
    fail_with(&job->problem, "out of memory, or of threads");
    retire(job);
}

/* ---- asking ---- */

surface_job *surface_load(surface_loader *loader, const surface_request *request, const surface_user *user)
{
    surface_job **at = &loader->jobs, *job = calloc(1, sizeof *job);

    if (!job)
        return NULL;
    job->loader = loader;
    job->user = *user;
    frame_request_fill(&job->request, request, loader->seconds, MESH_MEMORY_MAX);
    while (*at)
        at = &(*at)->next;
    *at = job;
    start_waiting(loader);
    return job;
}

static void cancel_building(surface_job *job)
{
    surface_loader *loader = job->loader;

    --*busy_with(job);
    unlink_job(job);
    worker_abandon(job->builder); /* may free the job */
    if (!loader->is_closing)
        start_waiting(loader);
}

static void cancel_other(surface_job *job, bool waits)
{
    const surface_user user = job->user;

    if (job->state == JOB_WAITING) {
        unlink_job(job);
        free_job(job);
    } else {
        job->is_cancelled = true;
        job_kill(job, waits);
    }
    user.drop(user.context);
}

void surface_cancel(surface_job *job)
{
    if (job->state == JOB_BUILDING)
        cancel_building(job);
    else
        cancel_other(job, true);
}

void surface_loader_close(surface_loader *loader)
{
    surface_job *next;

    if (!loader)
        return;
    loader->is_closing = true;
    for (surface_job *job = loader->jobs; job; job = next) {
        next = job->next;
        if (job->state == JOB_BUILDING)
            cancel_building(job);
        else if (job->is_cancelled)
            job_kill(job, false);
        else
            cancel_other(job, false);
    }
    if (!loader->jobs)
        free(loader);
}

/* ---- waiting for it ---- */

typedef struct waiting {
    surface *out;
    failure *failure;
    int result;
} waiting;

static int take(void *context, surface *s, failure *out_failure)
{
    waiting *w = context;

    (void)out_failure;
    *w->out = *s;
    *s = (surface){.vertices = NULL};
    return 0;
}

static void on_done(void *context, const char *error)
{
    waiting *w = context;

    w->result = error ? fail_int(w->failure, "%s", error) : 0;
}

static void on_drop(void *context)
{
    (void)context;
}

int surface_load_now(const surface_request *request, surface *out, failure *out_failure)
{
    waiting w = {.out = out, .failure = out_failure, .result = 1};
    const surface_user user = {.context = &w, .build = take, .done = on_done, .drop = on_drop};
    surface_loader *loader;
    uv_loop_t loop;
    int error;

    *out = (surface){.vertices = NULL};
    error = uv_loop_init(&loop);
    if (error != 0) {
        return fail_int(out_failure, "%s: cannot be read: %s", request->file, uv_strerror(error));
    }
    loader = surface_loader_create(&loop);
    if (loader && surface_load(loader, request, &user))
        uv_run(&loop, UV_RUN_DEFAULT);
    surface_loader_close(loader);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return w.result <= 0 ? w.result : fail_int(out_failure, "%s: out of memory", request->file);
}
