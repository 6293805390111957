/* A set of obstacles: see clash/obstacles.h. The tree is a binary heap of boxes over the leaves, so that a change costs one way up.
 * Leaves are sorted by the Morton code of their obstacles' places whenever an eighth of them is new or has moved far. Each obstacle counts as
 * the ball of push_out_near.h, so that a query leaves out just what clash_push_out leaves out. */
#include <clash/obstacles.h>

#include <errno.h>
#include <stdlib.h>

#include "push_out_near.h"
#include "validate.h"

#define NONE CLASH_NO_OBSTACLE
/* The first room, a power of two. */
#define ROOM 16
/* Bits of a code that differ for what moved less than a few metres. */
#define NEARBY 18
/* A tree of 2^32 leaves keeps no more nodes waiting. */
#define STACK 40
/* Boxes are wider than their balls by more than all rounding. */
#define WIDER (1.0 + 1e-6)

typedef struct entry {
    clash_obstacle obstacle;
    clash_layers layers;
    push_out_ball ball;
    uint32_t leaf; /* NONE: there is no obstacle of this handle */
    uint32_t next; /* of the free ones */
    uint64_t code; /* of the place by which it was sorted */
} entry;

/** Empty if low > high. */
typedef struct tree_box {
    dvec low, high;
} tree_box;

struct clash_obstacle_set {
    entry *entries;
    uint32_t *leaves; /* handles, or NONE */
    tree_box *nodes;  /* 1 is the root, 2 n and 2 n + 1 are the children of n, leaf i is leaf_room + i */
    uint32_t room;    /* of entries */
    size_t leaf_room; /* twice that: a leaf that was removed is free again after the next sorting; a power of two */
    uint32_t used, free, leaf_count, unsorted;
};

static const tree_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/* ---- the tree ---- */

static tree_box box_of(const push_out_ball *ball)
{
    const dvec c = ball->center;
    const double r = ball->radius * WIDER + 1e-12 * dvec_sum(c);

    if (!(r < INFINITY)) /* not plainly valid: always looked at */
        return (tree_box){empty.high, empty.low};
    return (tree_box){{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
}

static tree_box both(const tree_box *a, const tree_box *b)
{
    return (tree_box){{min_of(a->low.x, b->low.x), min_of(a->low.y, b->low.y), min_of(a->low.z, b->low.z)},
                      {max_of(a->high.x, b->high.x), max_of(a->high.y, b->high.y), max_of(a->high.z, b->high.z)}};
}

static void set_leaf(clash_obstacle_set *s, uint32_t leaf, uint32_t handle)
{
    size_t n = s->leaf_room + leaf;

    s->leaves[leaf] = handle;
    s->nodes[n] = handle == NONE ? empty : box_of(&s->entries[handle].ball);
    for (n /= 2; n > 0; n /= 2)
        s->nodes[n] = both(&s->nodes[2 * n], &s->nodes[2 * n + 1]);
}

/** Spread the low 21 bits, two zeros after each. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 32) & UINT64_C(0x1f00000000ffff);
    bits = (bits | bits << 16) & UINT64_C(0x1f0000ff0000ff);
    bits = (bits | bits << 8) & UINT64_C(0x100f00f00f00f00f);
    bits = (bits | bits << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (bits | bits << 2) & UINT64_C(0x1249249249249249);
}

/** Of a coordinate; what lies beyond 32 km shares the last cells. */
static uint64_t cell_of(double x)
{
    const double cell = (x + 32768.0) * 32.0;

    return cell > 0.0 ? (cell < 2097151.0 ? (uint64_t)cell : 2097151u) : 0u;
}

static uint64_t code_of(dvec at)
{
    return spread(cell_of(at.x)) | spread(cell_of(at.y)) << 1 | spread(cell_of(at.z)) << 2;
}

static bool comes_before(const clash_obstacle_set *s, uint32_t a, uint32_t b)
{
    const uint64_t of_a = s->entries[a].code, of_b = s->entries[b].code;

    return of_a < of_b || (of_a == of_b && a < b);
}

/** Sort the leaves, a heap's way: no memory, and never slow. */
static void sink(clash_obstacle_set *s, uint32_t at, uint32_t count)
{
    const uint32_t handle = s->leaves[at];

    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_before(s, s->leaves[child], s->leaves[child + 1]))
            child++;
        if (!comes_before(s, handle, s->leaves[child]))
            break;
        s->leaves[at] = s->leaves[child];
        at = child;
    }
    s->leaves[at] = handle;
}

static void sort_leaves(clash_obstacle_set *s, uint32_t count)
{
    for (uint32_t k = count / 2; k-- > 0;)
        sink(s, k, count);
    for (uint32_t left = count; left > 1;) {
        const uint32_t last = s->leaves[--left];

        s->leaves[left] = s->leaves[0];
        s->leaves[0] = last;
        sink(s, 0, left);
    }
}

static void rebuild(clash_obstacle_set *s)
{
    uint32_t count = 0;

    for (uint32_t h = 0; h < s->room; h++) {
        if (s->entries[h].leaf == NONE)
            continue;
        s->entries[h].code = code_of(s->entries[h].ball.center);
        s->leaves[count++] = h;
    }
    sort_leaves(s, count);
    for (uint32_t k = 0; k < s->leaf_room; k++) {
        if (k < count)
            s->entries[s->leaves[k]].leaf = k;
        else
            s->leaves[k] = NONE;
        s->nodes[s->leaf_room + k] = k < count ? box_of(&s->entries[s->leaves[k]].ball) : empty;
    }
    for (size_t n = s->leaf_room; --n > 0;)
        s->nodes[n] = both(&s->nodes[2 * n], &s->nodes[2 * n + 1]);
    s->leaf_count = count;
    s->unsorted = 0;
}

/* ---- walks ---- */

typedef struct walk {
    const clash_obstacle_set *s;
    clash_layers layers;
    size_t stack[STACK];
    int top;
} walk;

static walk walk_of(const clash_obstacle_set *s, clash_layers layers)
{
    return (walk){.s = s, .layers = layers, .stack = {1}, .top = s->used > 0 ? 1 : 0};
}

static bool agree(const clash_layers *a, const clash_layers *b)
{
    return (clash_layers_own(a) & clash_layers_mask(b)) != 0 && (clash_layers_own(b) & clash_layers_mask(a)) != 0;
}

/** Open a node that the query meets: push its children, or return a leaf's handle if its layers agree, else NONE. */
static uint32_t open_node(walk *w, size_t n)
{
    const clash_obstacle_set *s = w->s;
    uint32_t handle;

    if (n < s->leaf_room) {
        w->stack[w->top++] = 2 * n + 1;
        w->stack[w->top++] = 2 * n;
        return NONE;
    }
    handle = s->leaves[n - s->leaf_room];
    return handle != NONE && agree(&s->entries[handle].layers, &w->layers) ? handle : NONE;
}

static double beyond(double x, double low, double high)
{
    return max_of(max_of(low - x, x - high), 0.0);
}

/** False for NaN: then nothing is left out. */
static bool misses_ball(const tree_box *box, const push_out_ball *ball)
{
    const dvec c = ball->center, away = {beyond(c.x, box->low.x, box->high.x), beyond(c.y, box->low.y, box->high.y),
                                         beyond(c.z, box->low.z, box->high.z)};
    const double radius = ball->radius * WIDER;

    return dvec_dot(away, away) > radius * radius;
}

/** Return the next obstacle that may touch the ball; NONE after the last. */
static uint32_t next_by_ball(walk *w, const push_out_ball *ball)
{
    while (w->top > 0) {
        const size_t n = w->stack[--w->top];
        uint32_t handle;

        if (w->s->nodes[n].low.x > w->s->nodes[n].high.x || misses_ball(&w->s->nodes[n], ball))
            continue;
        handle = open_node(w, n);
        if (handle != NONE && !balls_are_apart(ball, &w->s->entries[handle].ball))
            return handle;
    }
    return NONE;
}

typedef struct ray_line {
    double from[3], way[3];
} ray_line;

static bool ray_misses(const tree_box *box, const ray_line *ray, double most)
{
    const double low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z};
    double first = 0.0, last = most;

    for (int k = 0; k < 3; k++) {
        const double a = low[k] - ray->from[k], b = high[k] - ray->from[k];

        if (ray->way[k] == 0.0) {
            if (a > 0.0 || b < 0.0)
                return true;
            continue;
        }
        first = max_of(first, min_of(a / ray->way[k], b / ray->way[k]));
        last = min_of(last, max_of(a / ray->way[k], b / ray->way[k]));
    }
    /* more than the rounding of the divisions */
    return first * (1.0 - 1e-12) > last * (1.0 + 1e-12);
}

/* ---- the set ---- */

clash_obstacle_set *clash_obstacle_set_create(void)
{
    clash_obstacle_set *set = calloc(1, sizeof *set);

    if (set)
        set->free = NONE;
    return set;
}

void clash_obstacle_set_destroy(clash_obstacle_set *set)
{
    if (!set)
        return;
    free(set->entries);
    free(set->leaves);
    free(set->nodes);
    free(set);
}

/** Make room for twice as many. */
static bool grow(clash_obstacle_set *s)
{
    const uint32_t room = s->room ? 2 * s->room : ROOM;
    entry *entries = realloc(s->entries, (size_t)room * sizeof *entries);
    uint32_t *leaves;
    tree_box *nodes;

    if (entries)
        s->entries = entries;
    leaves = entries ? malloc(2 * (size_t)room * sizeof *leaves) : NULL;
    nodes = leaves ? malloc(4 * (size_t)room * sizeof *nodes) : NULL;
    if (!nodes) {
        free(leaves);
        errno = ENOMEM;
        return false;
    }
    free(s->leaves);
    free(s->nodes);
    s->leaves = leaves;
    s->nodes = nodes;
    for (uint32_t h = room; h-- > s->room;) {
        s->entries[h].leaf = NONE;
        s->entries[h].next = s->free;
        s->free = h;
    }
    s->room = room;
    s->leaf_room = 2 * (size_t)room;
    rebuild(s);
    return true;
}

static bool is_valid(const clash_obstacle *o)
{
    return shape_is_valid(&o->shape) && pose_is_valid(&o->pose);
}

static bool has(const clash_obstacle_set *s, uint32_t handle)
{
    return handle < s->room && s->entries[handle].leaf != NONE;
}

static void note_unsorted(clash_obstacle_set *s)
{
    if (++s->unsorted > ROOM + s->used / 8)
        rebuild(s);
}

uint32_t clash_obstacle_set_add(clash_obstacle_set *set, const clash_obstacle *obstacle, clash_layers layers)
{
    uint32_t handle;
    entry *e;

    if (!is_valid(obstacle)) {
        errno = EINVAL;
        return NONE;
    }
    if (set->free == NONE && (set->room > UINT32_MAX / 8 || !grow(set)))
        return NONE;
    if (set->leaf_count == set->leaf_room)
        rebuild(set);
    handle = set->free;
    e = &set->entries[handle];
    set->free = e->next;
    *e = (entry){.obstacle = *obstacle, .layers = layers, .ball = ball_of_obstacle(obstacle), .leaf = set->leaf_count};
    set_leaf(set, set->leaf_count++, handle);
    set->used++;
    note_unsorted(set);
    return handle;
}

bool clash_obstacle_set_change(clash_obstacle_set *set, uint32_t handle, const clash_obstacle *obstacle)
{
    uint64_t code;

    if (!has(set, handle) || !is_valid(obstacle))
        return false;
    set->entries[handle].obstacle = *obstacle;
    set->entries[handle].ball = ball_of_obstacle(obstacle);
    set_leaf(set, set->entries[handle].leaf, handle);
    code = code_of(set->entries[handle].ball.center);
    if (code >> NEARBY != set->entries[handle].code >> NEARBY) {
        set->entries[handle].code = code;
        note_unsorted(set);
    }
    return true;
}

bool clash_obstacle_set_remove(clash_obstacle_set *set, uint32_t handle)
{
    if (!has(set, handle))
        return false;
    set_leaf(set, set->entries[handle].leaf, NONE);
    set->entries[handle].leaf = NONE;
    set->entries[handle].next = set->free;
    set->free = handle;
    set->used--;
    return true;
}

const clash_obstacle *clash_obstacle_set_get(const clash_obstacle_set *set, uint32_t handle)
{
    return has(set, handle) ? &set->entries[handle].obstacle : NULL;
}

/* ---- queries ---- */

/** Find where a handle goes among `count` that are in order. */
static size_t place_among(const uint32_t *handles, size_t stride, size_t count, uint32_t handle)
{
    size_t at = count;

    while (at > 0 && *(const uint32_t *)(const void *)((const char *)handles + (at - 1) * stride) > handle)
        at--;
    return at;
}

size_t clash_obstacle_set_near(const clash_obstacle_set *set, const clash_push_input *input, clash_layers layers,
                               clash_obstacle *out_obstacles, uint32_t *out_handles, size_t room)
{
    push_out_ball ball = {{0.0, 0.0, 0.0}, (double)NAN};
    walk w = walk_of(set, layers);
    size_t count = 0;

    if (capsules_are_valid(input->capsules, input->capsule_count) && margin_is_valid(input->reach))
        ball = ball_of_places(input);
    for (uint32_t h = next_by_ball(&w, &ball); h != NONE; h = next_by_ball(&w, &ball)) {
        const size_t filled = count < room ? count : room, at = place_among(out_handles, sizeof h, filled, h);
        size_t moved;

        count++;
        if (at == room)
            continue;
        moved = (filled < room ? filled : room - 1) - at;
        memmove(&out_handles[at + 1], &out_handles[at], moved * sizeof *out_handles);
        memmove(&out_obstacles[at + 1], &out_obstacles[at], moved * sizeof *out_obstacles);
        out_handles[at] = h;
        out_obstacles[at] = set->entries[h].obstacle;
    }
    return count;
}

int clash_obstacle_set_ray(const clash_obstacle_set *set, clash_vec3 origin, clash_vec3 direction, double most,
                           clash_layers layers, clash_ray_hit *out_hit, uint32_t *out_handle)
{
    const clash_shape point = {.kind = CLASH_SHAPE_SPHERE, .as.sphere = {{0.0f, 0.0f, 0.0f}, 0.0f}};
    const clash_pose here = {{0.0f, 0.0f, 0.0f, 1.0f}, origin};
    const ray_line ray = {{(double)origin.x, (double)origin.y, (double)origin.z},
                          {(double)direction.x, (double)direction.y, (double)direction.z}};
    walk w = walk_of(set, layers);
    uint32_t found = NONE;
    clash_ray_hit best;

    if (clash_ray_shape(origin, direction, most, &point, &here, NULL) < 0)
        return -1;
    while (w.top > 0) {
        const size_t n = w.stack[--w.top];
        uint32_t handle;
        clash_ray_hit hit;

        if (set->nodes[n].low.x > set->nodes[n].high.x || ray_misses(&set->nodes[n], &ray, most))
            continue;
        handle = open_node(&w, n);
        if (handle == NONE || clash_ray_shape(origin, direction, most, &set->entries[handle].obstacle.shape,
                                              &set->entries[handle].obstacle.pose, &hit) <= 0)
            continue;
        if (found != NONE && hit.parameter == best.parameter && handle > found)
            continue;
        found = handle;
        best = hit;
        most = hit.parameter;
    }
    if (found == NONE)
        return 0;
    if (out_hit)
        *out_hit = best;
    if (out_handle)
        *out_handle = found;
    return 1;
}

bool clash_obstacle_set_overlaps(const clash_obstacle_set *set, const clash_capsule *capsule, const clash_pose *pose,
                                 clash_layers layers, clash_obstacle_touch *out_touches, size_t room, size_t *out_count)
{
    push_out_ball ball;
    walk w = walk_of(set, layers);
    size_t count = 0;

    if (!capsule_is_valid(capsule) || !pose_is_valid(pose))
        return false;
    ball = (push_out_ball){dvec_from(pose->position), reach_of_capsule(capsule)};
    for (uint32_t h = next_by_ball(&w, &ball); h != NONE; h = next_by_ball(&w, &ball)) {
        clash_obstacle_touch touch = {.handle = h};
        size_t filled = count < room ? count : room, at;

        if (!clash_overlap_of(capsule, pose, &set->entries[h].obstacle, &touch.overlap) ||
            !(touch.overlap.depth >= 0.0f))
            continue;
        count++;
        if (room == 0)
            continue;
        at = place_among(&out_touches->handle, sizeof touch, filled, h);
        if (at == room)
            continue;
        memmove(&out_touches[at + 1], &out_touches[at], ((filled < room ? filled : room - 1) - at) * sizeof touch);
        out_touches[at] = touch;
    }
    *out_count = count;
    return true;
}
