/* See encode_logs.h. */
#include "encode_logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "encode.h"

/* A byte may become six characters, and what stands around a name is short. */
#define ESCAPED 6
#define AROUND 160

/* As RFC 3339 has it. */
static void put_time(json_writer *w, int64_t seconds)
{
    const time_t then = (time_t)seconds;
    struct tm parts;
    char text[64];

    if (!gmtime_r(&then, &parts) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        snprintf(text, sizeof text, "1970-01-01T00:00:00Z");
    encode_key_string(w, "modified", text);
}

char *protocol_encode_logs(const char *directory, const protocol_log *logs, size_t count, size_t total,
                           size_t *out_length)
{
    size_t size = AROUND + ESCAPED * strlen(directory);
    json_writer w;
    char *text;

    for (size_t i = 0; i < count; i++)
        size += AROUND + ESCAPED * strlen(logs[i].name);
    text = malloc(size);
    if (!text)
        return NULL;
    encode_begin(&w, text, size, "logs");
    encode_key_string(&w, "directory", directory);
    encode_key_uint(&w, "count", total);
    json_array_begin_at(&w, "logs");
    for (size_t i = 0; i < count; i++) {
        json_object_begin(&w);
        encode_key_string(&w, "name", logs[i].name);
        encode_key_uint(&w, "bytes", logs[i].bytes);
        put_time(&w, logs[i].modified_s);
        json_object_end(&w);
    }
    json_array_end(&w);
    *out_length = encode_end(&w);
    return text;
}
