/* Go through the file twice: faces may name later vertices. The loader checks everything else. See obj_check.h. */
#include "mesh/helper/obj_check.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FACE "line %zu: f: "

typedef struct checking {
    const char *at, *end;
    size_t line;
    int64_t vertices, before; /* in all; up to here */
    size_t faces;
    failure *why;
} checking;

/** Return whether the bytes end here, by size or by a zero. */
static bool is_end(const checking *c)
{
    return c->at >= c->end || *c->at == '\n' || *c->at == '\r' || *c->at == '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/** Return the length of a continued line's end, or 0. */
static ptrdiff_t continuation(const checking *c)
{
    if (c->end - c->at >= 3 && memcmp(c->at, "\\\r\n", 3) == 0)
        return 3;
    return c->end - c->at >= 2 && c->at[0] == '\\' && (c->at[1] == '\n' || c->at[1] == '\r') ? 2 : 0;
}

static void skip_blanks(checking *c)
{
    ptrdiff_t skipped;

    for (;;) {
        if (c->at < c->end && is_blank(*c->at)) {
            c->at++;
        } else if ((skipped = continuation(c)) > 0) {
            c->at += skipped;
            c->line++;
        } else {
            return;
        }
    }
}

static bool is_word_end(const checking *c)
{
    return is_end(c) || is_blank(*c->at) || continuation(c) > 0;
}

static void skip_word(checking *c)
{
    while (!is_word_end(c))
        c->at++;
}

static void skip_line(checking *c)
{
    while (!is_end(c))
        c->at++;
    if (c->at < c->end && c->at[0] == '\r' && c->end - c->at >= 2 && c->at[1] == '\n')
        c->at++;
    if (c->at < c->end)
        c->at++;
    c->line++;
}

/** Return whether the line begins with that letter alone; then skip it. */
static bool takes(checking *c, char letter)
{
    skip_blanks(c);
    if (c->end - c->at < 2 || *c->at != letter || !is_blank(c->at[1]))
        return false;
    c->at++;
    return true;
}

/** The loader skips a vertex of fewer than three coordinates. */
static void count_vertex(checking *c)
{
    int coordinates = 0;

    for (skip_blanks(c); !is_end(c) && *c->at != '#'; skip_blanks(c)) {
        coordinates++;
        skip_word(c);
    }
    c->before += coordinates >= 3;
}

/** Read a signed whole number, as far as vertices may go; 0 if there is none. */
static int64_t take_number(checking *c)
{
    const bool is_negative = c->at < c->end && *c->at == '-';
    int64_t number = 0;

    if (c->at < c->end && (*c->at == '-' || *c->at == '+'))
        c->at++;
    for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++)
        number = number > INT32_MAX ? number : 10 * number + (*c->at - '0');
    return is_negative ? -number : number;
}

static bool check_corner(checking *c)
{
    const int64_t number = take_number(c);

    if (number == 0 || (!is_word_end(c) && *c->at != '/'))
        return fail_with(c->why, FACE "expected vertices by their numbers, as 1, 1/1 or -1", c->line);
    if (number > c->vertices)
        return fail_with(c->why, FACE "there is no vertex %lld, only %lld", c->line, (long long)number,
                         (long long)c->vertices);
    if (-number > c->before)
        return fail_with(c->why, FACE "there is no vertex %lld, only %lld before it", c->line, (long long)number,
                         (long long)c->before);
    skip_word(c);
    return true;
}

static bool check_face(checking *c)
{
    const size_t line = c->line;
    size_t corners = 0;

    for (skip_blanks(c); !is_end(c) && *c->at != '#'; skip_blanks(c)) {
        if (++corners > OBJ_CORNERS_MAX)
            return fail_with(c->why, FACE "has more than %d corners", line, OBJ_CORNERS_MAX);
        if (!check_corner(c))
            return false;
    }
    c->faces += corners > 0;
    return corners == 0 || corners >= 3 ? true
                                        : fail_with(c->why, FACE "expected 3 corners or more, not %zu", line, corners);
}

static bool go_through(checking *c, const char *bytes, bool has_counted)
{
    c->at = bytes;
    c->line = 1;
    c->before = 0;
    for (; c->at < c->end; skip_line(c)) {
        if (takes(c, 'v'))
            count_vertex(c);
        else if (has_counted && takes(c, 'f') && !check_face(c))
            return false;
    }
    return true;
}

bool obj_check(const char *bytes, size_t size, failure *why)
{
    checking here = {.end = bytes + size, .why = why}, *c = &here;

    go_through(c, bytes, false);
    here.vertices = here.before;
    if (!go_through(c, bytes, true))
        return false;
    return here.faces > 0 ? true : fail_with(c->why, "has no faces");
}
