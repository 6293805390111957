/* Who OSC messages go to, as settings have it: "192.168.1.20:7000", "[::1]:7000", "desk.local:7000", or a port alone, which is this
 * machine's. Pure: a name is taken as it is, and looked up by nobody here. */
#ifndef CLASHD_SINKS_OSC_OSC_RECEIVER_H
#define CLASHD_SINKS_OSC_OSC_RECEIVER_H

#include "cli/failure.h"

/** With their terminating zeros. */
#define OSC_HOST_MAX 128
#define OSC_PORT_MAX 6

typedef struct osc_receiver {
    char host[OSC_HOST_MAX]; /* a number without brackets, or a name; "127.0.0.1" if there was none, or "localhost" */
    char port[OSC_PORT_MAX]; /* 1 to 65535 */
} osc_receiver;

/** Return 0, or -1 with what was expected in out_failure. */
int osc_receiver_parse(const char *text, osc_receiver *out_receiver, failure *out_failure);

#endif
