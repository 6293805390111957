/* A dense array, so that going through all of them is cheap, and a lookup beside it. The last one fills a hole. */
#include "pipeline/records.h"

#include <stdlib.h>

static uint32_t hash_slots(const uint32_t slots[2])
{
    uint64_t key = ((uint64_t)slots[0] << 32 | slots[1]) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(key >> 32);
}

static uint32_t hash_of_record(const void *owner, uint32_t id)
{
    const records *r = owner;

    return hash_slots(r->all[id].blades);
}

static bool record_has_slots(const void *owner, uint32_t id, const void *key)
{
    const records *r = owner;
    const uint32_t *slots = key;

    return r->all[id].blades[0] == slots[0] && r->all[id].blades[1] == slots[1];
}

void records_init(records *r)
{
    *r = (records){.index = {.hash = hash_of_record, .has_key = record_has_slots, .owner = r}};
}

void records_finish(records *r)
{
    free(r->all);
    lookup_finish(&r->index);
}

record *records_find(const records *r, const uint32_t slots[2])
{
    uint32_t id = lookup_find(&r->index, hash_slots(slots), slots);

    return id == LOOKUP_NONE ? NULL : &r->all[id];
}

record *records_add(records *r, const uint32_t slots[2], const pair *from)
{
    if (r->count == r->capacity) {
        uint32_t capacity = r->capacity ? 2 * r->capacity : 16;
        record *all = realloc(r->all, capacity * sizeof *all);

        if (!all)
            return NULL;
        r->all = all;
        r->capacity = capacity;
    }
    r->all[r->count] = (record){.blades = {slots[0], slots[1]}, .pair = *from};
    if (lookup_add(&r->index, r->count) < 0)
        return NULL;
    return &r->all[r->count++];
}

void records_remove(records *r, record *gone)
{
    uint32_t id = (uint32_t)(gone - r->all), last = r->count - 1;

    lookup_remove(&r->index, id);
    if (id != last) {
        lookup_remove(&r->index, last);
        r->all[id] = r->all[last];
        r->count = last;
        lookup_add(&r->index, id); /* a place was freed: it cannot fail */
    }
    r->count = last;
}
