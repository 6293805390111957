/* The table of sources: what --source takes, and what clashd must know of each. The command line with its help and
 * errors, shell completion, check-config, doctor and app/source.c, which creates them, all use it: a new source is a
 * row here, a room below daemon/sources, and its create_NAME in app/source.c. */
#ifndef CLASHD_CONFIG_SOURCES_H
#define CLASHD_CONFIG_SOURCES_H

#include "sources/openxr/openxr_settings.h"

#include <clash/event.h>

/* X(kind, name, ":" if it takes an argument, the argument's name in help, help, its devices' source in messages, names
 * of the devices that it has, separated by blanks, a * for any ending (NULL: any devices), why there are no others) */
#define CONFIG_SOURCES(X)                                                                           \
    X(OPENXR, openxr, "", "", "the default", CLASH_SOURCE_OPENXR,                                   \
      OPENXR_DEVICE_LEFT " " OPENXR_DEVICE_RIGHT " " OPENXR_TRACKER_PREFIX "*",                     \
      "OpenXR has " OPENXR_DEVICE_LEFT " and " OPENXR_DEVICE_RIGHT ", and trackers by their roles") \
    X(REPLAY, replay, ":", "FILE", "a recording", CLASH_SOURCE_REPLAY, NULL, NULL)                  \
    X(NONE, none, "", "", "clients only", CLASH_SOURCE_NONE, "", "clashd has no source of its own")

#define CONFIG_SOURCE_KIND(kind, ...) CONFIG_SOURCE_##kind,
typedef enum config_source_kind {
    CONFIG_SOURCE_DEFAULT, /* as the configuration says: openxr, or none if it is not enabled */
    CONFIG_SOURCES(CONFIG_SOURCE_KIND) CONFIG_SOURCE_KINDS
} config_source_kind;

typedef struct config_source {
    const char *name; /* as in `status` */
    bool takes_argument;
    clash_feed_source is;
    const char *devices, *why;
} config_source;

/** By kind; the default has no name. */
extern const config_source config_sources[CONFIG_SOURCE_KINDS];

struct config_values;
/** Call `say` with a line for each blade and target on a device that this source never has. */
void config_check_devices(const struct config_values *config, config_source_kind kind,
                          void (*say)(void *context, const char *line), void *context);

#endif
