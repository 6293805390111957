/* From the text of a settings file to a document that the schema accepts. Broken JSON is reported by line and column, a
 * wrong value by its dotted key. Knows no setting by name. */
#ifndef CLASHD_CONFIG_TEXT_H
#define CLASHD_CONFIG_TEXT_H

#include "cli/failure.h"
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/** The largest file to read. */
#define CONFIG_TEXT_MAX (1u << 20)

/** Return the whole file, terminated by zero, for the caller to free; NULL with errno (EFBIG: over CONFIG_TEXT_MAX;
 *  EINVAL, EISDIR: no regular file, so its end might never come). */
char *config_text_read(const char *path);

/** Replace comments, "//" to the end of the line and "/" "*" to "*" "/", by blanks, so that every other character keeps
 *  its line and column. Return NULL, or where a comment begins that does not end. */
const char *config_text_blank_comments(char *text);

/** Parse and check; the text may have comments. Return NULL with a message naming `origin` in out_failure; else a document for
 *  the caller to delete. */
cJSON *config_text_parse(const char *origin, const char *text, failure *out_failure);

/** Check a document against the schema "config", and for doubled keys and numbers that are not finite. Return 0, or -1
 *  with a message naming `origin`. */
int config_text_check(const char *origin, const cJSON *document, failure *out_failure);

/** Find what a dotted key names in a text without comments that parses: "contact.margin", "blades[1].tip", "blades.left.tip",
 *  as far as it is there, the last of several. Return false if not even its first part is. */
bool config_text_find(const char *text, const char *key, size_t *out_line, size_t *out_column);
/** Note a message that begins with a dotted key as "ORIGIN:LINE:COLUMN: message". Return false, noting nothing, if the text
 *  does not have that key. */
bool config_text_place(const char *origin, const char *text, const char *message, failure *out_failure);

/** Replace control characters by '?', as a message may quote a document, so that it stays one line. */
void config_text_one_line(char *message);
/** Copy a string. Return false if it does not fit. */
bool config_text_copy(char *out, size_t size, const char *text);

#endif
