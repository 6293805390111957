/* Where the module with liblo is: see osc.h. */
#include "osc.h"

const sink_place osc_place = {
    .section = "osc",
#ifdef CLASHD_HAS_MODULE
    .file = "clashd-osc.so",
    .variable = "CLASHD_OSC",
    .room = "sinks/osc",
    .symbol = "clashd_osc",
#endif
};
