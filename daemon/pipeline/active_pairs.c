/* A dense array, cheap to walk, and a lookup table. Removing moves the last pair into the hole. */
#include "pipeline/active_pairs.h"
#include "cli/array.h"

#include <stdlib.h>

static uint32_t hash_slots(const uint32_t slots[2])
{
    uint64_t key = ((uint64_t)slots[0] << 32 | slots[1]) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(key >> 32);
}

static uint32_t hash_of_pair(const void *owner, uint32_t id)
{
    const active_pairs *a = owner;

    return hash_slots(a->all[id].blades);
}

static bool pair_has_slots(const void *owner, uint32_t id, const void *key)
{
    const active_pairs *a = owner;
    const uint32_t *slots = key;

    return a->all[id].blades[0] == slots[0] && a->all[id].blades[1] == slots[1];
}

void active_pairs_finish(active_pairs *a)
{
    free(a->all);
    lookup_finish(&a->index);
}

active_pair *active_pairs_find(const active_pairs *a, const uint32_t slots[2])
{
    uint32_t id = lookup_find(&a->index, hash_slots(slots), slots);

    return id == LOOKUP_NONE ? NULL : &a->all[id];
}

active_pair *active_pairs_add(active_pairs *a, const uint32_t slots[2], const pair *from)
{
    if (a->count == a->capacity) {
        const uint32_t capacity = a->capacity ? 2 * a->capacity : 16;

        if (!array_resize(&a->all, capacity, sizeof *a->all))
            return NULL;
        a->capacity = capacity;
    }
    a->all[a->count] = (active_pair){.blades = {slots[0], slots[1]}, .pair = *from};
    if (lookup_add(&a->index, a->count) < 0)
        return NULL;
    return &a->all[a->count++];
}

void active_pairs_remove(active_pairs *a, active_pair *gone)
{
    uint32_t id = (uint32_t)(gone - a->all), last = a->count - 1;

    lookup_remove(&a->index, id);
    if (id != last) {
        lookup_remove(&a->index, last);
        a->all[id] = a->all[last];
        a->count = last;
        lookup_add(&a->index, id); /* cannot fail, as a place was just freed */
    }
    a->count = last;
}

/* Reserve room for a few pairs, so that a game's first contact does not allocate. */
bool active_pairs_init(active_pairs *a)
{
    const uint32_t none[2] = {0, 0};
    active_pair *first;

    *a = (active_pairs){.index = {.hash = hash_of_pair, .has_key = pair_has_slots, .owner = a}};
    first = active_pairs_add(a, none, &(pair){0});
    if (first)
        active_pairs_remove(a, first);
    return first != NULL;
}
