/* See outlet.h. */
#include "outlet.h"

#include "platform/module.h"

#include <clash/base.h>

int outlet_open(outlet *o, const sink_place *place, const void *settings, failure *out_failure)
{
    failure why = {0};

    *o = (outlet){0};
    if (place->linked) {
        o->module = place->linked;
        return o->module->open(settings, &o->sink, out_failure);
    }
    if (!place->file)
        return fail_int(out_failure, "%s: this clashd was built without it", place->section);
    o->module = module_load(place->file, place->variable, place->room, place->symbol, CLASH_VERSION_STRING, &why);
    if (!o->module)
        return fail_int(out_failure, "%s: %s", place->section, why.text);
    return o->module->open(settings, &o->sink, out_failure);
}

event_sink outlet_port(const outlet *o)
{
    return o->sink ? o->module->port(o->sink) : (event_sink){0};
}

void outlet_list_counters(const outlet *o, counter_list *out)
{
    if (o->sink)
        o->module->list_counters(o->sink, out);
}

void outlet_close(outlet *o)
{
    if (o->sink)
        o->module->close(o->sink);
    *o = (outlet){0};
}
