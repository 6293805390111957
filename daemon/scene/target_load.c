/* One job for each file, and one worker for all targets that need none. What another thread may still use after a cancel has
 * memory of its own, which the last user frees. */
#include "target_load.h"

#include "mesh/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One target that is being made. */
typedef struct mesh_job {
    target_load *load;
    scene_target *target;
    surface_job *job; /* NULL: none, or done */
} mesh_job;

/** The targets that need no file. */
typedef struct rest {
    target_load *load;
    size_t count;
    const char *name; /* of the one that failed */
    failure reason;
    scene_target *targets[];
} rest;

struct target_load {
    target_load_user user;
    scene_target **targets; /* in order; until it is made, each is in a job or in the rest */
    mesh_job **jobs;        /* likewise; NULL: made, or in the rest */
    size_t count, left;     /* left: unfinished jobs, and the rest */
    rest *rest;
    worker *worker; /* NULL: done */
};

static void free_load(target_load *load)
{
    free((void *)load->targets);
    free((void *)load->jobs);
    free(load);
}

static void drop_mesh(void *context)
{
    mesh_job *p = context;

    scene_target_destroy(p->target);
    free(p);
}

static void drop_rest(void *context)
{
    rest *r = context;

    for (size_t i = 0; i < r->count; i++)
        scene_target_destroy(r->targets[i]);
    free(r);
}

/* Stop what is still being made, and free what is made. */
static void stop(target_load *load)
{
    if (load->worker && load->rest) {
        for (size_t i = 0; i < load->count; i++)
            for (size_t j = 0; j < load->rest->count; j++)
                if (load->targets[i] == load->rest->targets[j])
                    load->targets[i] = NULL;
        worker_abandon(load->worker);
    }
    for (size_t i = 0; i < load->count; i++) {
        mesh_job *p = load->jobs[i];

        if (!p) {
            scene_target_destroy(load->targets[i]);
        } else if (p->job) {
            surface_cancel(p->job);
        } else {
            drop_mesh(p);
        }
    }
}

void target_load_cancel(target_load *load)
{
    stop(load);
    free_load(load);
}

static void fail(target_load *load, const char *name, const char *reason)
{
    const target_load_user user = load->user;
    char error[CONFIG_ERROR_MAX];

    snprintf(error, sizeof error, "target '%s': %.*s", name, CONFIG_ERROR_MAX - 128, reason);
    target_load_cancel(load);
    user.done(user.context, NULL, error);
}

static void count_down(target_load *load)
{
    const target_load_user user = load->user;
    scene_target **targets = load->targets;

    if (--load->left > 0)
        return;
    load->targets = NULL;
    free_load(load);
    user.done(user.context, targets, NULL);
    free((void *)targets);
}

/* ---- what is in files ---- */

static int build_mesh(void *context, surface *s, failure *out_failure)
{
    return scene_target_build(((mesh_job *)context)->target, s, out_failure);
}

static void on_mesh(void *context, const char *error)
{
    mesh_job *p = context;
    target_load *load = p->load;

    p->job = NULL;
    if (error) {
        fail(load, p->target->definition.name, error);
        return;
    }
    for (size_t i = 0; i < load->count; i++)
        if (load->jobs[i] == p)
            load->jobs[i] = NULL;
    free(p);
    count_down(load);
}

static bool start_mesh(target_load *load, surface_loader *loader, size_t index, const surface_request *request)
{
    mesh_job *p = calloc(1, sizeof *p);
    const surface_user user = {.context = p, .build = build_mesh, .done = on_mesh, .drop = drop_mesh};

    if (!p)
        return false;
    *p = (mesh_job){.load = load, .target = load->targets[index]};
    load->jobs[index] = p;
    load->left++;
    p->job = surface_load(loader, request, &user);
    return p->job != NULL;
}

/* ---- what is not ---- */

static void build_rest(void *context)
{
    rest *r = context;

    for (size_t i = 0; i < r->count && !r->name; i++)
        if (scene_target_build(r->targets[i], NULL, &r->reason) != 0)
            r->name = r->targets[i]->definition.name;
}

static void on_rest(void *context)
{
    rest *r = context;
    target_load *load = r->load;

    load->worker = NULL;
    if (r->name)
        fail(load, r->name, r->reason.text);
    else
        count_down(load);
    free(r);
}

/* ---- the start ---- */

static bool make_targets(target_load *load, const clash_target_definition *definitions)
{
    for (size_t i = 0; i < load->count; i++) {
        load->targets[i] = scene_target_create(&definitions[i]);
        if (!load->targets[i])
            return false;
    }
    return true;
}

static bool start_all(target_load *load, surface_loader *loader, uv_loop_t *loop)
{
    const worker_job work = {.context = load->rest, .work = build_rest, .done = on_rest, .drop = drop_rest};
    surface_request request;

    for (size_t i = 0; i < load->count; i++)
        if (!target_shape_request((&load->targets[i]->definition), &request))
            load->rest->targets[load->rest->count++] = load->targets[i];
        else if (!start_mesh(load, loader, i, &request))
            return false;
    load->left++;
    load->worker = worker_start(loop, &work);
    return load->worker != NULL;
}

target_load *target_load_start(surface_loader *loader, const clash_target_definition *definitions, size_t count,
                               const target_load_user *user)
{
    target_load *load = calloc(1, sizeof *load);

    if (!load)
        return NULL;
    *load = (target_load){.user = *user, .count = count};
    load->targets = (scene_target **)calloc(count + 1, sizeof(scene_target *));
    load->jobs = (mesh_job **)calloc(count + 1, sizeof(mesh_job *));
    load->rest = calloc(1, sizeof *load->rest + count * sizeof(scene_target *));
    if (load->targets && load->jobs && load->rest) {
        load->rest->load = load;
        if (make_targets(load, definitions) && start_all(load, loader, surface_loader_loop(loader)))
            return load;
    } else {
        load->count = 0;
    }
    free(load->rest);
    load->rest = NULL;
    target_load_cancel(load);
    return NULL;
}

/* ---- a recording's targets ---- */

typedef struct waiting {
    struct waiting *next;
    pending_targets *targets;
    int64_t time_ns;
    char name[CLASH_TARGET_NAME_MAX], device[CLASH_TARGET_DEVICE_MAX];
    target_load *load;    /* NULL when done */
    scene_target *target; /* the target once made, */
    char *error;          /* or why it failed */
} waiting;

struct pending_targets {
    surface_loader *loader;
    pending_targets_user user;
    waiting *first;
    bool is_held;
};

pending_targets *pending_targets_create(surface_loader *loader, const pending_targets_user *user)
{
    pending_targets *p = calloc(1, sizeof *p);

    if (p)
        *p = (pending_targets){.loader = loader, .user = *user};
    return p;
}

static void free_waiting(waiting *w)
{
    if (w->load)
        target_load_cancel(w->load);
    scene_target_destroy(w->target);
    free(w->error);
    free(w);
}

void pending_targets_close(pending_targets *p)
{
    while (p && p->first) {
        waiting *w = p->first;

        p->first = w->next;
        free_waiting(w);
    }
    free(p);
}

static void hold(pending_targets *p)
{
    const bool is_held = p->first != NULL;

    if (is_held == p->is_held)
        return;
    p->is_held = is_held;
    p->user.hold(p->user.context, is_held);
}

static void report_finished(pending_targets *p)
{
    waiting *w;

    while ((w = p->first) && !w->load) {
        scene_target *target = w->target;

        p->first = w->next;
        w->target = NULL;
        p->user.made(p->user.context, w->time_ns, w->name, target,
                     target     ? NULL
                     : w->error ? w->error
                                : "out of memory");
        free_waiting(w);
    }
    hold(p);
}

static void on_done(void *context, scene_target **targets, const char *error)
{
    waiting *w = context;

    w->load = NULL;
    if (targets)
        w->target = targets[0];
    else
        w->error = strdup(error);
    report_finished(w->targets);
}

/* Make a target at once if it needs no file and nothing waits before it. */
static bool make_now(pending_targets *p, int64_t time_ns, const clash_target_definition *definition)
{
    failure why = {0};
    scene_target *target;

    if (p->first || scene_target_is_slow(definition))
        return false;
    target = scene_target_make(definition, &why);
    p->user.made(p->user.context, time_ns, definition->name, target, target ? NULL : why.text);
    return true;
}

void pending_targets_add(pending_targets *p, int64_t time_ns, const clash_target_definition *definition)
{
    waiting **at = &p->first, *w;
    target_load_user user = {.done = on_done};

    if (make_now(p, time_ns, definition))
        return;
    w = calloc(1, sizeof *w);
    if (!w) {
        p->user.made(p->user.context, time_ns, definition->name, NULL, "out of memory");
        return;
    }
    *w = (waiting){.targets = p, .time_ns = time_ns};
    memcpy(w->name, definition->name, sizeof w->name);
    memcpy(w->device, definition->device, sizeof w->device);
    user.context = w;
    w->load = target_load_start(p->loader, definition, 1, &user);
    while (*at)
        at = &(*at)->next;
    *at = w;
    report_finished(p);
}

void pending_targets_forget(pending_targets *p, const char *name, const char *device)
{
    waiting **at = &p->first;

    while (*at) {
        waiting *w = *at;

        if ((name && strcmp(w->name, name) == 0) || (device && strcmp(w->device, device) == 0)) {
            *at = w->next;
            free_waiting(w);
        } else {
            at = &w->next;
        }
    }
    report_finished(p);
}
