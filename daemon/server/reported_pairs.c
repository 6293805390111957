/* A plain array, searched linearly: it is short, and only used by subscriptions that need it. See reported_pairs.h. */
#include "reported_pairs.h"
#include "cli/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reported_pairs_finish(reported_pairs *t)
{
    free(t->all);
    *t = (reported_pairs){0};
}

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). */
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

/* The same for both orders. */
static uint32_t hash_names(const char *const names[2])
{
    return hash_name(names[0]) + hash_name(names[1]);
}

static bool has_names(const reported_pair *p, const char *const names[2])
{
    return (strcmp(p->names[0], names[0]) == 0 && strcmp(p->names[1], names[1]) == 0) ||
           (strcmp(p->names[0], names[1]) == 0 && strcmp(p->names[1], names[0]) == 0);
}

reported_pair *reported_pairs_find(reported_pairs *t, const char *const names[2])
{
    const uint32_t hash = t->count > 0 ? hash_names(names) : 0;

    for (size_t i = 0; i < t->count; i++)
        if (t->all[i].hash == hash && has_names(&t->all[i], names))
            return &t->all[i];
    return NULL;
}

static bool is_over(const reported_pair *p, int64_t now_ns, int64_t keep_ns)
{
    return p->id == 0 && (!p->has_parted || now_ns - p->parted_ns >= keep_ns);
}

/* Return whether `a` can be dropped rather than `b`: open contacts go last. */
static bool is_spared_before(const reported_pair *a, const reported_pair *b)
{
    return (a->id == 0) != (b->id == 0) ? a->id == 0 : a->used_ns < b->used_ns;
}

static reported_pair *find_place(reported_pairs *t, int64_t now_ns, int64_t keep_ns)
{
    reported_pair *least = NULL;

    for (size_t i = 0; i < t->count; i++) {
        if (is_over(&t->all[i], now_ns, keep_ns))
            return &t->all[i];
        if (!least || is_spared_before(&t->all[i], least))
            least = &t->all[i];
    }
    if (t->count == SUBSCRIPTION_PAIRS_MAX)
        return least;
    return array_grow(&t->all, t->count, &t->capacity, sizeof *t->all) ? &t->all[t->count++] : NULL;
}

reported_pair *reported_pairs_get(reported_pairs *t, const char *const names[2], int64_t now_ns, int64_t keep_ns)
{
    reported_pair *p = reported_pairs_find(t, names);

    if (!p) {
        p = find_place(t, now_ns, keep_ns);
        if (!p)
            return NULL;
        *p = (reported_pair){.hash = hash_names(names)};
        for (int i = 0; i < 2; i++)
            snprintf(p->names[i], sizeof p->names[i], "%s", names[i]);
    }
    p->used_ns = now_ns;
    return p;
}
