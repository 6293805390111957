/* JSON text, piece by piece: see json_writer.h. Knows no message. */
#include "json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/** Length of the valid UTF-8 sequence at s (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF), else 0. */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char low, high, second_low, second_high;
        size_t length;
    } forms[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (s[0] < forms[i].low || s[0] > forms[i].high)
            continue;
        if (forms[i].length > 1 && (s[1] < forms[i].second_low || s[1] > forms[i].second_high))
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if (s[k] < 0x80 || s[k] > 0xbf)
                return 0;
        return forms[i].length;
    }
    return 0;
}

void json_string(json_writer *w, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    put_value(w, "\"", 1);
    while (*s) {
        size_t length = utf8_length(s);
        char escape[8];

        if (length == 0) {
            put(w, "\\ufffd", 6);
            length = 1;
        } else if (*s == '"' || *s == '\\') {
            put(w, "\\", 1);
            put(w, (const char *)s, 1);
        } else if (*s < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", *s);
            put(w, escape, 6);
        } else {
            put(w, (const char *)s, length);
        }
        s += length;
    }
    put(w, "\"", 1);
}

void json_int(json_writer *w, int64_t value)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRId64, value);

    put_value(w, text, (size_t)length);
}

void json_uint(json_writer *w, uint64_t value)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRIu64, value);

    put_value(w, text, (size_t)length);
}

void json_float(json_writer *w, float value)
{
    char text[24];
    int length;

    if (!isfinite(value)) {
        json_null(w);
        return;
    }
    length = snprintf(text, sizeof text, "%.9g", (double)value);
    put_value(w, text, (size_t)length);
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
