/* The broad phase: boxes are entered into the cells that they cover of a flat grid, a counting sort of the cells'
 * hashes groups them, and boxes that share a cell are compared. The grid lies along the two axes on which the boxes
 * spread widest, so people in a hall do not pay for its height. Pure except for its own memory. */
#include <clash/broad.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A box over more cells than this is compared with all others instead: one giant must not fill the grid. */
#define CELLS_MAX 64

/** One box in one cell. */
typedef struct cell_entry {
    int32_t u, v;
    uint32_t box;
    uint32_t bucket;
} cell_entry;

/** A box in grid axes: what the innermost loop reads. */
typedef struct flat_box {
    float u0, u1, v0, v1, w0, w1;
    uint32_t group;
} flat_box;

struct clash_broad {
    flat_box *flat;
    uint32_t *large;
    uint32_t box_capacity;
    cell_entry *entries, *sorted;
    size_t entry_capacity;
    uint32_t *starts;
    size_t start_capacity;
    uint32_t (*pairs)[2];
    size_t pair_count, pair_capacity;
};

typedef struct grid {
    float per_cell; /* cells per metre */
    uint32_t mask;  /* buckets - 1 */
    uint32_t large_count;
    size_t entry_count;
} grid;

clash_broad *clash_broad_create(void)
{
    return calloc(1, sizeof(clash_broad));
}

void clash_broad_destroy(clash_broad *broad)
{
    if (!broad)
        return;
    free(broad->flat);
    free(broad->large);
    free(broad->entries);
    free(broad->sorted);
    free(broad->starts);
    free(broad->pairs);
    free(broad);
}

/** Grow an array to at least `needed` elements, keeping its content. */
static bool grow(void **array, size_t element, size_t needed)
{
    void *larger = realloc(*array, needed * element);

    if (larger)
        *array = larger;
    return larger != NULL;
}

static bool reserve_boxes(clash_broad *b, uint32_t count)
{
    if (count <= b->box_capacity)
        return true;
    if (!grow((void **)&b->flat, sizeof *b->flat, count) || !grow((void **)&b->large, sizeof *b->large, count))
        return false;
    b->box_capacity = count;
    return true;
}

static bool reserve_entries(clash_broad *b, size_t needed)
{
    size_t capacity = needed + needed / 2;

    if (needed <= b->entry_capacity)
        return true;
    if (!grow((void **)&b->entries, sizeof *b->entries, capacity) ||
        !grow((void **)&b->sorted, sizeof *b->sorted, capacity))
        return false;
    b->entry_capacity = capacity;
    return true;
}

static bool add_pair(clash_broad *b, uint32_t i, uint32_t j)
{
    if (b->pair_count == b->pair_capacity) {
        size_t capacity = b->pair_capacity ? 2 * b->pair_capacity : 256;

        if (!grow((void **)&b->pairs, sizeof *b->pairs, capacity))
            return false;
        b->pair_capacity = capacity;
    }
    b->pairs[b->pair_count][0] = i < j ? i : j;
    b->pairs[b->pair_count][1] = i < j ? j : i;
    b->pair_count++;
    return true;
}

static bool is_empty(const clash_bounds *box)
{
    /* false for NaN too */
    return !(box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z &&
             isfinite(box->high.x - box->low.x) && isfinite(box->high.y - box->low.y) &&
             isfinite(box->high.z - box->low.z));
}

/** How the boxes are spread: of their centres along each axis, and their mean width. */
typedef struct spread {
    double variance[3], width[3];
    uint32_t count;
} spread;

static spread spread_of(const clash_bounds *boxes, uint32_t count)
{
    double sum[3] = {0}, square[3] = {0};
    spread s = {{0}, {0}, 0};

    for (uint32_t i = 0; i < count; i++) {
        const float *low = &boxes[i].low.x, *high = &boxes[i].high.x;

        if (is_empty(&boxes[i]))
            continue;
        s.count++;
        for (int k = 0; k < 3; k++) {
            double centre = 0.5 * ((double)low[k] + (double)high[k]);

            sum[k] += centre;
            square[k] += centre * centre;
            s.width[k] += (double)high[k] - (double)low[k];
        }
    }
    for (int k = 0; k < 3 && s.count > 0; k++) {
        double mean = sum[k] / s.count;

        s.variance[k] = square[k] / s.count - mean * mean;
        s.width[k] /= s.count;
    }
    return s;
}

/** Lay the boxes out in grid axes; w is the one with the least spread. Cells are half again as wide as a mean box: then
 *  a box covers between one cell and four. */
static void lay_out(clash_broad *b, const clash_bounds *boxes, const uint32_t *groups, uint32_t count, grid *out_grid)
{
    spread s = spread_of(boxes, count);
    const double *d = s.variance;
    int w = d[0] <= d[1] && d[0] <= d[2] ? 0 : d[1] <= d[2] ? 1 : 2, u = w == 0 ? 1 : 0, v = w == 2 ? 1 : 2;
    double width = s.width[u] > s.width[v] ? s.width[u] : s.width[v];

    *out_grid = (grid){.per_cell = (float)(1.0 / (1.5 * width + 1e-6))};
    for (uint32_t i = 0; i < count; i++) {
        const float *low = &boxes[i].low.x, *high = &boxes[i].high.x;
        uint32_t group = groups ? groups[i] : i;

        b->flat[i] = is_empty(&boxes[i])
                         ? (flat_box){INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, group}
                         : (flat_box){low[u], high[u], low[v], high[v], low[w], high[w], group};
    }
}

static uint32_t hash_cell(int32_t u, int32_t v)
{
    return (uint32_t)u * 0x9e3779b1u ^ (uint32_t)v * 0x85ebca77u;
}

/** Return a coordinate's cell; false if it is too far out to be counted exactly in float. */
static bool cell_of(float x, float per_cell, int32_t *out_cell)
{
    float scaled = floorf(x * per_cell);

    if (!(fabsf(scaled) < 4e6f))
        return false;
    *out_cell = (int32_t)scaled;
    return true;
}

/** Enter a box into the cells that it covers, or among the large ones. */
static bool enter(clash_broad *b, grid *g, uint32_t i)
{
    const flat_box *f = &b->flat[i];
    int32_t u0 = 0, u1 = 0, v0 = 0, v1 = 0;

    if (f->u0 > f->u1)
        return true;
    if (!cell_of(f->u0, g->per_cell, &u0) || !cell_of(f->u1, g->per_cell, &u1) || !cell_of(f->v0, g->per_cell, &v0) ||
        !cell_of(f->v1, g->per_cell, &v1) || (int64_t)(u1 - u0 + 1) * (v1 - v0 + 1) > CELLS_MAX) {
        b->large[g->large_count++] = i;
        return true;
    }
    if (!reserve_entries(b, g->entry_count + CELLS_MAX))
        return false;
    for (int32_t u = u0; u <= u1; u++)
        for (int32_t v = v0; v <= v1; v++)
            b->entries[g->entry_count++] = (cell_entry){u, v, i, hash_cell(u, v)};
    return true;
}

/** Group the entries by bucket, keeping their order: counting sort. */
static bool sort_entries(clash_broad *b, grid *g)
{
    uint32_t buckets = 16;
    uint32_t sum = 0;

    while (buckets < g->entry_count && buckets < 1u << 30)
        buckets *= 2;
    g->mask = buckets - 1;
    if (buckets + 1 > b->start_capacity) {
        if (!grow((void **)&b->starts, sizeof *b->starts, (size_t)buckets + 1))
            return false;
        b->start_capacity = (size_t)buckets + 1;
    }
    memset(b->starts, 0, ((size_t)buckets + 1) * sizeof *b->starts);
    for (size_t i = 0; i < g->entry_count; i++)
        b->starts[b->entries[i].bucket & g->mask]++;
    for (uint32_t k = 0; k <= buckets; k++) {
        uint32_t size = b->starts[k];

        b->starts[k] = sum;
        sum += size;
    }
    for (size_t i = 0; i < g->entry_count; i++)
        b->sorted[b->starts[b->entries[i].bucket & g->mask]++] = b->entries[i];
    return true;
}

static bool overlap(const flat_box *a, const flat_box *b)
{
    return a->u0 <= b->u1 && b->u0 <= a->u1 && a->v0 <= b->v1 && b->v0 <= a->v1 && a->w0 <= b->w1 && b->w0 <= a->w1 &&
           a->group != b->group;
}

/** Return whether a pair belongs to this cell. Two boxes may share several cells; the pair belongs to the one with that
 *  corner of the boxes' intersection which is nearest to their origin. */
static bool is_pairs_cell(const cell_entry *e, const flat_box *a, const flat_box *b, float per_cell)
{
    float u = a->u0 > b->u0 ? a->u0 : b->u0, v = a->v0 > b->v0 ? a->v0 : b->v0;

    return (int32_t)floorf(u * per_cell) == e->u && (int32_t)floorf(v * per_cell) == e->v;
}

/** Compare the entries of one bucket, begin .. end - 1. */
static bool search_bucket(clash_broad *b, const grid *g, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const cell_entry *e = &b->sorted[i];
        const flat_box *box = &b->flat[e->box];

        for (size_t k = i + 1; k < end; k++) {
            const cell_entry *other = &b->sorted[k];

            if (other->u == e->u && other->v == e->v && overlap(box, &b->flat[other->box]) &&
                is_pairs_cell(e, box, &b->flat[other->box], g->per_cell) && !add_pair(b, e->box, other->box))
                return false;
        }
    }
    return true;
}

/** Compare large boxes with all; of two large ones the earlier finds the later. */
static bool search_large(clash_broad *b, const grid *g, uint32_t count)
{
    for (uint32_t k = 0; k < g->large_count; k++) {
        uint32_t i = b->large[k], next = 0;

        for (uint32_t j = 0; j < count; j++) {
            bool is_large = next < g->large_count && b->large[next] == j;

            next += is_large;
            if ((is_large && j <= i) || !overlap(&b->flat[i], &b->flat[j]))
                continue;
            if (!add_pair(b, i, j))
                return false;
        }
    }
    return true;
}

int clash_broad_find(clash_broad *broad, const clash_bounds *boxes, const uint32_t *groups, uint32_t count,
                     const uint32_t (**out_pairs)[2], size_t *out_pair_count)
{
    size_t begin = 0;
    grid g;

    broad->pair_count = 0;
    *out_pairs = NULL;
    *out_pair_count = 0;
    if (!reserve_boxes(broad, count))
        return -1;
    lay_out(broad, boxes, groups, count, &g);
    for (uint32_t i = 0; i < count; i++)
        if (!enter(broad, &g, i))
            return -1;
    if (!sort_entries(broad, &g))
        return -1;
    /* after the sort starts[k] is the end of bucket k */
    for (uint32_t k = 0; k <= g.mask; k++) {
        if (!search_bucket(broad, &g, begin, broad->starts[k]))
            return -1;
        begin = broad->starts[k];
    }
    if (!search_large(broad, &g, count))
        return -1;
    *out_pairs = (const uint32_t(*)[2])broad->pairs;
    *out_pair_count = broad->pair_count;
    return 0;
}
