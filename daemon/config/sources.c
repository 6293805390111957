/* The table of sources; see sources.h. */
#include "sources.h"

#include <stdbool.h>
#include <stddef.h>

#define SOURCE_ROW(kind, name, colon, argument, help, is, devices, why) \
    [APP_SOURCE_##kind] = {#name, sizeof(colon) > 1, is, devices, why},
const app_source app_sources[APP_SOURCE_KINDS] = {APP_SOURCES(SOURCE_ROW)};
