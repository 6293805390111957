/* The text of settings files; see text.h. */
#include "text.h"

#include "mesh/file.h"

#include "protocol/schema_check/schema.h"

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

/* Return the end of the string that begins at `text`: after its quote, or the end of the text. */
static char *end_of_string(char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text + 1 : text;
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
        char *end = is_comment ? end_of_comment(text) : *text == '"' ? end_of_string(text) : text + 1;

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
