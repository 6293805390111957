/* Check lines against the schemas with clashd's own validator, so that a test can compare it with another one. Each
 * line of standard input is NAME, a tab, and JSON text; NAME is a schema's, or "json", which only asks whether it is
 * JSON, or "request", which asks what a client would be told. Each is answered by a line: "ok", or what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "protocol/messages/codec.h"
#include "protocol/messages/names.h"
#include "protocol/messages/parse.h"
#include "protocol/schema_check/schema.h"

/** Return the next line without its newline, in a block that *inout_line keeps. -1 at the end. */
static ssize_t next_line(char **inout_line, size_t *inout_size)
{
    ssize_t length = getline(inout_line, inout_size, stdin);

    return length > 0 && (*inout_line)[length - 1] == '\n' ? length - 1 : length;
}

static void answer_request(const char *text, size_t length)
{
    static protocol_request request;
    protocol_error error;

    if (protocol_parse_request(text, length, &request, &error) == 0)
        puts("ok");
    else
        printf("%s: %s\n", names_error_code(error.code), error.message);
}

static int answer(const char *name, const char *text, size_t length)
{
    const protocol_schema *schema = protocol_schema_get(name);
    bool is_json = strcmp(name, "json") == 0;
    failure error = {0};
    cJSON *value;

    if (strcmp(name, "request") == 0) {
        answer_request(text, length);
        return 0;
    }
    if (!schema && !is_json) {
        fprintf(stderr, "there is no schema \"%s\"\n", name);
        return -1;
    }
    value = parse_line(text, length, &error);
    if (value && (is_json || protocol_schema_validate(schema, value, &error) == 0))
        puts("ok");
    else
        puts(error.text);
    cJSON_Delete(value);
    return 0;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int result = 0;

    while (result == 0 && (length = next_line(&line, &size)) >= 0) {
        char *tab = memchr(line, '\t', (size_t)length);

        if (!tab) {
            fprintf(stderr, "expected NAME, a tab and JSON text\n");
            result = -1;
            break;
        }
        *tab = '\0';
        result = answer(line, tab + 1, (size_t)(line + length - (tab + 1)));
    }
    free(line);
    return result < 0 ? 2 : 0;
}
