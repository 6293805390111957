/* See expand.h. */
#include "expand.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 128
#define NAME_FIRST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define NAME_REST NAME_FIRST "0123456789"

typedef struct expansion {
    char *out;
    size_t size, used;
} expansion;

static int add(expansion *e, const char *text, size_t length, failure *out_failure)
{
    if (length >= e->size - e->used)
        return fail_int(out_failure, "the path is too long: %zu bytes at most", e->size - 1);
    memcpy(e->out + e->used, text, length);
    e->used += length;
    e->out[e->used] = '\0';
    return 0;
}

/* Refuse an empty variable, which would lead somewhere that nobody meant: "$DATA/recordings" to the root. */
static int add_variable(expansion *e, const char *name, failure *out_failure)
{
    const char *value = getenv(name);

    if (!value || !value[0])
        return fail_int(out_failure, "the variable %s is %s in clashd's environment", name,
                        value ? "empty" : "not set");
    return add(e, value, strlen(value), out_failure);
}

/* Expand what follows a "$". Return how many bytes were read, or -1. */
static int add_dollar(expansion *e, const char *text, failure *out_failure)
{
    const bool is_braced = text[0] == '{';
    const char *start = text + is_braced;
    const size_t length = strspn(start, NAME_REST);
    char name[NAME_MAX_BYTES];

    if (text[0] == '$')
        return add(e, "$", 1, out_failure) == 0 ? 1 : -1;
    if (length == 0 || !strchr(NAME_FIRST, start[0]) || (is_braced && start[length] != '}'))
        return fail_int(out_failure,
                        "expected the name of a variable after $, as in $HOME or ${HOME}; $$ stands for $");
    if (length >= sizeof name)
        return fail_int(out_failure, "the name of a variable is too long: %zu bytes at most", sizeof name - 1);
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    return add_variable(e, name, out_failure) == 0 ? (int)length + 2 * is_braced : -1;
}

int config_expand_path(const char *path, char *out, size_t size, failure *out_failure)
{
    expansion e = {.out = out, .size = size};

    out[0] = '\0';
    if (path[0] == '~') {
        if (path[1] != '/' && path[1] != '\0')
            return fail_int(out_failure,
                            "only ~/ stands for a home directory, that of clashd's own user; a file of such a "
                            "name is ./~..");
        if (add_variable(&e, "HOME", out_failure) != 0)
            return -1;
        path++;
    }
    while (*path) {
        const size_t plain = strcspn(path, "$");
        int read;

        if (add(&e, path, plain, out_failure) != 0)
            return -1;
        path += plain;
        if (*path == '\0')
            break;
        read = add_dollar(&e, path + 1, out_failure);
        if (read < 0)
            return -1;
        path += 1 + read;
    }
    return 0;
}
