/* Shared by the three parts of the recording reader. */
#ifndef CLASHD_PROTOCOL_RECORDING_RECORDING_PRIVATE_H
#define CLASHD_PROTOCOL_RECORDING_RECORDING_PRIVATE_H

#include "cli/failure.h"
#include <cjson/cJSON.h>

#include "recording.h"

/** Reads the header from its line. False with a message that says what was expected. */
bool recording_read_header(const char *line, size_t length, recording_header *out_header, failure *out_failure);

/** False if a name is too long for it; out_failure says which. */
bool recording_read_equipment(const cJSON *object, recording_equipment *out, failure *out_failure);

typedef enum recording_line_result {
    RECORDING_LINE_TAKEN,
    RECORDING_LINE_UNKNOWN, /* its `type` */
    RECORDING_LINE_DAMAGED  /* out_failure says how */
} recording_line_result;

/** Reads any line after the header: kind, time, poses, device and reason of the item. */
recording_line_result recording_read_line(const char *line, size_t length, recording_item *item, failure *out_failure);
/** The same by the long way, which all lines could go: as a tree of JSON values, held against the schema. */
recording_line_result recording_read_any_line(const char *line, size_t length, recording_item *item,
                                              failure *out_failure);

#endif
