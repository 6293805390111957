/* Words of the protocol that stand for enumerated values: one table each, for printing and for reading. */
#ifndef CLASHD_PROTOCOL_MESSAGES_NAMES_H
#define CLASHD_PROTOCOL_MESSAGES_NAMES_H

#include "codec.h"

const char *names_tracking_reason(clash_tracking_reason reason);
/** False for an unknown word. */
bool names_find_tracking_reason(const char *word, clash_tracking_reason *out_reason);
/** NULL for CLASH_SOURCE_NONE. */
const char *names_source(clash_feed_source source);
/** CLASH_SOURCE_NONE for an unknown word. */
clash_feed_source names_find_source(const char *word);
const char *names_release_reason(clash_release_reason reason);
/** False for an unknown word. */
bool names_find_release_reason(const char *word, clash_release_reason *out_reason);
const char *names_error_code(protocol_error_code code);
/** OpenXR's for an unknown word. */
protocol_axes names_find_axes(const char *word);
const char *names_intensity_curve(protocol_intensity_curve curve);
/** The linear one for an unknown word. */
protocol_intensity_curve names_find_intensity_curve(const char *word);
/** The bit of an event's name; 0 for an unknown one. */
uint32_t names_find_event(const char *word);
/** "clash, hold, release, .." for messages. */
const char *names_all_events(void);

#endif
