/* From the text of a settings file to a document that the schema accepts: where JSON is broken, by line and column;
 * where a value is wrong, by its dotted key. Knows no setting by name. */
#ifndef CLASHD_CONFIG_TEXT_H
#define CLASHD_CONFIG_TEXT_H

#include "cli/failure.h"
#include <cjson/cJSON.h>
#include <stddef.h>

/** The largest file that is read. */
#define CONFIG_TEXT_MAX (1u << 20)

/** The whole file, terminated by zero, to be freed; NULL with errno set (EFBIG: over CONFIG_TEXT_MAX; EINVAL, EISDIR: no regular
 *  file, whose end might never come). */
char *config_text_read(const char *path);

/** Puts blanks in the place of comments, "//" to the end of the line and "/" "*" to "*" "/", so that every other character stays on
 *  its line and in its column. NULL, or where a comment begins that does not end. */
const char *config_text_blank_comments(char *text);

/** Parses and checks; the text may have comments. NULL with a message naming `origin` in out_failure; else a document to be deleted. */
cJSON *config_text_parse(const char *origin, const char *text, failure *out_failure);

/** Checks a document against the schema "config", for doubled keys and for numbers that are not finite.
 *  0, or -1 with a message naming `origin`. */
int config_text_check(const char *origin, const cJSON *document, failure *out_failure);

/** What a document holds may be in a message about it: its control characters become '?', so that one line stays one. */
void config_text_one_line(char *message);

#endif
