/* A strict reader of JSON that keeps nothing: see json_text.h. Recursive, JSON_TEXT_DEPTH_MAX deep at most. */
#include "json_text.h"

#include <string.h>

#include "cli/utf8.h"

typedef struct reader {
    const char *start, *at, *end;
    const char *wrong; /* at `at`; NULL: nothing so far */
} reader;

static bool read_value(reader *r, int depth);

static bool fail(reader *r, const char *wrong)
{
    r->wrong = wrong;
    return false;
}

static bool is_next(const reader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

static bool is_digit(const reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static void skip_spaces(reader *r)
{
    while (is_next(r, ' ') || is_next(r, '\t') || is_next(r, '\r') || is_next(r, '\n'))
        r->at++;
}

/** The four digits after \u, or -1. */
static long read_hex(const char *at, const char *end)
{
    long code = 0;

    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (!is_hex(at[i]))
            return -1;
        code = code * 16 + (at[i] <= '9' ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10);
    }
    return code;
}

/** \uHHHH, two of them if they are a surrogate pair. */
static bool read_code(reader *r)
{
    long code = read_hex(r->at + 2, r->end), low;

    if (code < 0)
        return fail(r, "expected four hexadecimal digits after \\u");
    if (code == 0)
        return fail(r, "\\u0000 is not taken");
    if (code >= 0xdc00 && code <= 0xdfff)
        return fail(r, "the second half of a surrogate pair without the first");
    r->at += 6;
    if (code < 0xd800 || code > 0xdbff)
        return true;
    low = is_next(r, '\\') && r->end - r->at >= 6 && r->at[1] == 'u' ? read_hex(r->at + 2, r->end) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return fail(r, "expected the second half of a surrogate pair");
    r->at += 6;
    return true;
}

static bool read_escape(reader *r)
{
    if (r->end - r->at < 2)
        return fail(r, "a string without an end");
    if (r->at[1] == 'u')
        return read_code(r);
    if (r->at[1] == '\0' || !strchr("\"\\/bfnrt", r->at[1]))
        return fail(r, "no such escape");
    r->at += 2;
    return true;
}

static bool read_string(reader *r)
{
    r->at++;
    while (r->at < r->end) {
        unsigned char c = (unsigned char)*r->at;

        if (c == '"') {
            r->at++;
            return true;
        }
        if (c == '\\') {
            if (!read_escape(r))
                return false;
        } else if (c < 0x20) {
            return fail(r, "a control character in a string");
        } else if (c < 0x80) {
            r->at++;
        } else {
            size_t length = utf8_length(r->at, (size_t)(r->end - r->at));

            if (length == 0)
                return fail(r, "no valid UTF-8");
            r->at += length;
        }
    }
    return fail(r, "a string without an end");
}

static bool read_digits(reader *r)
{
    if (!is_digit(r))
        return fail(r, "expected a digit");
    while (is_digit(r))
        r->at++;
    return true;
}

static bool read_number(reader *r)
{
    const char *start = r->at;

    r->at += is_next(r, '-');
    if (is_next(r, '0'))
        r->at++;
    else if (!read_digits(r))
        return false;
    if (is_next(r, '.')) {
        r->at++;
        if (!read_digits(r))
            return false;
    }
    if (is_next(r, 'e') || is_next(r, 'E')) {
        r->at++;
        r->at += is_next(r, '+') || is_next(r, '-');
        if (!read_digits(r))
            return false;
    }
    if (r->at - start <= JSON_TEXT_NUMBER_MAX)
        return true;
    r->at = start;
    return fail(r, "a number of more than 63 characters");
}

static bool read_word(reader *r, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return fail(r, "expected a value");
    r->at += length;
    return true;
}

static bool read_member(reader *r, int depth)
{
    skip_spaces(r);
    if (!is_next(r, '"'))
        return fail(r, "expected a key in quotes");
    if (!read_string(r))
        return false;
    skip_spaces(r);
    if (!is_next(r, ':'))
        return fail(r, "expected a colon");
    r->at++;
    return read_value(r, depth);
}

/** An object or an array. */
static bool read_parts(reader *r, int depth)
{
    char close = *r->at == '{' ? '}' : ']';

    if (depth == JSON_TEXT_DEPTH_MAX)
        return fail(r, "brackets more than 64 deep");
    r->at++;
    skip_spaces(r);
    if (is_next(r, close)) {
        r->at++;
        return true;
    }
    for (;;) {
        if (!(close == '}' ? read_member(r, depth + 1) : read_value(r, depth + 1)))
            return false;
        skip_spaces(r);
        if (is_next(r, close))
            break;
        if (!is_next(r, ','))
            return fail(r, close == '}' ? "expected a comma or }" : "expected a comma or ]");
        r->at++;
    }
    r->at++;
    return true;
}

static bool read_value(reader *r, int depth)
{
    skip_spaces(r);
    if (r->at == r->end)
        return fail(r, "expected a value");
    switch (*r->at) {
    case '{':
    case '[':
        return read_parts(r, depth);
    case '"':
        return read_string(r);
    case 't':
        return read_word(r, "true");
    case 'f':
        return read_word(r, "false");
    case 'n':
        return read_word(r, "null");
    default:
        return is_digit(r) || *r->at == '-' ? read_number(r) : fail(r, "expected a value");
    }
}

bool json_text_check(const char *text, size_t length, failure *out_failure)
{
    reader r = {.start = text, .at = text, .end = text + length};

    if (read_value(&r, 0)) {
        skip_spaces(&r);
        if (r.at == r.end)
            return true;
        r.wrong = "one value is expected, something follows it";
    }
    return fail_with(out_failure, "%s at byte %zu", r.wrong, (size_t)(r.at - r.start));
}
