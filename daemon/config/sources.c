/* The table of sources; see sources.h. */
#include "sources.h"

#include <stdbool.h>
#include <stddef.h>

#define SOURCE_ROW(kind, name, colon, argument, help, is, devices, why) \
    [CONFIG_SOURCE_##kind] = {#name, sizeof(colon) > 1, is, devices, why},
const config_source config_sources[CONFIG_SOURCE_KINDS] = {CONFIG_SOURCES(SOURCE_ROW)};
