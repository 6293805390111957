/* Orders only ever count up, and are given out anew where they would run out of 32 bits. */
#include "pipeline/blades.h"

#include <stdlib.h>
#include <string.h>

/* The slot's copy of a sword is its own, though others only read it. */
static void blade_forget_sword(blade_slot *slot)
{
    free((void *)slot->is.sword);
    slot->is.sword = NULL;
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
    for (uint32_t i = 0; i < b->count; i++)
        blade_forget_sword(&b->slots[b->list[i]]);
    free(b->slots);
    free(b->list);
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
    blade_slot *slots;
    uint32_t *numbers;

    if (b->free_count > 0 || b->slot_count < b->capacity)
        return true;
    slots = realloc(b->slots, capacity * sizeof *slots);
    b->slots = slots ? slots : b->slots;
    numbers = realloc(b->list, capacity * sizeof *numbers);
    b->list = numbers ? numbers : b->list;
    if (!slots || !numbers)
        return false;
    numbers = realloc(b->free_slots, capacity * sizeof *numbers);
    b->free_slots = numbers ? numbers : b->free_slots;
    if (!numbers)
        return false;
    b->capacity = capacity;
    return true;
}

static uint32_t blades_new_order(blades *b)
{
    if (b->next_order == UINT32_MAX) {
        b->next_order = 0;
        for (uint32_t i = 0; i < b->count; i++)
            b->slots[b->list[i]].order = b->next_order++;
    }
    return b->next_order++;
}

uint32_t blades_add(blades *b, devices *d, const pipeline_blade *from)
{
    size_t length = strnlen(from->name, PIPELINE_BLADE_NAME_MAX);
    bool is_reused;
    uint32_t slot;

    if (length == 0 || length == PIPELINE_BLADE_NAME_MAX || blades_find(b, from->name) != LOOKUP_NONE ||
        b->count == PIPELINE_BLADES_MAX || !blades_reserve(b))
        return LOOKUP_NONE;
    is_reused = b->free_count > 0;
    slot = is_reused ? b->free_slots[b->free_count - 1] : b->slot_count;
    b->slots[slot] = (blade_slot){.is = *from, .used = true, .next = d->all[from->device]->first_blade};
    if (!blade_copy_sword(&b->slots[slot]) || lookup_add(&b->names, slot) < 0) {
        blade_forget_sword(&b->slots[slot]);
        b->slots[slot].used = false;
        return LOOKUP_NONE;
    }
    b->free_count -= is_reused;
    b->slot_count += !is_reused;
    b->slots[slot].order = blades_new_order(b);
    b->list[b->count++] = slot;
    d->all[from->device]->first_blade = slot;
    return slot;
}

/* Where the list has that slot: it is in order. */
static uint32_t blades_place_of(const blades *b, uint32_t slot)
{
    uint32_t low = 0, high = b->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (b->slots[b->list[middle]].order <= b->slots[slot].order)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void blades_remove(blades *b, devices *d, uint32_t slot)
{
    uint32_t *link = &d->all[b->slots[slot].is.device]->first_blade;
    uint32_t place = blades_place_of(b, slot);

    lookup_remove(&b->names, slot);
    while (*link != slot)
        link = &b->slots[*link].next;
    *link = b->slots[slot].next;
    memmove(&b->list[place], &b->list[place + 1], (b->count - place - 1) * sizeof *b->list);
    b->count--;
    blade_forget_sword(&b->slots[slot]);
    b->slots[slot].used = false;
    b->free_slots[b->free_count++] = slot;
}
