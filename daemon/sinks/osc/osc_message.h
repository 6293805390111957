/* OSC messages as bytes, by liblo, which sends none of them: it would look names up, and clashd's loop would wait. */
#ifndef CLASHD_SINKS_OSC_OSC_MESSAGE_H
#define CLASHD_SINKS_OSC_OSC_MESSAGE_H

#include <clash/event.h>

#include <stddef.h>

#define OSC_MESSAGE_MAX 1024

/* Each writes a message to `path` into `out`. Its length in bytes, or 0: it does not fit, or there is no memory. */

/** A clash or hold, ssfffffi: the names, the midpoint in m, the closing speed in m/s, the intensity, the contact's id. */
size_t osc_message_contact(const char *path, const clash_event *event, char out[OSC_MESSAGE_MAX]);
/** A release, ssfi: the names, for how long they touched in s, the contact's id. */
size_t osc_message_release(const char *path, const clash_event *event, char out[OSC_MESSAGE_MAX]);
size_t osc_message_float(const char *path, float value, char out[OSC_MESSAGE_MAX]);
size_t osc_message_int(const char *path, int32_t value, char out[OSC_MESSAGE_MAX]);
size_t osc_message_bool(const char *path, bool value, char out[OSC_MESSAGE_MAX]);

#endif
