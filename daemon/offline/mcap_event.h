/* Events as Foxglove plots them: numbers side by side, seconds, by the schemas of mcap_schemas.h. */
#ifndef CLASHD_OFFLINE_MCAP_EVENT_H
#define CLASHD_OFFLINE_MCAP_EVENT_H

#include "protocol/messages/encode.h"

#include <clash/event.h>

/** Write a clash or hold as one object. */
void mcap_event_clash(json_writer *w, const clash_event *event);
void mcap_event_release(json_writer *w, const clash_event *event);

#endif
