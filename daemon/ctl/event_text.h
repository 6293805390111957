/* A message of clashd as one line for people: aligned columns, and intensity as a bar. */
#ifndef CLASHD_CTL_EVENT_TEXT_H
#define CLASHD_CTL_EVENT_TEXT_H

#include <cjson/cJSON.h>
#include <stddef.h>

typedef struct event_text {
    int pair_width; /* of the widest "left/right" */
} event_text;

/** Take the columns' width from hello's blades. */
void event_text_init(event_text *text, const cJSON *hello);
/** Write the names of the columns of contacts, aligned with the lines, without newline. */
void event_text_header(const event_text *text, char *out, size_t size);
/** Write the line without newline; return 0 if the message is none that people want to see. */
size_t event_text_format(const event_text *text, const cJSON *message, char *out, size_t size);

/** Return a `reason` of tracking in the words that the page uses, too; one that is not known as it is. */
const char *event_text_reason(const char *reason);

/** Return the string, or "". Valid as long as the object. */
const char *message_string(const cJSON *object, const char *key);
/** Return the number, or 0. */
double message_number(const cJSON *object, const char *key);

#endif
