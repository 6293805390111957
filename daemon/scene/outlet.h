/* One sink that is in a module: loads it, and passes calls on to it. */
#ifndef CLASHD_SCENE_OUTLET_H
#define CLASHD_SCENE_OUTLET_H

#include "ports/sink_module.h"

/** Zeroed: none. */
typedef struct outlet {
    const sink_module *module;
    void *sink;
} outlet;

/** Open a sink with settings of its own type; the module stays loaded. Return 0, or -1 with a message in out_failure, and `o` is none. */
int outlet_open(outlet *o, const sink_place *place, const void *settings, failure *out_failure);
/* The others take one that is none too, which does nothing. */
event_sink outlet_port(const outlet *o);
void outlet_list_counters(const outlet *o, counter_list *out);
/** The loop has to run once more before it is closed. */
void outlet_close(outlet *o);

#endif
