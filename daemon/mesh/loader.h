/* Surfaces from files: a helper program of its own, with limits, reads each, and every number of its answer is checked.
 * Whatever a file does to its reader, clashd only gets an error. All on the loop's thread, unless noted; nothing here
 * waits. */
#ifndef CLASHD_MESH_LOADER_H
#define CLASHD_MESH_LOADER_H

#include "cli/failure.h"
#include "mesh_data.h"

#include <uv.h>

/** At most so many helpers at a time for files, and as many for points; other jobs wait in order. */
#define MESH_HELPERS_MAX 2
/** The size of an error's text, which begins with the file's name. */
#define MESH_ERROR_MAX (CLASH_TARGET_FILE_MAX + FAILURE_MAX + 2)
/** Environment variable: seconds in place of MESH_SECONDS_MAX. */
#define MESH_SECONDS_VARIABLE "CLASHD_MESH_SECONDS"

typedef struct surface_loader surface_loader;
typedef struct surface_job surface_job;

typedef struct surface_user {
    void *context;
    /** On another thread: take what you want of the surface, and set to NULL what you keep. Return 0, or -1 with a
     *  message in out_failure, without the file's name. */
    int (*build)(void *context, surface *s, failure *out_failure);
    /** The end, from the loop: all is built if `error` is NULL, else it is the whole message, one line. */
    void (*done)(void *context, const char *error);
    /** The end of a cancelled job, at once, or later on the thread that is building it: nothing uses the context any
     *  more. */
    void (*drop)(void *context);
} surface_user;

/** Create a loader. Return NULL when out of memory. */
surface_loader *surface_loader_create(uv_loop_t *loop);
uv_loop_t *surface_loader_loop(const surface_loader *loader);
/** Return the most seconds that so many files can take. */
uint32_t surface_loader_seconds(const surface_loader *loader, size_t files);
/** Cancel all jobs. Frees itself once the loop has run. Accepts NULL. */
void surface_loader_close(surface_loader *loader);

/** Start a job; the request is copied. Return NULL when out of memory: then nothing is called. */
surface_job *surface_load(surface_loader *loader, const surface_request *request, const surface_user *user);
/** Cancel a job before its `done`. Its helper, if any, is killed. */
void surface_cancel(surface_job *job);

/** Load on a loop of its own and wait. Return 0, or -1 with the whole message in out_failure. */
int surface_load_now(const surface_request *request, surface *out, failure *out_failure);

#endif
