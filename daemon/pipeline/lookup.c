/* Open addressing with linear probing, at most half full. Removing closes the hole, so there are no tombstones. */
#include "pipeline/lookup.h"

#include <stdlib.h>

#define PLACES_MIN 16u

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). */
uint32_t lookup_hash_name(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

void lookup_finish(lookup *l)
{
    free(l->places);
    l->places = NULL;
    l->mask = l->count = 0;
}

static uint32_t home_of(const lookup *l, uint32_t id)
{
    return l->hash(l->owner, id) & l->mask;
}

static void place(lookup *l, uint32_t id)
{
    uint32_t at = home_of(l, id);

    while (l->places[at] != LOOKUP_NONE)
        at = (at + 1) & l->mask;
    l->places[at] = id;
}

static int grow(lookup *l)
{
    lookup larger = *l;
    size_t count;

    larger.mask = l->mask ? 2 * l->mask + 1 : PLACES_MIN - 1;
    count = (size_t)larger.mask + 1;
    larger.places = malloc(count * sizeof *larger.places);
    if (!larger.places)
        return -1;
    for (size_t i = 0; i < count; i++)
        larger.places[i] = LOOKUP_NONE;
    for (uint32_t i = 0; l->mask && i <= l->mask; i++)
        if (l->places[i] != LOOKUP_NONE)
            place(&larger, l->places[i]);
    free(l->places);
    *l = larger;
    return 0;
}

uint32_t lookup_find(const lookup *l, uint32_t hash, const void *key)
{
    uint32_t at;

    if (!l->mask)
        return LOOKUP_NONE;
    at = hash & l->mask;
    while (l->places[at] != LOOKUP_NONE && !l->has_key(l->owner, l->places[at], key))
        at = (at + 1) & l->mask;
    return l->places[at];
}

int lookup_add(lookup *l, uint32_t id)
{
    if (2 * (l->count + 1) > l->mask && grow(l) < 0)
        return -1;
    place(l, id);
    l->count++;
    return 0;
}

void lookup_remove(lookup *l, uint32_t id)
{
    uint32_t hole = home_of(l, id);

    while (l->places[hole] != id)
        hole = (hole + 1) & l->mask;
    /* move the entries behind the hole up into it, unless that is before their home */
    for (uint32_t at = (hole + 1) & l->mask; l->places[at] != LOOKUP_NONE; at = (at + 1) & l->mask) {
        uint32_t home = home_of(l, l->places[at]);

        if (((at - home) & l->mask) < ((at - hole) & l->mask))
            continue;
        l->places[hole] = l->places[at];
        hole = at;
    }
    l->places[hole] = LOOKUP_NONE;
    l->count--;
}
