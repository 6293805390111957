/* The OpenXR API layer: see doctor.h. */
#include "doctor.h"

#include "layer_state.h"

#include <stdlib.h>

static size_t print_programs(const doctor *d, const layer_state *s)
{
    cJSON *programs = cJSON_AddArrayToObject(doctor_area(d, "layer"), "programs");
    size_t lacking = 0;

    for (size_t i = 0; i < s->program_count; i++) {
        const layer_program *p = &s->programs[i];
        cJSON *program = cJSON_CreateObject();

        cJSON_AddNumberToObject(program, "pid", (double)p->pid);
        cJSON_AddStringToObject(program, "name", p->name);
        cJSON_AddBoolToObject(program, "has_layer", p->has_layer);
        cJSON_AddItemToArray(programs, program);
        doctor_print(d, "layer", "%s (process %ld) %s", p->name, p->pid,
                     p->has_layer ? "has it" : "uses OpenXR without it");
        lacking += !p->has_layer;
    }
    return lacking;
}

void doctor_look_at_layer(doctor *d)
{
    layer_state *s = layer_state_look();
    cJSON *area = doctor_area(d, "layer");
    size_t lacking;

    if (!s)
        return;
    d->has_layer = s->loads;
    cJSON_AddBoolToObject(area, "enabled", s->is_enabled);
    cJSON_AddStringToObject(area, "manifest", s->manifest);
    doctor_print(d, "layer", "%s", s->is_there ? "enabled for this user" : "off");
    lacking = print_programs(d, s);
    if (!s->is_there)
        doctor_note(d, "layer_off",
                    "'clashctl layer enable' turns it on for games that nobody can change, from their next start on.",
                    "the layer " LAYER_NAME " is off");
    else if (!s->loads)
        doctor_wrong(d, "layer_broken", "'clashctl layer enable' makes it anew; if that fails, install clashd again.",
                     "the layer does not load: %s", s->problem);
    else if (s->problem[0])
        doctor_note(d, "layer_disabled",
                    getenv(LAYER_OFF) ? "Unset " LAYER_OFF " if games that start from here should have it."
                                      : "Unset CLASHD_SOCKET, or give it the path of clashd's socket.",
                    s->problem);
    if (s->loads && lacking > 0)
        doctor_note(d, "layer_missing",
                    "Start them again: they were there before it was enabled, or were told to go without it.",
                    "programs use OpenXR without the layer");
    free(s);
}
