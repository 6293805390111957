/* The same without liblo: see osc.h. Settings that want it are refused before. */
#include "osc.h"

bool osc_is_built(void)
{
    return false;
}

int osc_sink_open(const osc_settings *settings, osc_sink **out_sink, failure *out_failure)
{
    (void)settings;
    *out_sink = NULL;
    return fail_int(out_failure, "osc: this clashd was built without OSC");
}

event_sink osc_sink_port(osc_sink *s)
{
    (void)s;
    return (event_sink){0};
}

void osc_sink_list_counters(const osc_sink *s, counter_list *out)
{
    (void)s;
    (void)out;
}

void osc_sink_close(osc_sink *s)
{
    (void)s;
}
