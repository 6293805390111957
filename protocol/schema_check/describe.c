/* Schemas and values in words: see describe.h. */
#include "describe.h"

#include "node.h"

#include <assert.h>
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

/** Return how many characters must be put in, left out or changed to make one key of the other. Keys of schemas are short. */
static size_t distance(const char *key, const char *known)
{
    size_t row[64], length = strlen(known);

    assert(length < sizeof row / sizeof row[0]);
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 0; key[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t k = 0; k < length; k++) {
            size_t changed = diagonal + (key[i] != known[k]);
            size_t longer = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;

            diagonal = row[k + 1];
            row[k + 1] = changed < longer ? changed : longer;
        }
    }
    return row[length];
}

const char *schema_closest_key(const protocol_schema *schema, const char *key)
{
    /* Allow one wrong character in three, and a missing short ending ("hold_rate"). */
    size_t length = strlen(key), least = length / 3 + 1;
    const char *closest = NULL;

    if (length > 60)
        return NULL;
    for (size_t i = 0; i < schema->member_count && schema->members[i].schema; i++) {
        const char *known = schema->members[i].name;
        size_t d = distance(key, known);

        if (d <= least && d < strlen(known) && (!closest || d < least)) {
            least = d;
            closest = known;
        }
    }
    return closest;
}
