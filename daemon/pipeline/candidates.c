/* Broad phase. A step with few moved blades compares each of them with all others; one with many puts all boxes into
 * the grid of clash_broad_find. The choice never changes which touching pairs are found, only how many others are
 * looked at. */
#include "pipeline/candidates.h"
#include "cli/array.h"

#include <stdlib.h>

/* With up to so many moved blades, comparing all boxes costs less than a grid. */
#define SCANNED_MAX 128u

static const clash_bounds nowhere = {{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};

bool candidates_init(candidates *c)
{
    *c = (candidates){.broad = clash_broad_create()};
    return c->broad != NULL;
}

void candidates_finish(candidates *c)
{
    clash_broad_destroy(c->broad);
    free(c->found);
    free(c->spare);
    free(c->whole);
    free(c->apart);
    free(c->windows);
}

void candidates_begin(candidates *c)
{
    c->count = c->whole_count = 0;
}

/* Grow two arrays together. */
static bool grow_both(void *first, size_t first_size, void *second, size_t second_size, size_t *capacity)
{
    const size_t larger = *capacity ? 2 * *capacity : 256;

    if (!array_resize(first, larger, first_size) || !array_resize(second, larger, second_size))
        return false;
    *capacity = larger;
    return true;
}

bool candidates_add(candidates *c, const blades *b, uint32_t slot, uint32_t other)
{
    bool swapped = b->slots[other].order < b->slots[slot].order;
    uint32_t earlier = swapped ? other : slot, later = swapped ? slot : other;

    if (c->count == c->capacity && !grow_both(&c->found, sizeof *c->found, &c->spare, sizeof *c->spare, &c->capacity))
        return false;
    c->found[c->count++] = (candidate){blades_pair_order(b, earlier, later), {earlier, later}};
    return true;
}

static bool is_kept(const candidates_scene *scene, uint32_t slot, uint32_t other)
{
    const blade_slot *slots = scene->blades->slots;
    bool swapped = slots[other].order < slots[slot].order;

    if (slots[slot].contacts == 0 || slots[other].contacts == 0)
        return false;
    return active_pairs_find(scene->active_pairs, swapped ? (uint32_t[2]){other, slot} : (uint32_t[2]){slot, other}) !=
           NULL;
}

/* Return whether one of the two moved, in this step, past the time that the other had reached. */
static bool is_new(const last_motion *a, const last_motion *b)
{
    return (a->moved && b->last_ns > a->from_ns) || (b->moved && a->last_ns > b->from_ns);
}

/* Put a pair that can meet on the list if their windows overlap. Most pairs go through one motion each: those are decided in the
 * batch. */
static bool candidates_offer(candidates *c, const candidates_scene *scene, uint32_t slot, uint32_t other)
{
    const swept_aabbs *s = scene->swept_aabbs;
    const last_motion *a = &s->all[slot], *b = &s->all[other];

    if (!is_new(a, b) || is_kept(scene, slot, other))
        return true;
    if (!motions_are_whole(a, b))
        return candidates_add(c, scene->blades, slot, other);
    if (!boxes_overlap(&s->boxes[slot], &s->boxes[other]))
        return true;
    if (c->whole_count == c->whole_capacity &&
        !grow_both(&c->whole, sizeof *c->whole, &c->apart, sizeof *c->apart, &c->whole_capacity))
        return false;
    c->whole[c->whole_count][0] = slot;
    c->whole[c->whole_count][1] = other;
    c->whole_count++;
    return true;
}

/* Return the blade's track; NULL for a static target. */
static const track *track_of(const candidates_scene *scene, uint32_t slot)
{
    uint32_t device = scene->swept_aabbs->devices[slot];

    return device == BLADES_STATIC ? NULL : &scene->devices->all[device]->track;
}

/* Of two moved blades one must find the other: the one whose motion began earlier, because its window holds everything
 * that is new to the two. */
static bool is_finder(const last_motion *all, uint32_t slot, uint32_t other)
{
    if (!all[other].moved || all[slot].from_ns < all[other].from_ns)
        return true;
    return all[slot].from_ns == all[other].from_ns && slot < other;
}

/* Compare one moved blade with all others. */
static bool candidates_scan_one(candidates *c, const candidates_scene *scene, uint32_t slot)
{
    const swept_aabbs *s = scene->swept_aabbs;
    const clash_bounds *own = &s->boxes[slot];
    int64_t since_ns = s->all[slot].from_ns, until_ns = s->all[slot].last_ns;

    for (uint32_t other = 0; other < scene->blades->slot_count; other++) {
        const last_motion *theirs = &s->all[other];
        clash_bounds box;

        /* decides most: one motion, somewhere else */
        if (theirs->from_ns <= since_ns && !boxes_overlap(own, &s->boxes[other]))
            continue;
        if (theirs->last_ns <= since_ns || s->devices[other] == s->devices[slot] || !is_finder(s->all, slot, other) ||
            !blades_can_meet(scene->blades, slot, other) ||
            !swept_aabbs_window(s, other, track_of(scene, other), since_ns, until_ns, &box) ||
            !boxes_overlap(own, &box))
            continue;
        if (!candidates_offer(c, scene, slot, other))
            return false;
    }
    return true;
}

static bool candidates_scan(candidates *c, const candidates_scene *scene)
{
    for (uint32_t i = 0; i < scene->swept_aabbs->moved_count; i++)
        if (!candidates_scan_one(c, scene, scene->swept_aabbs->moved[i]))
            return false;
    return true;
}

static bool candidates_reserve_windows(candidates *c, uint32_t slots)
{
    if (slots <= c->window_capacity)
        return true;
    if (!array_resize(&c->windows, slots + slots / 2, sizeof *c->windows))
        return false;
    c->window_capacity = slots + slots / 2;
    return true;
}

/* Compute each blade's window: a box around what may be new to any pair. */
static bool candidates_open_windows(candidates *c, const candidates_scene *scene)
{
    const swept_aabbs *s = scene->swept_aabbs;
    uint32_t slots = scene->blades->slot_count;
    int64_t since_ns = INT64_MAX, until_ns = s->all[s->moved[0]].last_ns;

    if (!candidates_reserve_windows(c, slots))
        return false;
    for (uint32_t i = 0; i < s->moved_count; i++)
        since_ns = s->all[s->moved[i]].from_ns < since_ns ? s->all[s->moved[i]].from_ns : since_ns;
    for (uint32_t slot = 0; slot < slots; slot++)
        if (s->all[slot].last_ns <= since_ns ||
            !swept_aabbs_window(s, slot, track_of(scene, slot), since_ns, until_ns, &c->windows[slot]))
            c->windows[slot] = nowhere;
    return true;
}

static bool candidates_grid(candidates *c, const candidates_scene *scene)
{
    const swept_aabbs *s = scene->swept_aabbs;
    uint32_t slots = scene->blades->slot_count;
    const uint32_t(*pairs)[2];
    size_t pair_count;

    if (!candidates_open_windows(c, scene))
        return false;
    if (clash_broad_find(c->broad, c->windows, s->devices, slots, &pairs, &pair_count) < 0)
        return false;
    for (size_t i = 0; i < pair_count; i++)
        if (blades_can_meet(scene->blades, pairs[i][0], pairs[i][1]) &&
            !candidates_offer(c, scene, pairs[i][0], pairs[i][1]))
            return false;
    return true;
}

/* Write the capsules that a blade consists of; return how many. */
static uint32_t list_parts(const candidates_scene *scene, uint32_t slot, clash_body *out_bodies)
{
    const clash_body *whole = &scene->swept_aabbs->bodies[slot];
    const clash_sword *sword = scene->blades->slots[slot].is.sword;

    if (!sword) {
        out_bodies[0] = *whole;
        return 1;
    }
    for (uint32_t i = 0; i < sword->capsule_count; i++)
        out_bodies[i] = (clash_body){sword->capsules[i], whole->motion};
    return sword->capsule_count;
}

/* Return whether all pairs of parts are apart, for two blades whose enclosing capsules the batch could not separate. */
static bool parts_are_apart(const candidates_scene *scene, const uint32_t slots[2])
{
    clash_body bodies[2 * CLASH_PARTS_MAX];
    uint32_t pairs[CLASH_PARTS_MAX * CLASH_PARTS_MAX][2];
    bool apart[CLASH_PARTS_MAX * CLASH_PARTS_MAX], all = true;
    uint32_t first = list_parts(scene, slots[0], bodies), second = list_parts(scene, slots[1], bodies + first);
    size_t count = 0;

    for (uint32_t i = 0; i < first; i++)
        for (uint32_t k = 0; k < second; k++, count++) {
            pairs[count][0] = i;
            pairs[count][1] = first + k;
        }
    clash_pairs_apart(bodies, (const uint32_t(*)[2])pairs, count, scene->margin, apart);
    for (size_t i = 0; i < count; i++)
        all = all && apart[i];
    return all;
}

static bool has_parts(const candidates_scene *scene, const uint32_t slots[2])
{
    const blade_slot *all = scene->blades->slots;

    return all[slots[0]].is.sword || all[slots[1]].is.sword;
}

bool candidates_prove(candidates *c, const candidates_scene *scene, size_t first, size_t count)
{
    const uint32_t(*pairs)[2];
    bool *apart;

    if (count == 0)
        return true; /* true: and there may be no memory yet */
    pairs = (const uint32_t(*)[2])c->whole + first;
    apart = c->apart + first;
    clash_pairs_apart(scene->swept_aabbs->bodies, pairs, count, scene->margin, apart);
    for (size_t i = 0; i < count; i++) {
        if (!apart[i] && has_parts(scene, pairs[i]))
            apart[i] = parts_are_apart(scene, pairs[i]);
        scene->counters->sweeps += apart[i];
        scene->counters->proved += apart[i];
        if (!apart[i] && !candidates_add(c, scene->blades, pairs[i][0], pairs[i][1]))
            return false;
    }
    return true;
}

bool candidates_find(candidates *c, const candidates_scene *scene)
{
    return scene->swept_aabbs->moved_count <= SCANNED_MAX ? candidates_scan(c, scene) : candidates_grid(c, scene);
}
