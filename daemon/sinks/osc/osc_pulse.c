/* See osc_pulse.h. */
#include "osc_pulse.h"

void osc_pulse_clash(osc_pulse *p, float intensity, uint64_t now_ms, uint64_t length_ms)
{
    p->intensity = !(intensity > 0.0f) ? 0.0f : intensity < 1.0f ? intensity : 1.0f;
    p->until_ms = now_ms + length_ms;
    p->open++;
    p->clashes++;
}

void osc_pulse_release(osc_pulse *p)
{
    if (p->open > 0)
        p->open--;
}

osc_shown osc_pulse_show(const osc_pulse *p, uint64_t now_ms)
{
    const bool is_shown = now_ms < p->until_ms;

    return (osc_shown){
        .intensity = is_shown ? p->intensity : 0.0f, .touching = is_shown || p->open > 0, .clashes = p->clashes};
}
