/* The tree of boxes over a mesh's triangles: each node's triangles are split in up to four by a surface area heuristic
 * over bins (I. Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007). There is no recursion:
 * the work left is on a stack of known size, because from some depth on every part is halved, whatever the triangles
 * are. Depends only on the triangles and their order. */
#include <stdlib.h>

#include "surface.h"
#include "vec.h"

#define BINS 16
/* From this depth on parts are halved: 2^27 triangles then need 13 levels more, and SURFACE_STACK suffices for both. */
#define DEPTH_OF_CHOICE 20
/* With more triangles than this no node is a thin slab. */
#define SLAB_TRIANGLES 2048

typedef struct box {
    float low[3], high[3];
} box;

/** A triangle while the tree is built. */
typedef struct item {
    box around;
    uint32_t triangle;
} item;

typedef struct range {
    uint32_t first, count;
} range;

/** A node whose children are still to be found. */
typedef struct job {
    range items;
    uint32_t node;
    int depth;
} job;

typedef struct builder {
    clash_mesh *mesh;
    item *items;
    uint32_t node_capacity;
    job jobs[SURFACE_STACK];
    int job_count;
} builder;

/** Where to split: items whose bin along `axis` is below `bin`. */
typedef struct parting {
    int axis, bin;
    double low, scale;
} parting;

static const box box_of_nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void box_add(box *b, const box *other)
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = b->low[k] < other->low[k] ? b->low[k] : other->low[k];
        b->high[k] = b->high[k] > other->high[k] ? b->high[k] : other->high[k];
    }
}

/** Return half the surface, in double, in which the square of no float overflows. */
static double box_area(const box *b)
{
    double x = (double)b->high[0] - (double)b->low[0], y = (double)b->high[1] - (double)b->low[1];
    double z = (double)b->high[2] - (double)b->low[2];

    return x * y + y * z + z * x;
}

static double center_of(const item *i, int axis)
{
    return 0.5 * ((double)i->around.low[axis] + (double)i->around.high[axis]);
}

static int bin_of(const item *i, const parting *p)
{
    int bin = (int)((center_of(i, p->axis) - p->low) * p->scale);

    return bin < BINS ? bin : BINS - 1;
}

/** Fill p's axis, low and scale; return false if all centres have the same coordinate. */
static bool lay_bins(const item *items, range r, int axis, parting *p)
{
    double low = INFINITY, high = -INFINITY;

    for (uint32_t i = r.first; i < r.first + r.count; i++) {
        double center = center_of(&items[i], axis);

        low = min_of(low, center);
        high = max_of(high, center);
    }
    *p = (parting){.axis = axis, .low = low, .scale = BINS / (high - low)};
    return high > low && isfinite(p->scale);
}

/** Choose the cheapest bin to split at along p's axis; return its cost. */
static double choose_bin(const item *items, range r, parting *p)
{
    box boxes[BINS], side = box_of_nothing;
    uint32_t counts[BINS] = {0}, count = 0;
    double above[BINS], best = INFINITY;

    for (int k = 0; k < BINS; k++)
        boxes[k] = box_of_nothing;
    for (uint32_t i = r.first; i < r.first + r.count; i++) {
        int bin = bin_of(&items[i], p);

        counts[bin]++;
        box_add(&boxes[bin], &items[i].around);
    }
    for (int k = BINS - 1; k > 0; k--) {
        box_add(&side, &boxes[k]);
        count += counts[k];
        above[k] = count ? count * box_area(&side) : 0.0;
    }
    side = box_of_nothing;
    count = 0;
    for (int k = 1; k < BINS; k++) {
        box_add(&side, &boxes[k - 1]);
        count += counts[k - 1];
        if (count > 0 && count < r.count && count * box_area(&side) + above[k] < best) {
            best = count * box_area(&side) + above[k];
            p->bin = k;
        }
    }
    return best;
}

/** Move the items below p's bin to the front; return how many. */
static uint32_t part_items(item *items, range r, const parting *p)
{
    uint32_t low = r.first, high = r.first + r.count;

    while (low < high) {
        if (bin_of(&items[low], p) < p->bin) {
            low++;
        } else {
            item other = items[--high];

            items[high] = items[low];
            items[low] = other;
        }
    }
    return low - r.first;
}

/** Return how many of r's items make the first part: at least one, and not all. */
static uint32_t part(item *items, range r, bool choose)
{
    double best = INFINITY;
    parting chosen = {0};

    for (int axis = 0; axis < 3 && choose; axis++) {
        parting p;
        double cost = lay_bins(items, r, axis, &p) ? choose_bin(items, r, &p) : INFINITY;

        if (cost < best) {
            best = cost;
            chosen = p;
        }
    }
    return best < INFINITY ? part_items(items, r, &chosen) : r.count / 2;
}

/** Split r in up to four, always the largest part; return how many. */
static int part_in_four(item *items, range r, bool choose, range out[SURFACE_WAYS])
{
    int count = 1;

    out[0] = r;
    while (count < SURFACE_WAYS) {
        int most = 0;
        uint32_t first;

        for (int k = 1; k < count; k++)
            most = out[k].count > out[most].count ? k : most;
        if (out[most].count <= SURFACE_LEAF)
            break;
        first = part(items, out[most], choose);
        out[count++] = (range){out[most].first + first, out[most].count - first};
        out[most].count = first;
    }
    return count;
}

/** Return the index of a new node; MESH_NONE when out of memory. */
static uint32_t add_node(builder *b)
{
    clash_mesh *mesh = b->mesh;

    if (mesh->node_count == b->node_capacity) {
        uint32_t capacity = b->node_capacity + b->node_capacity / 2 + 16;
        mesh_node *grown = realloc(mesh->nodes, capacity * sizeof *grown);

        if (!grown)
            return MESH_NONE;
        mesh->nodes = grown;
        b->node_capacity = capacity;
    }
    return mesh->node_count++;
}

static void set_box(mesh_node *node, int k, const item *items, range r)
{
    box all = box_of_nothing;

    for (uint32_t i = r.first; i < r.first + r.count; i++)
        box_add(&all, &items[i].around);
    for (int axis = 0; axis < 3; axis++) {
        node->boxes.low[axis][k] = r.count ? all.low[axis] : 0.0f;
        node->boxes.high[axis][k] = r.count ? all.high[axis] : 0.0f;
    }
}

/** Return a direction perpendicular to the triangles: the sum of their normals, each turned to the side of those before
 *  it; 0 if they have none. */
static dvec normal_of(const builder *b, range r)
{
    dvec sum = {0.0, 0.0, 0.0};
    double length;

    for (uint32_t i = r.first; i < r.first + r.count; i++) {
        const clash_vec3 *c = b->mesh->triangles[b->items[i].triangle].corners;
        dvec at = dvec_from(c[0]), n = dvec_cross(dvec_sub(dvec_from(c[1]), at), dvec_sub(dvec_from(c[2]), at));

        sum = dvec_add_scaled(sum, n, dvec_dot(sum, n) < 0.0 ? -1.0 : 1.0);
    }
    length = dvec_length(sum);
    return length > 0.0 && isfinite(length) ? dvec_scale(sum, 1.0 / length) : (dvec){0.0, 0.0, 0.0};
}

static void set_slab(const builder *b, mesh_node *node, int k, range r)
{
    surface_boxes *out = &node->boxes;
    clash_vec3 n = {0.0f, 0.0f, 0.0f};
    double least = INFINITY, most = -INFINITY;

    if (r.count <= SLAB_TRIANGLES)
        n = dvec_round(normal_of(b, r));
    out->normal[0][k] = n.x;
    out->normal[1][k] = n.y;
    out->normal[2][k] = n.z;
    out->least[k] = out->most[k] = 0.0f;
    if (r.count == 0 || r.count > SLAB_TRIANGLES)
        return;
    for (uint32_t i = r.first; i < r.first + r.count; i++) {
        for (int corner = 0; corner < 3; corner++) {
            clash_vec3 c = b->mesh->triangles[b->items[i].triangle].corners[corner];
            double height = dvec_dot(dvec_from(n), dvec_from(c));

            least = min_of(least, height);
            most = max_of(most, height);
        }
    }
    out->least[k] = (float)least;
    out->most[k] = (float)most;
}

/** Find a node's children, and leave those that are nodes for later. */
static int fill_node(builder *b, job j)
{
    range parts[SURFACE_WAYS] = {{0, 0}};
    int count = part_in_four(b->items, j.items, j.depth < DEPTH_OF_CHOICE, parts);

    for (int k = 0; k < SURFACE_WAYS; k++) {
        uint32_t child = MESH_NONE;

        set_box(&b->mesh->nodes[j.node], k, b->items, parts[k]);
        set_slab(b, &b->mesh->nodes[j.node], k, parts[k]);
        if (k < count && parts[k].count <= SURFACE_LEAF) {
            child = MESH_LEAF | parts[k].first << 2 | (parts[k].count - 1);
        } else if (k < count) {
            child = add_node(b);
            if (child == MESH_NONE)
                return -1;
            b->jobs[b->job_count++] = (job){parts[k], child, j.depth + 1};
        }
        b->mesh->nodes[j.node].children[k] = child;
    }
    return 0;
}

static void fill_items(const clash_mesh *mesh, item *items)
{
    for (uint32_t i = 0; i < mesh->count; i++) {
        const surface_triangle *t = &mesh->triangles[i];

        items[i] = (item){box_of_nothing, i};
        for (int k = 0; k < 3; k++) {
            clash_vec3 v = t->corners[k];
            box at = {{v.x, v.y, v.z}, {v.x, v.y, v.z}};

            box_add(&items[i].around, &at);
        }
    }
}

/** Put the triangles in the items' order. */
static int order_triangles(clash_mesh *mesh, const item *items)
{
    surface_triangle *ordered = malloc(mesh->count * sizeof *ordered);

    if (!ordered)
        return -1;
    for (uint32_t i = 0; i < mesh->count; i++)
        ordered[i] = mesh->triangles[items[i].triangle];
    free(mesh->triangles);
    mesh->triangles = ordered;
    return 0;
}

int bvh_build(clash_mesh *mesh)
{
    builder b = {.mesh = mesh, .items = malloc(mesh->count * sizeof(item))};
    int result = -1;

    if (!b.items || add_node(&b) == MESH_NONE)
        goto done;
    fill_items(mesh, b.items);
    b.jobs[b.job_count++] = (job){{0, mesh->count}, 0, 0};
    while (b.job_count > 0) {
        if (fill_node(&b, b.jobs[--b.job_count]) < 0)
            goto done;
    }
    result = order_triangles(mesh, b.items);
done:
    free(b.items);
    return result;
}
