#include "nearest_word.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A longer word is not a mistyped one. */
#define TYPED_MAX 60
#define KNOWN_MAX 63

/* Return how many characters must be inserted, left out, changed or swapped with the next one to make one word of the
 * other. */
static size_t distance_of(const char *typed, const char *known)
{
    size_t rows[3][KNOWN_MAX + 1], length = strlen(known), i = 0;

    assert(length <= KNOWN_MAX);
    for (size_t k = 0; k <= length; k++)
        rows[0][k] = k;
    for (; typed[i]; i++) {
        size_t *row = rows[(i + 1) % 3];
        const size_t *before = rows[i % 3], *earlier = rows[(i + 2) % 3];

        row[0] = i + 1;
        for (size_t k = 0; k < length; k++) {
            const size_t changed = before[k] + (typed[i] != known[k]);
            const size_t longer = (before[k + 1] < row[k] ? before[k + 1] : row[k]) + 1;

            row[k + 1] = changed < longer ? changed : longer;
            if (i > 0 && k > 0 && typed[i] == known[k - 1] && typed[i - 1] == known[k] &&
                earlier[k - 1] + 1 < row[k + 1])
                row[k + 1] = earlier[k - 1] + 1;
        }
    }
    return rows[i % 3][length];
}

nearest_word nearest_word_begin(const char *typed)
{
    /* Allow one wrong character in three, and a missing short ending ("hold_rate"). */
    return (nearest_word){.typed = typed, .distance = strlen(typed) / 3 + 1};
}

void nearest_word_offer(nearest_word *c, const char *known)
{
    size_t distance;

    if (strlen(c->typed) > TYPED_MAX)
        return;
    distance = distance_of(c->typed, known);
    if (distance <= c->distance && distance < strlen(known) && (!c->found || distance < c->distance)) {
        c->distance = distance;
        c->found = known;
    }
}

bool nearest_word_is_in(const char *typed, const char *words)
{
    const size_t length = strlen(typed);

    for (const char *at = words; *at;) {
        const size_t next = strcspn(at, " ");

        if (next == length && length > 0 && memcmp(at, typed, length) == 0)
            return true;
        at += next + strspn(at + next, " ");
    }
    return false;
}

void nearest_word_add(const char *typed, const char *words, failure *out_expected)
{
    char list[512];
    nearest_word near = nearest_word_begin(typed);
    size_t used;

    if (!out_expected || strstr(out_expected->text, "; is it '") ||
        snprintf(list, sizeof list, "%s", words) >= (int)sizeof list)
        return;
    for (char *rest = list, *word; (word = strtok_r(rest, " ", &rest));)
        nearest_word_offer(&near, word);
    used = strlen(out_expected->text);
    if (near.found)
        snprintf(out_expected->text + used, sizeof out_expected->text - used, "; is it '%s'?", near.found);
}
