/* Port: a sink that is a module of its own, as only it needs a library. It is loaded when the settings want it: without that, clashd
 * neither starts slower nor is it larger for it.
 * Interface only: depends on nothing but the public headers, and on failure.h. */
#ifndef CLASHD_PORTS_SINK_MODULE_H
#define CLASHD_PORTS_SINK_MODULE_H

#include "cli/failure.h"
#include "counter.h"
#include "event_sink.h"

/** What clashd finds in the module. The table of one that can do more begins with this. */
typedef struct sink_module {
    const char *version; /* clashd's own: another one's structures are not these */
    /** `settings` are of the sink's own type. 0, or -1 with a message in out_failure. */
    int (*open)(const void *settings, void **out_sink, failure *out_failure);
    event_sink (*port)(void *sink);
    void (*list_counters)(const void *sink, counter_list *out);
    /** The loop has to run once more before it is closed. */
    void (*close)(void *sink);
} sink_module;

/** Where it is, as platform/module.h has that. */
typedef struct sink_place {
    const char *section; /* of the settings */
    const sink_module
        *linked;      /* it is part of clashd, and its library is in a process of its own; NULL: it is a file */
    const char *file; /* NULL, and not linked: this clashd was built without it */
    const char *variable, *room, *symbol;
} sink_place;

#endif
