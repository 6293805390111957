/* The text of settings files; see text.h. */
#include "text.h"

#include "mesh/file.h"

#include "protocol/schema_check/schema.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of the text at an error is shown. */
#define EXCERPT_MAX 24
#define KEY_MAX 256
#define BLANKS " \t\r\n"
#define CONTROL_CHARACTER '\x7f'

char *config_text_read(const char *path)
{
    size_t length;
    char *text;

    switch (file_read(path, CONFIG_TEXT_MAX, &text, &length)) {
    case FILE_READ:
        break;
    case FILE_TOO_LARGE:
        errno = EFBIG;
        return NULL;
    case FILE_CANNOT:
        return NULL;
    }
    /* A zero byte would hide what follows; make it the syntax error that it is. (cJSON takes characters below the blank
     * for blanks.) */
    for (char *zero; (zero = memchr(text, '\0', length)) != NULL;)
        *zero = CONTROL_CHARACTER;
    return text;
}

static void find_line(const char *text, const char *at, size_t *out_line, size_t *out_column)
{
    *out_line = 1;
    *out_column = 1;
    for (; text < at && *text; text++) {
        ++*out_column;
        if (*text == '\n') {
            ++*out_line;
            *out_column = 1;
        }
    }
}

/* The parser stops at what it did not expect, or at the blanks before it or, if it wanted a key's quote, behind what
 * stood there instead. */
static const char *find_offender(const char *text, const char *at)
{
    const char *before = at - 1;

    if (at > text && *before > ' ' && *before != '"' && (*at != '\0' || strchr("}],:", *before))) {
        while (--before >= text && strchr(BLANKS, *before))
            ;
        if (before >= text && (*before == ',' || (*before == '{' && at[-1] != '}')))
            return at - 1;
    }
    return at + strspn(at, BLANKS);
}

/* Return what is probably wrong at a place where the parser stopped, or NULL. */
static const char *find_hint(const char *text, const char *at)
{
    const char *before = at;

    while (before > text && strchr(BLANKS, before[-1]))
        before--;
    before -= before > text;
    if (*before == ',' && (*at == '}' || *at == ']'))
        return "a trailing comma: JSON has none behind the last value";
    if (*at == '\'')
        return "JSON has double quotes only";
    if (*at == '#')
        return "a comment begins with //";
    if ((*before == '{' || *before == ',') && isalpha((unsigned char)*at))
        return "a key is in double quotes";
    if (before < at && (isalnum((unsigned char)*before) || strchr("\"}]", *before)) &&
        (*at == '"' || isalnum((unsigned char)*at)))
        return "a comma or a colon is missing before it";
    if (*at == '.')
        return "a number begins with a digit";
    return NULL;
}

static void describe_syntax_error(const char *origin, const char *text, const char *at, failure *out_failure)
{
    size_t line, column;
    int length = 0;

    at = find_offender(text, at);
    find_line(text, at, &line, &column);
    while (length < EXCERPT_MAX && (unsigned char)at[length] >= ' ' && at[length] != CONTROL_CHARACTER)
        length++;
    if (*at == '\0')
        fail_with(out_failure, "%s:%zu:%zu: not JSON: the text ends too early", origin, line, column);
    else if (find_hint(text, at))
        fail_with(out_failure, "%s:%zu:%zu: not JSON at: %.*s (%s)", origin, line, column, length, at,
                  find_hint(text, at));
    else if (length == 0)
        fail_with(out_failure, "%s:%zu:%zu: not JSON: unexpected control character", origin, line, column);
    else
        fail_with(out_failure, "%s:%zu:%zu: not JSON at: %.*s", origin, line, column, length, at);
}

/* "contact" + "margin" -> "contact.margin", "blades" + 1 -> "blades[1]" */
static void extend_key(const char *key, const cJSON *child, size_t index, char out_key[KEY_MAX])
{
    if (child->string)
        snprintf(out_key, KEY_MAX, "%s%s%s", key, key[0] ? "." : "", child->string);
    else
        snprintf(out_key, KEY_MAX, "%s[%zu]", key, index);
}

static bool is_doubled(const cJSON *child)
{
    for (const cJSON *next = child->next; next && child->string; next = next->next)
        if (strcmp(next->string, child->string) == 0)
            return true;
    return false;
}

/* Check what JSON allows and a schema cannot see. The parser limits the depth. */
static int check_values(const char *origin, const cJSON *node, const char *key, failure *out_failure)
{
    const cJSON *child;
    size_t index = 0;

    if (cJSON_IsNumber(node) && !isfinite((float)node->valuedouble)) {
        return fail_int(out_failure, "%s: %s: the number is too large", origin, key);
    }
    cJSON_ArrayForEach(child, node)
    {
        char child_key[KEY_MAX];

        extend_key(key, child, index++, child_key);
        if (is_doubled(child)) {
            return fail_int(out_failure, "%s: %s: is there twice", origin, child_key);
        }
        if (check_values(origin, child, child_key, out_failure) < 0)
            return -1;
    }
    return 0;
}

int config_text_check(const char *origin, const cJSON *document, failure *out_failure)
{
    failure mistake = {0};

    if (check_values(origin, document, "", out_failure) < 0)
        return -1;
    if (protocol_schema_validate(protocol_schema_get("config"), document, &mistake) == 0)
        return 0;
    return fail_int(out_failure, "%s: %s", origin, mistake.text);
}

/* Return the length of the string that begins at `text`, with its quotes, or up to the end of the text. */
static size_t string_length(const char *text)
{
    const char *end = text + 1;

    for (; *end && *end != '"'; end++)
        if (*end == '\\' && end[1])
            end++;
    return (size_t)(end - text) + (*end != '\0');
}

/* Return the end of the comment that begins at `text`: its newline, or after its last slash; NULL if it has none. */
static char *end_of_comment(char *text)
{
    char *end;

    if (text[1] == '/')
        return text + strcspn(text, "\n");
    end = strstr(text + 2, "*/");
    return end ? end + 2 : NULL;
}

const char *config_text_blank_comments(char *text)
{
    while (*text) {
        const bool is_comment = *text == '/' && (text[1] == '/' || text[1] == '*');
        char *end = is_comment ? end_of_comment(text) : *text == '"' ? text + string_length(text) : text + 1;

        if (!end)
            return text;
        for (; text < end; text++)
            if (is_comment && *text != '\n')
                *text = ' ';
    }
    return NULL;
}

static cJSON *parse_blanked(const char *origin, char *text, failure *out_failure)
{
    const char *endless = config_text_blank_comments(text), *end = text;
    cJSON *document = endless ? NULL : cJSON_ParseWithOpts(text, &end, true);
    size_t line, column;

    if (document)
        return document;
    if (endless) {
        find_line(text, endless, &line, &column);
        fail_with(out_failure, "%s:%zu:%zu: a comment that does not end: expected */ behind it", origin, line, column);
    } else {
        describe_syntax_error(origin, text, end, out_failure);
    }
    return NULL;
}

cJSON *config_text_parse(const char *origin, const char *text, failure *out_failure)
{
    char *blanked = strdup(text);
    cJSON *document = blanked ? parse_blanked(origin, blanked, out_failure) : NULL;

    if (!blanked)
        fail_with(out_failure, "%s: out of memory", origin);
    free(blanked);
    if (!document || config_text_check(origin, document, out_failure) == 0)
        return document;
    cJSON_Delete(document);
    return NULL;
}

/* ---- where a setting is ---- */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, BLANKS);
}

/* Return the end of the value at `text`, which parses. */
static const char *skip_value(const char *text)
{
    size_t depth = 0;

    do {
        text = skip_blanks(text);
        depth += *text == '{' || *text == '[';
        depth -= *text == '}' || *text == ']';
        if (*text == '"')
            text += string_length(text);
        else
            text += strchr("{}[],:", *text) ? 1 : strcspn(text, ",:]}" BLANKS);
    } while (depth > 0 && *text);
    return text;
}

/* Return how many characters of `key` the quoted name at `quote` makes up; 0 if that is not its next part. */
static size_t match_name(const char *key, const char *quote)
{
    const size_t length = string_length(quote) - 2;

    return length > 0 && strncmp(key, quote + 1, length) == 0 && strchr(".[", key[length]) ? length : 0;
}

/* Return the value of the member that `*key` begins with, and step over its name; the last one, if there are several of that
 * name, and the longest name, if several fit. NULL: there is none. *out_at: where it begins. */
static const char *find_member(const char *object, const char **key, const char **out_at)
{
    const char *found = NULL, *at = skip_blanks(object + 1);
    size_t longest = 1;

    while (*at == '"') {
        const char *value = skip_blanks(skip_blanks(at + string_length(at)) + 1);
        const size_t length = match_name(*key, at);

        if (length >= longest) {
            longest = length;
            found = value;
            *out_at = at;
        }
        at = skip_blanks(skip_value(value));
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    *key += found ? longest : 0;
    return found;
}

/* The same for an item: by its index, "[1]", or by its "name". */
static const char *find_item(const char *array, const char **key, const char **out_at)
{
    const char *at = skip_blanks(array + 1);
    char *end = NULL;
    const unsigned long wanted = **key == '[' ? strtoul(*key + 1, &end, 10) : 0;
    const char *found = NULL;
    size_t longest = end ? (size_t)(end - *key) + (*end == ']') : 0;

    for (unsigned long i = 0; *at && *at != ']'; i++) {
        const char *name = "name", *ignored;
        const char *quote = **key != '[' && *at == '{' ? find_member(at, &name, &ignored) : NULL;
        const size_t length = quote && *quote == '"' ? match_name(*key, quote) : 0;

        if (end ? i == wanted : length > longest) {
            longest = end ? longest : length;
            found = *out_at = at;
        }
        at = skip_blanks(skip_value(at));
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    *key += found ? longest : 0;
    return found;
}

bool config_text_find(const char *text, const char *key, size_t *out_line, size_t *out_column)
{
    const char *value = skip_blanks(text), *at = value;
    bool is_found = false;

    while (value && *key) {
        key += *key == '.';
        value = *value == '{' ? find_member(value, &key, &at) : *value == '[' ? find_item(value, &key, &at) : NULL;
        is_found = is_found || value;
    }
    find_line(text, at, out_line, out_column);
    return is_found;
}

/* Copy the dotted key with which a message begins: "contact.margin: ..", or "contact: unknown key \"margn\" ..". */
static void read_key(const char *message, char *out_key, size_t size)
{
    static const char unknown[] = "unknown key \"";
    const char *end = strstr(message, ": "), *name;
    const size_t length = strncmp(message, unknown, sizeof unknown - 1) == 0 || !end ? 0 : (size_t)(end - message);

    name = message + (length > 0 ? length + 2 : 0);
    snprintf(out_key, size, "%.*s", (int)length, message);
    if (strncmp(name, unknown, sizeof unknown - 1) != 0)
        return;
    name += sizeof unknown - 2;
    snprintf(out_key + length, size - length, "%s%.*s", length > 0 ? "." : "", (int)string_length(name) - 2, name + 1);
}

bool config_text_place(const char *origin, const char *text, const char *message, failure *out_failure)
{
    char *blanked = strdup(text);
    char key[KEY_MAX];
    size_t line, column;
    bool is_found;

    read_key(message, key, sizeof key);
    if (!blanked || config_text_blank_comments(blanked)) {
        free(blanked);
        return false;
    }
    is_found = config_text_find(blanked, key, &line, &column);
    free(blanked);
    if (!is_found && key[0])
        return false;
    fail_with(out_failure, "%s:%zu:%zu: %s", origin, line, column, message);
    return true;
}

void config_text_one_line(char *message)
{
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

bool config_text_copy(char *out, size_t size, const char *text)
{
    const int length = snprintf(out, size, "%s", text);

    return length >= 0 && (size_t)length < size;
}
