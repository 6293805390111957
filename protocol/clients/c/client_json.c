/* The few functions of cJSON that the client reads by, for a library that must load where libcjson is missing (CMakeLists.txt,
 * clash_client_alone). The text has passed json_text_check: a text that would not have, ends the tree without reading past its end.
 * Numbers do not depend on the locale. Any thread. */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/json/json_text.h"
#include "protocol/json/number_read.h"

typedef struct reader {
    const char *at, *end;
} reader;

static bool read_value(reader *r, cJSON *item, int depth);

static char next_byte(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool take(reader *r, char c)
{
    bool is_there = next_byte(r) == c;

    r->at += is_there;
    return is_there;
}

static unsigned read_hex(const char *at)
{
    unsigned code = 0;

    for (int i = 0; i < 4; i++)
        code = code * 16 + (unsigned)(at[i] <= '9' ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10);
    return code;
}

/** Write a code point as UTF-8; return the length. */
static size_t encode(unsigned code, char *out)
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(length == 1 ? code : first[length] | code);
    return length;
}

/** Read the escape after a backslash. Return false if the text ends in it. */
static bool read_escape(reader *r, char **out)
{
    static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    char name = r->at < r->end ? *r->at++ : '\0';
    const char *known = name ? strchr(names, name) : NULL;
    unsigned code;

    if (name != 'u') {
        *(*out)++ = known ? meanings[known - names] : name;
        return name != '\0';
    }
    if (r->end - r->at < 4)
        return false;
    code = read_hex(r->at);
    r->at += 4;
    if (code >= 0xd800 && code <= 0xdbff && r->end - r->at >= 6) {
        code = 0x10000 + ((code & 0x3ff) << 10 | (read_hex(r->at + 2) & 0x3ff));
        r->at += 6;
    }
    *out += encode(code, *out);
    return true;
}

/** Read a string, the opening quote of which is next. The caller frees it; NULL: out of memory, or the text ends in it. */
static char *read_string(reader *r)
{
    const char *last = ++r->at;
    char *text, *out;

    while (last < r->end && *last != '"')
        last += *last == '\\' ? 2 : 1;
    if (last >= r->end)
        return NULL;
    text = out = malloc((size_t)(last - r->at) + 1); /* no escape is longer as UTF-8 */
    while (text && r->at < last) {
        char c = *r->at++;

        if (c != '\\') {
            *out++ = c;
        } else if (!read_escape(r, &out)) {
            free(text);
            return NULL;
        }
    }
    if (text)
        *out = '\0';
    r->at = last + 1;
    return text;
}

/** Read the members up to the closing bracket. */
static bool read_members(reader *r, cJSON *whole, char closing, int depth)
{
    cJSON **end = &whole->child, *last = NULL;

    r->at++;
    if (take(r, closing))
        return true;
    do {
        cJSON *item = calloc(1, sizeof *item);

        if (!item)
            return false;
        item->prev = last;
        *end = last = item;
        end = &item->next;
        if (closing == '}' && (next_byte(r) != '"' || !(item->string = read_string(r)) || !take(r, ':')))
            return false;
        if (!read_value(r, item, depth + 1))
            return false;
    } while (take(r, ','));
    return take(r, closing);
}

static bool read_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    bool is_it = (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;

    r->at += is_it ? length : 0;
    return is_it;
}

/** Read a number; one that a double does not hold is infinite, as with cJSON. */
static bool read_number(reader *r, cJSON *item)
{
    const char *behind = number_read(r->at, r->end, &item->valuedouble), *begin = r->at;

    item->type = cJSON_Number;
    if (!behind)
        item->valuedouble = HUGE_VAL;
    while (r->at < r->end && *r->at && strchr("+-.eE0123456789", *r->at))
        r->at++;
    return r->at > begin;
}

static bool read_value(reader *r, cJSON *item, int depth)
{
    char c = depth <= JSON_TEXT_DEPTH_MAX ? next_byte(r) : '\0';

    if (c == '{' || c == '[') {
        item->type = c == '{' ? cJSON_Object : cJSON_Array;
        return read_members(r, item, c == '{' ? '}' : ']', depth);
    }
    if (c == '"') {
        item->type = cJSON_String;
        return (item->valuestring = read_string(r)) != NULL;
    }
    item->type = c == 't' ? cJSON_True : c == 'f' ? cJSON_False : cJSON_NULL;
    if (c == 't' || c == 'f' || c == 'n')
        return read_word(r, c == 't' ? "true" : c == 'f' ? "false" : "null");
    return read_number(r, item);
}

cJSON *cJSON_ParseWithLength(const char *text, size_t length)
{
    cJSON *whole = calloc(1, sizeof *whole);
    reader r = {text, text + length};

    if (!whole)
        return NULL;
    if (!read_value(&r, whole, 0)) {
        cJSON_Delete(whole);
        whole = NULL;
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): cJSON_Delete frees it, which the analyzer does not follow to its end */
    return whole;
}

void cJSON_Delete(cJSON *item)
{
    while (item) {
        cJSON *next = item->next;

        cJSON_Delete(item->child);
        free(item->valuestring);
        free(item->string);
        free(item);
        item = next;
    }
}

int cJSON_GetArraySize(const cJSON *array)
{
    int size = 0;

    for (const cJSON *item = array ? array->child : NULL; item; item = item->next)
        size++;
    return size;
}

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *key)
{
    cJSON *item = object && key ? object->child : NULL;

    while (item && !(item->string && strcmp(item->string, key) == 0))
        item = item->next;
    return item;
}

cJSON_bool cJSON_HasObjectItem(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
}

static cJSON_bool is_of(const cJSON *item, int types)
{
    return item && (item->type & types);
}

cJSON_bool cJSON_IsArray(const cJSON *item)
{
    return is_of(item, cJSON_Array);
}

cJSON_bool cJSON_IsBool(const cJSON *item)
{
    return is_of(item, cJSON_True | cJSON_False);
}

cJSON_bool cJSON_IsNull(const cJSON *item)
{
    return is_of(item, cJSON_NULL);
}

cJSON_bool cJSON_IsNumber(const cJSON *item)
{
    return is_of(item, cJSON_Number);
}

cJSON_bool cJSON_IsObject(const cJSON *item)
{
    return is_of(item, cJSON_Object);
}

cJSON_bool cJSON_IsString(const cJSON *item)
{
    return is_of(item, cJSON_String);
}

cJSON_bool cJSON_IsTrue(const cJSON *item)
{
    return is_of(item, cJSON_True);
}
