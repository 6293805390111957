/* Sink: pass every event and frame on to several sinks, in the order in which they were added. */
#ifndef CLASHD_SCENE_FANOUT_H
#define CLASHD_SCENE_FANOUT_H

#include "ports/event_sink.h"

#define FANOUT_SINKS_MAX 8

typedef struct fanout {
    size_t count;
    event_sink sinks[FANOUT_SINKS_MAX];
    /* Sees contacts of two blades first, and may add to what is passed on. NULL: nobody. */
    void (*note)(void *context, clash_event *event);
    void *note_context;
} fanout;

void fanout_init(fanout *f);
/** Leave out all sinks; who notes stays. */
void fanout_clear(fanout *f);
/** Add a sink; it is copied, and its context must outlive the fan-out. Return 0, or -1 if there is no room. */
int fanout_add(fanout *f, event_sink sink);
/** Return it as a sink, valid as long as `f` is not moved. */
event_sink fanout_port(fanout *f);

#endif
