/* What clashctl detect --summary says of a recording: one line of JSON (protocol/schema/report/detect.schema.json), whatever is wrong
 * with it. The same recording, settings and version give the same line to the byte. */
#ifndef CLASHD_CTL_DETECT_SUMMARY_H
#define CLASHD_CTL_DETECT_SUMMARY_H

#include "layers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Room for a line: a name and two messages, each character of which needs six bytes. */
#define DETECT_SUMMARY_MAX 65536

#define DETECT_SUMMARY_DIGEST 65

/** SHA-256 of --config's file and of --set, as text; "" if there are neither. Return false with out_failure, also if they are wrong whatever
 *  the recording is. */
bool detect_summary_settings(const ctl_layers *layers, char out_digest[DETECT_SUMMARY_DIGEST], failure *out_failure);
/** Find what is in the recording, and write its line, newline included. False: it is that of one that failed. Blocking. */
bool detect_summary_make(const ctl_layers *layers, const char *settings, const char *file, char *out,
                         size_t *out_length);
/** The line of one that failed, for that reason. */
size_t detect_summary_failed(const char *settings, const char *file, const char *why, char *out);
/** The names of a table's columns, newline included. */
extern const char detect_summary_columns[];
/** Write such a line as a row below them, newline included. Return its length. */
size_t detect_summary_row(const char *line, char out[DETECT_SUMMARY_MAX]);
/** Bytes of the file; 0 if there is none, or it is no file. */
uint64_t detect_summary_bytes(const char *file);

#endif
