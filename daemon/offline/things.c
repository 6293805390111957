/* See things.h. */
#include "things.h"
#include "cli/array.h"

#include <stdlib.h>
#include <string.h>

void things_define_blade(thing_list *things, const clash_blade_definition *blade)
{
    size_t at = 0;

    while (at < things->blade_count && strcmp(things->blades[at].name, blade->name) != 0)
        at++;
    if (!array_grow(&things->blades, at, &things->blade_capacity, sizeof *things->blades)) {
        things->is_out_of_memory = true;
        return;
    }
    things->blades[at] = *blade;
    things->blade_count += at == things->blade_count;
    things->blades_changed = true;
}

void things_define_target(thing_list *things, const clash_target_definition *target)
{
    size_t at = 0;
    clash_target_definition *kept = NULL;

    while (at < things->target_count && strcmp(things->targets[at]->name, target->name) != 0)
        at++;
    if (at < things->target_count)
        kept = things->targets[at];
    else if (array_grow(&things->targets, at, &things->target_capacity, sizeof(clash_target_definition *)))
        kept = malloc(sizeof *kept);
    things->is_out_of_memory = things->is_out_of_memory || !kept;
    if (!kept)
        return;
    *kept = *target;
    things->targets[at] = kept;
    things->target_count += at == things->target_count;
    things->targets_changed = true;
}

/* Of empty names there are none. */
void things_remove(thing_list *things, const recording_item *item)
{
    size_t kept = 0;

    for (size_t i = 0; i < things->blade_count; i++) {
        if (strcmp(things->blades[i].name, item->blade.name) != 0 &&
            strcmp(things->blades[i].device, item->device) != 0)
            things->blades[kept++] = things->blades[i];
    }
    things->blades_changed = things->blades_changed || kept < things->blade_count;
    things->blade_count = kept;
    kept = 0;
    for (size_t i = 0; i < things->target_count; i++) {
        const clash_target_definition *t = things->targets[i];

        if (strcmp(t->name, item->target.name) == 0 || (t->device[0] && strcmp(t->device, item->device) == 0))
            free(things->targets[i]);
        else
            things->targets[kept++] = things->targets[i];
    }
    things->targets_changed = things->targets_changed || kept < things->target_count;
    things->target_count = kept;
}

void things_finish(thing_list *things)
{
    for (size_t i = 0; i < things->target_count; i++)
        free(things->targets[i]);
    free(things->targets);
    free(things->blades);
}
