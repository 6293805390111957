/* Shared by the two halves of the recording reader. */
#ifndef CLASH_PROTOCOL_RECORDING_PRIVATE_H
#define CLASH_PROTOCOL_RECORDING_PRIVATE_H

#include "recording.h"

/** Reads the header from its line. False with a message that says what was expected. */
bool recording_read_header(const char *line, size_t length, recording_header *out_header, char *out_error, size_t size);

#endif
