/* Clashes into pulses. See haptics.h. */
#include "haptics.h"

#include <string.h>

static const haptics_blade *find_blade(const haptics *h, const char *name)
{
    for (size_t i = 0; i < h->blade_count; i++)
        if (strcmp(h->blades[i].name, name) == 0)
            return &h->blades[i];
    return NULL;
}

/* Written so that a NaN becomes the weakest pulse too. */
static float amplitude_of(float intensity)
{
    if (!(intensity > HAPTICS_AMPLITUDE_MIN))
        return HAPTICS_AMPLITUDE_MIN;
    return intensity < 1.0f ? intensity : 1.0f;
}

static int64_t duration_of(float intensity)
{
    double fraction = intensity > 0.0f ? (double)intensity : 0.0;

    if (fraction > 1.0)
        fraction = 1.0;
    return HAPTICS_DURATION_BASE_NS + (int64_t)((double)HAPTICS_DURATION_SPAN_NS * fraction);
}

static void on_event(void *context, const clash_event *event)
{
    const haptics *h = context;

    if (event->kind != CLASH_EVENT_CLASH || event->as.clash.resumed)
        return; /* a contact that goes on strikes nothing */
    for (size_t i = 0; i < 2; i++) {
        const haptics_blade *blade = find_blade(h, event->blades[i]);
        float intensity = event->as.clash.intensity;

        if (blade)
            h->output.pulse(h->output.context, blade->device, amplitude_of(intensity), duration_of(intensity));
    }
}

void haptics_init(haptics *h, haptic_output output, const haptics_blade *blades, size_t blade_count)
{
    *h = (haptics){.output = output, .blades = blades, .blade_count = blade_count};
}

event_sink haptics_port(haptics *h)
{
    return (event_sink){.context = h, .event = on_event};
}
