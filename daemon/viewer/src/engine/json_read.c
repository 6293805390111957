/* Text to trees, as cJSON reads it: see json_tree.h. */
#include "json_tree.h"

#include "protocol/json/number_read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 1000

typedef struct reader {
    const char *at, *end;
} reader;

static cJSON *read_value(reader *r, int depth);

/* All below the blank is blank to cJSON. */
static void skip_blanks(reader *r)
{
    while (r->at < r->end && (unsigned char)*r->at <= ' ' && *r->at != '\0')
        r->at++;
}

static bool take(reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static cJSON *new_node(int type)
{
    cJSON *node = json_tree_take(sizeof *node);

    if (node)
        *node = (cJSON){.type = type};
    return node;
}

/* ---- strings ---- */

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

static long read_hex(reader *r)
{
    long code = 0;

    for (int i = 0; i < 4; i++) {
        const int digit = r->at < r->end ? hex_of(*r->at) : -1;

        if (digit < 0)
            return -1;
        code = code * 16 + digit;
        r->at++;
    }
    return code;
}

static char *put_utf8(char *out, unsigned long code)
{
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char heads[] = {0, 0xc0, 0xe0, 0xf0};

    *out++ = (char)(heads[more] | code >> (6 * more));
    for (int i = more - 1; i >= 0; i--)
        *out++ = (char)(0x80 | ((code >> (6 * i)) & 0x3f));
    return out;
}

/* Behind "\u". Return NULL if it is no character. */
static char *read_code(reader *r, char *out)
{
    long code = read_hex(r), low;

    if (code < 0 || (code >= 0xdc00 && code < 0xe000))
        return NULL;
    if (code < 0xd800 || code >= 0xe000)
        return put_utf8(out, (unsigned long)code);
    if (!take(r, '\\') || !take(r, 'u') || (low = read_hex(r)) < 0xdc00 || low >= 0xe000)
        return NULL;
    return put_utf8(out, 0x10000 + (((unsigned long)code & 0x3ff) << 10) + ((unsigned long)low & 0x3ff));
}

static char *read_escape(reader *r, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found;

    if (take(r, 'u'))
        return read_code(r, out);
    found = r->at < r->end && *r->at ? strchr(from, *r->at) : NULL;
    if (!found)
        return NULL;
    r->at++;
    *out = to[found - from];
    return out + 1;
}

static char *read_string(reader *r)
{
    const char *stop;
    char *text, *out;

    if (!take(r, '"'))
        return NULL;
    for (stop = r->at; stop < r->end && *stop != '"'; stop++)
        stop += *stop == '\\';
    if (stop >= r->end || !(text = out = json_tree_take((size_t)(stop - r->at) + 1)))
        return NULL;
    while (*r->at != '"') {
        if (take(r, '\\'))
            out = read_escape(r, out);
        else
            *out++ = *r->at++;
        if (!out)
            return NULL;
    }
    r->at++;
    *out = '\0';
    return text;
}

/* ---- numbers ---- */

/* Leave numbers that need more than one division to the C library; it stops at the zero that ends every text. */
static cJSON *read_number(reader *r)
{
    cJSON *node = new_node(cJSON_Number);
    const char *behind = node ? number_read(r->at, r->end, &node->valuedouble) : NULL;
    char *stop;

    if (!node)
        return NULL;
    if (!behind) {
        node->valuedouble = strtod(r->at, &stop);
        behind = stop;
    }
    if (behind == r->at || behind > r->end)
        return NULL;
    r->at = behind;
    node->valueint = node->valuedouble >= INT_MAX   ? INT_MAX
                     : node->valuedouble <= INT_MIN ? INT_MIN
                                                    : (int)node->valuedouble;
    return node;
}

/* ---- the rest ---- */

static cJSON *read_list(reader *r, int depth, bool is_object)
{
    cJSON *list = new_node(is_object ? cJSON_Object : cJSON_Array), *last = NULL;
    const char close = is_object ? '}' : ']';

    skip_blanks(r);
    if (!list || depth >= DEPTH_MAX || take(r, close))
        return depth >= DEPTH_MAX ? NULL : list;
    do {
        char *key = NULL;
        cJSON *one;

        skip_blanks(r);
        if (is_object) {
            if (!(key = read_string(r)))
                return NULL;
            skip_blanks(r);
            if (!take(r, ':'))
                return NULL;
        }
        if (!(one = read_value(r, depth + 1)))
            return NULL;
        one->string = key;
        one->prev = last;
        *(last ? &last->next : &list->child) = one;
        last = one;
        skip_blanks(r);
    } while (take(r, ','));
    list->child->prev = last;
    return take(r, close) ? list : NULL;
}

static cJSON *read_word(reader *r, const char *word, int type)
{
    const size_t length = strlen(word);

    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return NULL;
    r->at += length;
    return new_node(type);
}

static cJSON *read_text(reader *r)
{
    cJSON *node = new_node(cJSON_String);

    return node && (node->valuestring = read_string(r)) ? node : NULL;
}

static cJSON *read_value(reader *r, int depth)
{
    skip_blanks(r);
    if (r->at == r->end)
        return NULL;
    switch (*r->at) {
    case '{':
    case '[':
        return read_list(r, depth, *r->at++ == '{');
    case '"':
        return read_text(r);
    case 't':
        return read_word(r, "true", cJSON_True);
    case 'f':
        return read_word(r, "false", cJSON_False);
    case 'n':
        return read_word(r, "null", cJSON_NULL);
    default:
        return read_number(r);
    }
}

cJSON *cJSON_ParseWithLengthOpts(const char *value, size_t buffer_length, const char **return_parse_end,
                                 cJSON_bool require_null_terminated)
{
    reader r = {value, value + buffer_length};
    cJSON *root;

    json_tree_begin();
    root = read_value(&r, 0);
    if (require_null_terminated) {
        skip_blanks(&r);
        root = r.at == r.end || *r.at == '\0' ? root : NULL;
    }
    if (return_parse_end)
        *return_parse_end = r.at;
    if (!root)
        cJSON_Delete(&(cJSON){0});
    return root;
}

cJSON *cJSON_ParseWithLength(const char *value, size_t buffer_length)
{
    return cJSON_ParseWithLengthOpts(value, buffer_length, NULL, 0);
}

cJSON *cJSON_ParseWithOpts(const char *value, const char **return_parse_end, cJSON_bool require_null_terminated)
{
    return cJSON_ParseWithLengthOpts(value, strlen(value) + 1, return_parse_end, require_null_terminated);
}
