/* OSC addresses: see osc_path.h. */
#include "osc_path.h"

#include "cli/percent.h"

#include <string.h>

const char *const osc_path_blades[] = {"first", "second", NULL};
const char *const osc_path_avatar[] = {"parameter", NULL};

#define RESERVED "#*,?[]{}/"

/* Kept by OSC 1.0 for patterns, and blanks; the slash parts one name from the next. */
static bool is_plain(char c)
{
    return c > ' ' && c < 0x7f && !strchr(RESERVED, c);
}

/* Return which place begins there, and what follows it; -1: none of these. */
static int find_place(const char *text, const char *const *places, const char **out_after)
{
    for (int i = 0; places[i]; i++) {
        const size_t length = strlen(places[i]);

        if (text[0] == '{' && strncmp(text + 1, places[i], length) == 0 && text[length + 1] == '}') {
            *out_after = text + length + 2;
            return i;
        }
    }
    return -1;
}

static int refuse(const char *text, const char *const *places, failure *out_failure)
{
    const bool has_two = places[1] != NULL;

    return fail_int(
        out_failure,
        "'%.80s' is no OSC address: expected one as \"/clash\", of printable ASCII without blanks and any of "
        "#*,?[]{}, but {%s}%s%s%s may stand in it",
        text, places[0], has_two ? " and {" : "", has_two ? places[1] : "", has_two ? "}" : "");
}

int osc_path_check(const char *text, const char *const *places, failure *out_failure)
{
    const char *at = text;

    if (text[0] != '/' || text[1] == '\0')
        return refuse(text, places, out_failure);
    while (*at)
        if (find_place(at, places, &at) < 0) {
            if (*at != '/' && !is_plain(*at))
                return refuse(text, places, out_failure);
            at++;
        }
    return 0;
}

bool osc_path_expand(const char *text, const char *const *places, const char *const *names, char *out, size_t size)
{
    size_t used = 0;

    while (*text && used < size) {
        const int place = find_place(text, places, &text);

        if (place < 0)
            out[used++] = *text++;
        else if (percent_encode(names[place], RESERVED, out + used, size - used))
            used += strlen(out + used);
        else
            return false;
    }
    if (used >= size)
        return false;
    out[used] = '\0';
    return true;
}
