/* Sort candidates without own memory: by insertion if there are few, else byte by byte (LSD radix sort), skipping bytes
 * that are equal in all. */
#include "pipeline/candidates.h"

#define FEW 32u

static void sort_few(candidate *all, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        candidate moving = all[i];
        size_t at = i;

        for (; at > 0 && all[at - 1].order > moving.order; at--)
            all[at] = all[at - 1];
        all[at] = moving;
    }
}

/* Stable. */
static void sort_by_byte(const candidate *from, candidate *to, size_t count, unsigned shift)
{
    size_t starts[257] = {0};

    for (size_t i = 0; i < count; i++)
        starts[(from[i].order >> shift & 0xff) + 1]++;
    for (size_t k = 1; k < 256; k++)
        starts[k] += starts[k - 1];
    for (size_t i = 0; i < count; i++)
        to[starts[from[i].order >> shift & 0xff]++] = from[i];
}

void candidates_sort(candidates *c)
{
    uint64_t different = 0;

    if (c->count <= FEW) {
        sort_few(c->found, c->count);
        return;
    }
    for (size_t i = 1; i < c->count; i++)
        different |= c->found[i].order ^ c->found[0].order;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        candidate *sorted = c->spare;

        if ((different >> shift & 0xff) == 0)
            continue;
        sort_by_byte(c->found, sorted, c->count, shift);
        c->spare = c->found;
        c->found = sorted;
    }
}
