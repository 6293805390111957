/* JSON text, piece by piece: see json_writer.h. Knows no message. */
#include "json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/printable.h"
#include "cli/utf8.h"
#include "number_text.h"

void json_writer_init(json_writer *w, char *out, size_t size)
{
    *w = (json_writer){.out = out, .size = size, .separated = true};
}

static void put(json_writer *w, const char *bytes, size_t length)
{
    if (w->spoilt || length > w->size - w->length) {
        w->spoilt = true;
        return;
    }
    memcpy(w->out + w->length, bytes, length);
    w->length += length;
}

static void put_value(json_writer *w, const char *text, size_t length)
{
    if (!w->separated)
        put(w, ",", 1);
    put(w, text, length);
    w->separated = false;
}

size_t json_writer_finish(json_writer *w)
{
    put(w, "\n", 1);
    return w->spoilt ? 0 : w->length;
}

static void open_with(json_writer *w, const char *bracket)
{
    put_value(w, bracket, 1);
    w->separated = true;
}

static void close_with(json_writer *w, const char *bracket)
{
    put(w, bracket, 1);
    w->separated = false;
}

void json_object_begin(json_writer *w)
{
    open_with(w, "{");
}

void json_object_end(json_writer *w)
{
    close_with(w, "}");
}

void json_array_begin(json_writer *w)
{
    open_with(w, "[");
}

void json_array_end(json_writer *w)
{
    close_with(w, "]");
}

void json_key(json_writer *w, const char *key)
{
    put_value(w, "\"", 1);
    put(w, key, strlen(key));
    put(w, "\":", 2);
    w->separated = true;
}

void json_object_begin_at(json_writer *w, const char *key)
{
    json_key(w, key);
    json_object_begin(w);
}

void json_array_begin_at(json_writer *w, const char *key)
{
    json_key(w, key);
    json_array_begin(w);
}

/** How many bytes from there on stand in a string as they are, of ASCII: almost always all of them. */
static size_t plain_length(const char *text)
{
    size_t length = 0;

    while (text[length] >= ' ' && text[length] < '\x7f' && text[length] != '"' && text[length] != '\\')
        length++;
    return length;
}

/** Put the next character, which is not plain ASCII. Return its length in bytes, or 1 if it is none. */
static size_t put_character(json_writer *w, const char *text, size_t left)
{
    size_t length = utf8_length(text, left);
    char escape[8], one[8];

    if (length == 0) {
        put(w, "\\ufffd", 6);
        return 1;
    }
    if (*text == '"' || *text == '\\') {
        put(w, "\\", 1);
        put(w, text, 1);
    } else if (printable_length(text, &length) > 0) { /* escape it too: a terminal that shows it must not obey it */
        memcpy(one, text, length);
        one[length] = '\0';
        put(w, printable_json(one, escape, sizeof escape), 6);
    } else {
        put(w, text, length);
    }
    return length;
}

void json_string(json_writer *w, const char *text)
{
    const char *end = text + strlen(text);

    put_value(w, "\"", 1);
    while (text < end) {
        const size_t plain = plain_length(text);

        put(w, text, plain);
        text += plain;
        if (text < end)
            text += put_character(w, text, (size_t)(end - text));
    }
    put(w, "\"", 1);
}

void json_int(json_writer *w, int64_t value)
{
    char text[NUMBER_TEXT_MAX];

    put_value(w, text, number_text_int(text, value));
}

void json_uint(json_writer *w, uint64_t value)
{
    char text[NUMBER_TEXT_MAX];

    put_value(w, text, number_text_uint(text, value));
}

void json_float(json_writer *w, float value)
{
    char text[NUMBER_TEXT_MAX];

    if (isfinite(value))
        put_value(w, text, number_text_float(text, value));
    else
        json_null(w);
}

void json_bool(json_writer *w, bool value)
{
    put_value(w, value ? "true" : "false", value ? 4 : 5);
}

void json_null(json_writer *w)
{
    put_value(w, "null", 4);
}

void json_raw(json_writer *w, const char *text)
{
    put_value(w, text, strlen(text));
}
