/* What the parts of the loader share: loader.c (who is next, and building) and job.c (one helper's life). Included by
 * nobody else. */
#ifndef CLASHD_MESH_LOADER_PRIVATE_H
#define CLASHD_MESH_LOADER_PRIVATE_H

#include "mesh/answer.h"
#include "mesh/loader.h"
#include "mesh/worker.h"

typedef enum job_state {
    JOB_WAITING,
    JOB_RUNNING, /* there is a helper, or handles that are left of one */
    JOB_BUILDING,
} job_state;

struct surface_job {
    surface_loader *loader;
    surface_job *next;
    surface_user user;
    job_state state;
    bool is_cancelled; /* and its context gone; the helper has still to be buried */
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
    surface_job *jobs; /* in order of asking */
    size_t busy[2];    /* running or building: of files, and of points, which do not wait for files */
    uint32_t seconds;
    bool is_closing;
};

/** Starts the helper. What goes wrong is a problem, told when all handles are closed, from the loop. */
void job_start(surface_job *job);
/** Kills the helper. Where `waits` is false nobody buries it: clashd itself is about to end. */
void job_kill(surface_job *job, bool waits);
/** job.c's call: the helper is gone, and its handles closed. */
void loader_on_gone(surface_job *job);

#endif
