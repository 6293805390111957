/* A list of those that are not there yet; the first of it is told first. See late_targets.h. */
#include "late_targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct waiting {
    struct waiting *next;
    late_targets *late;
    int64_t time_ns;
    char name[CLASH_TARGET_NAME_MAX], device[CLASH_TARGET_DEVICE_MAX];
    target_load *load;  /* NULL: over */
    app_target *target; /* once it is made.. */
    char *error;        /* ..or why not */
} waiting;

struct late_targets {
    surface_loader *loader;
    late_targets_user user;
    waiting *first;
    bool is_held;
};

late_targets *late_targets_create(surface_loader *loader, const late_targets_user *user)
{
    late_targets *late = calloc(1, sizeof *late);

    if (late)
        *late = (late_targets){.loader = loader, .user = *user};
    return late;
}

static void free_waiting(waiting *w)
{
    if (w->load)
        target_load_cancel(w->load);
    app_target_destroy(w->target);
    free(w->error);
    free(w);
}

void late_targets_close(late_targets *late)
{
    while (late && late->first) {
        waiting *w = late->first;

        late->first = w->next;
        free_waiting(w);
    }
    free(late);
}

static void hold(late_targets *late)
{
    const bool is_held = late->first != NULL;

    if (is_held == late->is_held)
        return;
    late->is_held = is_held;
    late->user.hold(late->user.context, is_held);
}

static void tell_those_that_are_there(late_targets *late)
{
    waiting *w;

    while ((w = late->first) && !w->load) {
        app_target *target = w->target;

        late->first = w->next;
        w->target = NULL;
        late->user.made(late->user.context, w->time_ns, w->name, target,
                        target     ? NULL
                        : w->error ? w->error
                                   : "out of memory");
        free_waiting(w);
    }
    hold(late);
}

static void on_done(void *context, app_target **targets, const char *error)
{
    waiting *w = context;

    w->load = NULL;
    if (targets)
        w->target = targets[0];
    else
        w->error = strdup(error);
    tell_those_that_are_there(w->late);
}

/* What needs no file, and has nobody before it, is made at once. */
static bool make_now(late_targets *late, int64_t time_ns, const clash_target_definition *definition)
{
    failure why = {0};
    app_target *target;

    if (late->first || app_target_is_slow(definition))
        return false;
    target = app_target_make(definition, &why);
    late->user.made(late->user.context, time_ns, definition->name, target, target ? NULL : why.text);
    return true;
}

void late_targets_add(late_targets *late, int64_t time_ns, const clash_target_definition *definition)
{
    waiting **at = &late->first, *w;
    target_load_user user = {.done = on_done};

    if (make_now(late, time_ns, definition))
        return;
    w = calloc(1, sizeof *w);
    if (!w) {
        late->user.made(late->user.context, time_ns, definition->name, NULL, "out of memory");
        return;
    }
    *w = (waiting){.late = late, .time_ns = time_ns};
    memcpy(w->name, definition->name, sizeof w->name);
    memcpy(w->device, definition->device, sizeof w->device);
    user.context = w;
    w->load = target_load_start(late->loader, definition, 1, &user);
    while (*at)
        at = &(*at)->next;
    *at = w;
    tell_those_that_are_there(late);
}

void late_targets_forget(late_targets *late, const char *name, const char *device)
{
    waiting **at = &late->first;

    while (*at) {
        waiting *w = *at;

        if ((name && strcmp(w->name, name) == 0) || (device && strcmp(w->device, device) == 0)) {
            *at = w->next;
            free_waiting(w);
        } else {
            at = &w->next;
        }
    }
    tell_those_that_are_there(late);
}
