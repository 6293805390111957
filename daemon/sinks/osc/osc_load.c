/* The module with liblo, loaded when there is a receiver: see osc.h. It stays loaded. */
#include "osc.h"

#ifdef CLASHD_HAS_OSC

#include "platform/module.h"

#include <clash/base.h>

static const osc_module *loaded;

bool osc_is_built(void)
{
    return true;
}

static int load(failure *out_failure)
{
    char why[900];

    if (!loaded)
        loaded = module_load("clashd-osc.so", "CLASHD_OSC", "sinks/osc", "clashd_osc", CLASH_VERSION_STRING, why,
                             sizeof why);
    return loaded ? 0 : fail_int(out_failure, "osc: %s", why);
}

int osc_sink_open(const osc_settings *settings, osc_sink **out_sink, failure *out_failure)
{
    *out_sink = NULL;
    return load(out_failure) == 0 ? loaded->open(settings, out_sink, out_failure) : -1;
}

event_sink osc_sink_port(osc_sink *s)
{
    return loaded->port(s);
}

void osc_sink_list_counters(const osc_sink *s, counter_list *out)
{
    loaded->list_counters(s, out);
}

void osc_sink_close(osc_sink *s)
{
    if (s)
        loaded->close(s);
}

#else

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

#endif
