/* An array that only grows, a lookup, and a linked list in the order of release: a new entry goes to the list's end
 * and, if there is no room, replaces the oldest. See release_times.h. */
#include "pipeline/release_times.h"
#include "cli/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 16u

/* The same for both orders. */
static uint32_t hash_names(const char *a, const char *b)
{
    return (lookup_hash_name(a) + lookup_hash_name(b)) * 2654435761u;
}

static uint32_t hash_of_parting(const void *owner, uint32_t id)
{
    const release_times *p = owner;

    return hash_names(p->all[id].names[0], p->all[id].names[1]);
}

static bool parting_has_names(const void *owner, uint32_t id, const void *key)
{
    const release_times *p = owner;
    const char *const *names = key;
    const release_time *one = &p->all[id];

    return (strcmp(one->names[0], names[0]) == 0 && strcmp(one->names[1], names[1]) == 0) ||
           (strcmp(one->names[0], names[1]) == 0 && strcmp(one->names[1], names[0]) == 0);
}

void release_times_init(release_times *p)
{
    *p = (release_times){.oldest = LOOKUP_NONE,
                         .newest = LOOKUP_NONE,
                         .index = {.hash = hash_of_parting, .has_key = parting_has_names, .owner = p}};
}

void release_times_finish(release_times *p)
{
    free(p->all);
    lookup_finish(&p->index);
}

static uint32_t find(const release_times *p, const char *const names[2])
{
    return lookup_find(&p->index, hash_names(names[0], names[1]), names);
}

const release_time *release_times_find(const release_times *p, const char *const names[2])
{
    uint32_t id = find(p, names);

    return id == LOOKUP_NONE ? NULL : &p->all[id];
}

static void take_out(release_times *p, uint32_t id)
{
    const release_time *one = &p->all[id];

    *(one->older == LOOKUP_NONE ? &p->oldest : &p->all[one->older].newer) = one->newer;
    *(one->newer == LOOKUP_NONE ? &p->newest : &p->all[one->newer].older) = one->older;
}

static void put_last(release_times *p, uint32_t id)
{
    p->all[id].older = p->newest;
    p->all[id].newer = LOOKUP_NONE;
    *(p->newest == LOOKUP_NONE ? &p->oldest : &p->all[p->newest].newer) = id;
    p->newest = id;
}

/* Return a place that is in neither the lookup nor the list; LOOKUP_NONE when out of memory. */
static uint32_t find_place(release_times *p)
{
    uint32_t id = p->oldest, capacity = p->capacity ? 2 * p->capacity : CAPACITY_MIN;

    if (p->count == PIPELINE_RELEASES_MAX) {
        lookup_remove(&p->index, id);
        take_out(p, id);
        return id;
    }
    if (p->count == p->capacity) {
        if (!array_resize(&p->all, capacity, sizeof *p->all))
            return LOOKUP_NONE;
        p->capacity = capacity;
    }
    return p->count;
}

static void add(release_times *p, const char *const names[2], int64_t time_ns, bool is_cut)
{
    uint32_t id = find_place(p);

    if (id == LOOKUP_NONE)
        return;
    for (int i = 0; i < 2; i++)
        snprintf(p->all[id].names[i], sizeof p->all[id].names[i], "%s", names[i]);
    p->all[id].time_ns = time_ns;
    p->all[id].is_cut = is_cut;
    if (lookup_add(&p->index, id) < 0)
        return; /* can only fail while the table grows, so nothing was replaced */
    p->count += id == p->count;
    put_last(p, id);
}

void release_times_note(release_times *p, const char *const names[2], int64_t time_ns, bool is_cut)
{
    uint32_t id = find(p, names);

    if (id == LOOKUP_NONE) {
        add(p, names, time_ns, is_cut);
        return;
    }
    p->all[id].time_ns = time_ns;
    p->all[id].is_cut = is_cut;
    take_out(p, id);
    put_last(p, id);
}
