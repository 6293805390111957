/* What clashd finds in the module: see osc.h. */
#include "osc_client.h"

#include <clash/base.h>

__attribute__((visibility("default"))) extern const osc_module clashd_osc;
const osc_module clashd_osc = {
    .version = CLASH_VERSION_STRING,
    .open = osc_client_open,
    .port = osc_client_port,
    .list_counters = osc_client_list_counters,
    .close = osc_client_close,
};
