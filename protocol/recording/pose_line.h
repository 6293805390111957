/* Lines of poses as recorders write them, which are nearly all there is in a recording: read in one pass, some ten times as fast as by
 * a tree of JSON values and the schema. It takes a line only if it surely means what recording_read_line would make of it, to the
 * bit; whatever is unusual, be it right or wrong, is left to that. Private to the recording reader.
 *
 * Why no library: simdjson (the only fast one in Debian, and C++) reads any JSON into an index, and checks neither names that
 * stand twice nor the schema; both would be on top of it, and so would be what it forgives otherwise than we do. This knows one line. */
#ifndef CLASHD_PROTOCOL_RECORDING_POSE_LINE_H
#define CLASHD_PROTOCOL_RECORDING_POSE_LINE_H

#include "recording.h"

/** Return true with the item filled as recording_read_line fills it; or false, which says nothing about the line: parse
 *  it the full way. The item then keeps kind, time and count, but not its poses. */
bool pose_line_read(const char *line, size_t length, recording_item *item);

#endif
