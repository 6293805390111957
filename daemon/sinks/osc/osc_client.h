/* The sink itself, in the module: as osc.h says of osc_sink_open and so on. */
#ifndef CLASHD_SINKS_OSC_OSC_CLIENT_H
#define CLASHD_SINKS_OSC_OSC_CLIENT_H

#include "osc.h"

int osc_client_open(const osc_settings *settings, osc_sink **out_sink, failure *out_failure);
event_sink osc_client_port(osc_sink *s);
void osc_client_list_counters(const osc_sink *s, counter_list *out);
void osc_client_close(osc_sink *s);

#endif
