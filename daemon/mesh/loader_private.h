/* What the parts of the loader share: loader.c (the queue, and building) and job.c (one helper's life). Nobody else
 * includes it. */
#ifndef CLASHD_MESH_LOADER_PRIVATE_H
#define CLASHD_MESH_LOADER_PRIVATE_H

#include "mesh/answer.h"
#include "mesh/loader.h"
#include "mesh/worker.h"

typedef enum job_state {
    JOB_WAITING,
    JOB_RUNNING, /* it has a helper, or handles left from one */
    JOB_BUILDING,
} job_state;

struct surface_job {
    surface_loader *loader;
    surface_job *next;
    surface_user user;
    job_state state;
    bool is_cancelled; /* its context is gone; only the helper is left to reap */
    frame_request request;

    uv_timer_t timer;
    uv_process_t process;
    uv_pipe_t to, from; /* the helper's standard input and output */
    unsigned handles_open;
    bool has_process, has_exited, has_ended; /* ended: its output has */
    int64_t exit_status;
    int exit_signal;

    answer answer;
    worker *builder;
    failure problem;
};

struct surface_loader {
    uv_loop_t *loop;
    surface_job *jobs; /* in order of arrival */
    size_t busy[2];    /* running or building: of files, and of points, which do not wait for files */
    uint32_t seconds;
    bool is_closing;
};

/** Start the helper. A failure is reported from the loop, once all handles are closed. */
void job_start(surface_job *job);
/** Kill the helper. If `waits` is false nobody reaps it: clashd itself is about to end. */
void job_kill(surface_job *job, bool waits);
/** Called by job.c: the helper is gone and its handles are closed. */
void loader_on_gone(surface_job *job);

#endif
