/* Trees to text, for messages that show what was found: see json_tree.h. */
#include "json_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t length, size;
    bool failed;
} writer;

static void put(writer *w, const char *bytes, size_t length)
{
    while (!w->failed && w->size - w->length <= length) {
        char *more = realloc(w->text, w->size * 2 + 64);

        w->failed = !more;
        w->text = more ? more : w->text;
        w->size = w->size * 2 + 64;
    }
    if (w->failed)
        return;
    memcpy(w->text + w->length, bytes, length);
    w->length += length;
    w->text[w->length] = '\0';
}

static void put_word(writer *w, const char *word)
{
    put(w, word, strlen(word));
}

static void put_string(writer *w, const char *text)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";

    put_word(w, "\"");
    for (; *text; text++) {
        const char *found = strchr(from, *text);
        char escape[8];

        if (found)
            snprintf(escape, sizeof escape, "\\%c", to[found - from]);
        else if ((unsigned char)*text < ' ')
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            snprintf(escape, sizeof escape, "%c", *text);
        put_word(w, escape);
    }
    put_word(w, "\"");
}

/* The shorter form, if nothing is lost by it. */
static void put_number(writer *w, const cJSON *node)
{
    const double number = node->valuedouble;
    char text[32];

    if (!isfinite(number))
        snprintf(text, sizeof text, "null");
    else if (number == (double)node->valueint)
        snprintf(text, sizeof text, "%d", node->valueint);
    else {
        snprintf(text, sizeof text, "%1.15g", number);
        if (fabs(strtod(text, NULL) - number) > fabs(number) * 2.220446049250313e-16)
            snprintf(text, sizeof text, "%1.17g", number);
    }
    put_word(w, text);
}

/* As deep as what has been read. */
static void put_value(writer *w, const cJSON *node)
{
    const bool is_object = cJSON_IsObject(node);

    if (cJSON_IsNumber(node)) {
        put_number(w, node);
    } else if (cJSON_IsString(node)) {
        put_string(w, node->valuestring);
    } else if (!is_object && !cJSON_IsArray(node)) {
        put_word(w, cJSON_IsTrue(node) ? "true" : cJSON_IsBool(node) ? "false" : "null");
    } else {
        put_word(w, is_object ? "{" : "[");
        for (const cJSON *child = node->child; child; child = child->next) {
            if (is_object) {
                put_string(w, child->string);
                put_word(w, ":");
            }
            put_value(w, child);
            put_word(w, child->next ? "," : "");
        }
        put_word(w, is_object ? "}" : "]");
    }
}

char *cJSON_PrintUnformatted(const cJSON *item)
{
    writer w = {0};

    put_value(&w, item);
    if (!w.failed)
        return w.text;
    free(w.text);
    return NULL;
}
