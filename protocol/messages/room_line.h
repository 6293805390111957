/* Messages of samples as clashd writes them, which are nearly all that comes from a room: read in one pass, some ten times as fast as by a
 * tree of JSON values and the schema. It takes a message only if it surely means what room_parse would make of it, to the bit; whatever
 * is unusual, be it right or wrong, is left to that. Private to room_parse. */
#ifndef CLASHD_PROTOCOL_MESSAGES_ROOM_LINE_H
#define CLASHD_PROTOCOL_MESSAGES_ROOM_LINE_H

#include "room_message.h"

/** Return whether *out is filled as room_parse fills it; false: it may be anything, and nothing is said of the message. */
bool room_line_read(const char *text, size_t length, room_message_samples *out);

#endif
