/* A list of targets, each with the surface that the pipeline borrows of it: a surface goes only after its target has. See
 * targets.h. */
#include "targets.h"

#include "target_collider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct app_target {
    const void *owner;
    clash_target_definition definition;
    target_shape shape;
};

struct app_targets {
    pipeline *pipeline;
    app_target **entries;
    size_t count, room;
};

#define FAIL(...) (snprintf(out_error, size, __VA_ARGS__), -1)

static size_t index_of(const app_targets *t, const char *name)
{
    size_t i = 0;

    while (i < t->count && strcmp(t->entries[i]->definition.name, name) != 0)
        i++;
    return i;
}

bool app_target_is_slow(const clash_target_definition *definition)
{
    surface_request request;

    return target_shape_request(definition, &request);
}

app_target *app_target_create(const clash_target_definition *definition)
{
    app_target *target = calloc(1, sizeof *target);

    if (target)
        target->definition = *definition;
    return target;
}

int app_target_build(app_target *target, const surface *read, char *out_error, size_t size)
{
    return target_shape_make(&target->definition, read, &target->shape, out_error, size);
}

void app_target_set_owner(app_target *target, const void *owner)
{
    target->owner = owner;
}

const clash_target_definition *app_target_definition(const app_target *target)
{
    return &target->definition;
}

void app_target_destroy(app_target *target)
{
    if (target)
        target_shape_finish(&target->shape);
    free(target);
}

app_target *app_target_make(const clash_target_definition *definition, char *out_error, size_t size)
{
    app_target *target = app_target_create(definition);

    if (!target)
        snprintf(out_error, size, "out of memory");
    else if (target_shape_make_now(&target->definition, &target->shape, out_error, size) == 0)
        return target;
    app_target_destroy(target);
    return NULL;
}

static const char *add_to_pipeline(app_targets *t, const app_target *from)
{
    const clash_target_definition *d = &from->definition;
    pipeline_target target = {
        .is_still = d->device[0] == '\0', .pose = d->pose, .shape = from->shape.shape, .owner = from->owner};

    snprintf(target.name, sizeof target.name, "%s", d->name);
    if (!target.is_still)
        target.device = pipeline_device(t->pipeline, d->device);
    return pipeline_add_target(t->pipeline, &target);
}

static bool make_room(app_targets *t)
{
    const size_t room = t->room ? 2 * t->room : 16;
    app_target **entries;

    if (t->count < t->room)
        return true;
    entries = realloc(t->entries, room * sizeof(app_target *));
    if (!entries)
        return false;
    t->entries = entries;
    t->room = room;
    return true;
}

/* Out of the list; the target is the caller's. */
static app_target *take_out(app_targets *t, size_t index)
{
    app_target *target = t->entries[index];

    memmove(&t->entries[index], &t->entries[index + 1], (t->count - index - 1) * sizeof(app_target *));
    t->count--;
    return target;
}

/* Takes `target` in the place of the one that is there, which comes back where the pipeline refuses. Either is the last then,
 * as it is in the pipeline. */
static const char *replace(app_targets *t, size_t index, app_target *target)
{
    app_target *before = index < t->count ? take_out(t, index) : NULL;
    const char *reason;

    if (before)
        pipeline_remove_target(t->pipeline, before->definition.name);
    reason = add_to_pipeline(t, target);
    if (!reason)
        app_target_destroy(before);
    else if (before)
        add_to_pipeline(t, before);
    if (!reason || before)
        t->entries[t->count++] = reason ? before : target;
    return reason;
}

int app_targets_put(app_targets *t, app_target *target, char *out_error, size_t size)
{
    const char *reason = make_room(t) ? replace(t, index_of(t, target->definition.name), target) : "out of memory";

    if (!reason)
        return 0;
    app_target_destroy(target);
    return FAIL("it is refused: %s", reason);
}

app_target *app_targets_take(app_targets *t, const char *name)
{
    const size_t index = index_of(t, name);

    if (index == t->count)
        return NULL;
    pipeline_remove_target(t->pipeline, name);
    return take_out(t, index);
}

int app_targets_remove(app_targets *t, const char *name)
{
    app_target *target = app_targets_take(t, name);

    app_target_destroy(target);
    return target ? 0 : -1;
}

void app_targets_forget_device(app_targets *t, const char *device)
{
    for (size_t i = t->count; i-- > 0;)
        if (strcmp(t->entries[i]->definition.device, device) == 0 && device[0] != '\0')
            app_target_destroy(take_out(t, i));
}

size_t app_targets_count(const app_targets *t)
{
    return t->count;
}

const clash_target_definition *app_targets_at(const app_targets *t, size_t index)
{
    return index < t->count ? &t->entries[index]->definition : NULL;
}

const clash_target_definition *app_targets_find(const app_targets *t, const char *name)
{
    return app_targets_at(t, index_of(t, name));
}

app_targets *app_targets_create(pipeline *p)
{
    app_targets *t = calloc(1, sizeof *t);

    if (t)
        t->pipeline = p;
    return t;
}

void app_targets_destroy(app_targets *t)
{
    for (size_t i = 0; t && i < t->count; i++)
        app_target_destroy(t->entries[i]);
    if (t)
        free(t->entries);
    free(t);
}
