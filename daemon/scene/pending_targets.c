/* A list of targets that are not loaded yet; they are reported in order. See pending_targets.h. */
#include "pending_targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
