/* Schemas and values in words: see describe.h. */
#include "describe.h"

#include "cli/nearest_word.h"
#include "node.h"

#include <stdio.h>
#include <string.h>

/** What does not fit is cut off. */
static void append(char *out, size_t size, const char *text)
{
    size_t length = strlen(out), more = strlen(text);

    if (more > size - length - 1)
        more = size - length - 1;
    memcpy(out + length, text, more);
    out[length + more] = '\0';
}

void schema_describe_value(const cJSON *value, char *out, size_t size)
{
    char *text = cJSON_PrintUnformatted(value);
    size_t length = text ? strlen(text) : 0;

    if (!text) {
        snprintf(out, size, "something that cannot be printed");
        return;
    }
    if (length >= size && size > 4) {
        length = size - 4;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--; /* never within a character */
        snprintf(out, size, "%.*s...", (int)length, text);
    } else {
        snprintf(out, size, "%s", text);
    }
    cJSON_free(text);
}

void schema_describe_keys(const protocol_schema *schema, char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < schema->member_count && schema->members[i].schema; i++) {
        append(out, size, i > 0 ? ", " : "");
        append(out, size, schema->members[i].name);
    }
}

const char *schema_closest_key(const protocol_schema *schema, const char *key)
{
    nearest_word near = nearest_word_begin(key);

    for (size_t i = 0; i < schema->member_count && schema->members[i].schema; i++)
        nearest_word_offer(&near, schema->members[i].name);
    return near.found;
}

const char *schema_closest_value(const protocol_schema *schema, const cJSON *value)
{
    nearest_word near;

    if (!schema->values || !cJSON_IsString(value))
        return NULL;
    near = nearest_word_begin(value->valuestring);
    near.distance -= near.distance > 1; /* words of a short list are far apart */
    for (const char *const *known = schema->values; *known; known++)
        if (strlen(*known) < 64)
            nearest_word_offer(&near, *known);
    return near.found;
}
