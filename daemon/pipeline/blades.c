/* Blades and targets in slots; see blades.h. Order numbers only count up, and are assigned anew before 32 bits run
 * out. */
#include "pipeline/blades.h"
#include "cli/array.h"

#include <stdlib.h>
#include <string.h>

/* Free the slot's own copy of a sword. */
static void blade_forget_sword(blade_slot *slot)
{
    free((void *)slot->is.sword);
    slot->is.sword = NULL;
}

static void blade_forget(blade_slot *slot)
{
    blade_forget_sword(slot);
    free(slot->target);
    slot->target = NULL;
    slot->used = false;
}

static bool blade_copy_sword(blade_slot *slot)
{
    const clash_sword *from = slot->is.sword;
    clash_sword *copy = from ? malloc(sizeof *copy) : NULL;

    if (copy)
        *copy = *from;
    slot->is.sword = copy;
    return copy || !from;
}

static uint32_t hash_of_slot(const void *owner, uint32_t slot)
{
    const blades *b = owner;

    return lookup_hash_name(b->slots[slot].is.name);
}

static bool slot_has_name(const void *owner, uint32_t slot, const void *name)
{
    const blades *b = owner;

    return strcmp(b->slots[slot].is.name, name) == 0;
}

void blades_init(blades *b)
{
    *b = (blades){.names = {.hash = hash_of_slot, .has_key = slot_has_name, .owner = b}};
}

void blades_finish(blades *b)
{
    for (uint32_t i = 0; i < b->slot_count; i++)
        if (b->slots[i].used)
            blade_forget(&b->slots[i]);
    free(b->slots);
    free(b->blades.slots);
    free(b->targets.slots);
    free(b->free_slots);
    lookup_finish(&b->names);
}

uint32_t blades_find(const blades *b, const char *name)
{
    return lookup_find(&b->names, lookup_hash_name(name), name);
}

static bool blades_reserve(blades *b)
{
    uint32_t capacity = b->capacity ? 2 * b->capacity : 8;

    if (b->free_count > 0 || b->slot_count < b->capacity)
        return true;
    if (!array_resize(&b->slots, capacity, sizeof *b->slots) ||
        !array_resize(&b->blades.slots, capacity, sizeof(uint32_t)) ||
        !array_resize(&b->targets.slots, capacity, sizeof(uint32_t)) ||
        !array_resize(&b->free_slots, capacity, sizeof(uint32_t)))
        return false;
    b->capacity = capacity;
    return true;
}

/* Both lists are in order, so merge them. */
uint32_t blades_next(const blades *b, blades_walk *walk)
{
    const blade_list *first = &b->blades, *second = &b->targets;
    const bool has_blade = walk->blade < first->count, has_target = walk->target < second->count;

    if (has_blade &&
        (!has_target || b->slots[first->slots[walk->blade]].order < b->slots[second->slots[walk->target]].order))
        return first->slots[walk->blade++];
    return has_target ? second->slots[walk->target++] : LOOKUP_NONE;
}

static void blades_renumber(blades *b)
{
    blades_walk walk = {0};
    uint32_t slot;

    for (b->next_order = 0; (slot = blades_next(b, &walk)) != LOOKUP_NONE; b->next_order++)
        b->slots[slot].order = b->next_order;
}

static uint32_t blades_new_order(blades *b)
{
    if (b->next_order == UINT32_MAX)
        blades_renumber(b);
    return b->next_order++;
}

/* Take a slot, to be filled in and completed by blades_settle(). Return NULL, or why there is none. */
static const char *blades_open(blades *b, const char *name, uint32_t count, uint32_t most, uint32_t *out_slot)
{
    size_t length = strnlen(name, PIPELINE_BLADE_NAME_MAX);

    if (length == 0 || length == PIPELINE_BLADE_NAME_MAX)
        return "its name is empty or too long";
    if (blades_find(b, name) != LOOKUP_NONE)
        return "its name is taken";
    if (count == most)
        return "there are too many";
    if (!blades_reserve(b))
        return BLADES_NO_MEMORY;
    *out_slot = b->free_count > 0 ? b->free_slots[b->free_count - 1] : b->slot_count;
    b->slots[*out_slot] = (blade_slot){.used = true, .next = LOOKUP_NONE};
    return NULL;
}

static bool blades_settle(blades *b, devices *d, uint32_t slot, blade_list *list)
{
    bool is_reused = b->free_count > 0;
    uint32_t device = b->slots[slot].is.device;

    if (lookup_add(&b->names, slot) < 0) {
        blade_forget(&b->slots[slot]);
        return false;
    }
    b->free_count -= is_reused;
    b->slot_count += !is_reused;
    b->slots[slot].order = blades_new_order(b);
    list->slots[list->count++] = slot;
    if (device == BLADES_STATIC)
        return true;
    b->slots[slot].next = d->all[device]->first_blade;
    d->all[device]->first_blade = slot;
    return true;
}

/* A blade or target without a layer, or without one that it can touch, touches nothing. */
static void blade_set_layers(blade_slot *slot, const clash_layers *from, bool is_disabled)
{
    const uint32_t layers = clash_layers_own(from), mask = clash_layers_mask(from);
    const bool can_touch = !is_disabled && layers != 0 && mask != 0;

    slot->layers = can_touch ? layers : 0;
    slot->mask = can_touch ? mask : 0;
}

const char *blades_add(blades *b, devices *d, const pipeline_blade *from, uint32_t *out_slot)
{
    const char *reason = blades_open(b, from->name, b->blades.count, PIPELINE_BLADES_MAX, out_slot);
    blade_slot *s;

    if (reason)
        return reason;
    s = &b->slots[*out_slot];
    s->is = *from;
    blade_set_layers(s, &from->properties.layers, from->properties.is_disabled);
    if (blade_copy_sword(s))
        return blades_settle(b, d, *out_slot, &b->blades) ? NULL : BLADES_NO_MEMORY;
    s->used = false;
    return BLADES_NO_MEMORY;
}

bool blades_change(blades *b, uint32_t slot, const pipeline_blade *from)
{
    blade_slot *s = &b->slots[slot], before = *s;

    s->is.sword = from->sword;
    if (!blade_copy_sword(s)) {
        s->is.sword = before.is.sword;
        return false;
    }
    blade_forget_sword(&before);
    s->is.properties = from->properties;
    s->is.owner = from->owner;
    blade_set_layers(s, &from->properties.layers, from->properties.is_disabled);
    return true;
}

const char *blades_add_target(blades *b, devices *d, const pipeline_target *from, uint32_t *out_slot)
{
    const char *reason = blades_open(b, from->name, b->targets.count, PIPELINE_TARGETS_MAX, out_slot);
    blade_slot *s;

    if (reason)
        return reason;
    s = &b->slots[*out_slot];
    s->target = malloc(sizeof *s->target);
    if (!s->target) {
        s->used = false;
        return BLADES_NO_MEMORY;
    }
    *s->target = *from;
    blade_set_layers(s, &from->layers, false);
    memcpy(s->is.name, from->name, sizeof s->is.name);
    s->is.device = from->is_static ? BLADES_STATIC : from->device;
    return blades_settle(b, d, *out_slot, &b->targets) ? NULL : BLADES_NO_MEMORY;
}

/* Return the slot's place in the list, which is in order. */
static uint32_t list_place_of(const blades *b, const blade_list *list, uint32_t slot)
{
    uint32_t low = 0, high = list->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (b->slots[list->slots[middle]].order <= b->slots[slot].order)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void device_forget(devices *d, const blades *b, uint32_t slot)
{
    uint32_t *link = &d->all[b->slots[slot].is.device]->first_blade;

    while (*link != slot)
        link = &b->slots[*link].next;
    *link = b->slots[slot].next;
}

void blades_remove(blades *b, devices *d, uint32_t slot)
{
    blade_list *list = b->slots[slot].target ? &b->targets : &b->blades;
    uint32_t *place = &list->slots[list_place_of(b, list, slot)];

    lookup_remove(&b->names, slot);
    if (b->slots[slot].is.device != BLADES_STATIC)
        device_forget(d, b, slot);
    memmove(place, place + 1, (size_t)(&list->slots[list->count] - place - 1) * sizeof *place);
    list->count--;
    blade_forget(&b->slots[slot]);
    b->free_slots[b->free_count++] = slot;
}
