/* Surfaces from files: each is read by a helper program of its own, with limits, and what comes back is looked at number by
 * number before anybody gets it. Whatever a file does to its reader, clashd only hears of it. All on the loop's thread but
 * where it says so; nothing here waits. */
#ifndef CLASHD_MESH_LOADER_H
#define CLASHD_MESH_LOADER_H

#include "cli/failure.h"
#include "mesh_data.h"

#include <uv.h>

/** So many helpers at a time for files, and as many for points; the others wait for their turn, in order. */
#define MESH_HELPERS_MAX 2
/** Of the text that says what is wrong, which begins with the file's name. */
#define MESH_ERROR_MAX (CLASH_TARGET_FILE_MAX + FAILURE_MAX + 2)
/** In the environment: seconds to use in place of MESH_SECONDS_MAX. */
#define MESH_SECONDS_VARIABLE "CLASHD_MESH_SECONDS"

typedef struct surface_loader surface_loader;
typedef struct surface_job surface_job;

typedef struct surface_user {
    void *context;
    /** On another thread: takes what it wants of the surface (and sets to NULL what it keeps). 0, or -1 with a message in
     *  out_failure, which needs no file's name. */
    int (*build)(void *context, surface *s, failure *out_failure);
    /** The end, from the loop: all is built where `error` is NULL, else it is the whole message, one line. */
    void (*done)(void *context, const char *error);
    /** The end of a job that was cancelled, at once or where it is being built later, on that thread: nothing uses the
     *  context any more. */
    void (*drop)(void *context);
} surface_user;

/** NULL when out of memory. */
surface_loader *surface_loader_create(uv_loop_t *loop);
uv_loop_t *surface_loader_loop(const surface_loader *loader);
/** The most that so many files can take, s. */
uint32_t surface_loader_seconds(const surface_loader *loader, size_t files);
/** Cancels all jobs. Frees itself when the loop has run. Accepts NULL. */
void surface_loader_close(surface_loader *loader);

/** NULL when out of memory: then nothing is called. The request is copied. */
surface_job *surface_load(surface_loader *loader, const surface_request *request, const surface_user *user);
/** Before its done. Its helper, if it has one, is killed. */
void surface_cancel(surface_job *job);

/** The same on a loop of its own, waiting for it. 0, or -1 with the whole message in out_failure. */
int surface_load_now(const surface_request *request, surface *out, failure *out_failure);

#endif
