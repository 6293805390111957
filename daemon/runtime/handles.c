/* The table behind handles.h. A value has its kind in the top byte, a serial number in the middle, slot + 1 in the low
 * 16 bits. */
#include "runtime/handles.h"

#define SLOT_BITS 16
#define SLOT_MASK ((1u << SLOT_BITS) - 1)
#define KIND_SHIFT 56

_Static_assert(HANDLES_MAX <= SLOT_MASK, "a slot's number must fit");

static handle_kind kind_of(uint64_t value)
{
    return (handle_kind)(value >> KIND_SHIFT);
}

uint64_t handles_add(handles *h, handle_kind kind, void *object)
{
    for (size_t i = 0; i < HANDLES_MAX; i++) {
        handle_slot *slot = &h->slots[i];
        if (slot->value)
            continue;
        if (h->end == i)
            h->end = i + 1;
        h->serial++;
        slot->value = (uint64_t)kind << KIND_SHIFT | (uint64_t)h->serial << SLOT_BITS | (uint64_t)(i + 1);
        slot->object = object;
        return slot->value;
    }
    return 0;
}

void *handles_get(const handles *h, handle_kind kind, uint64_t value)
{
    size_t number = value & SLOT_MASK;
    if (number == 0 || number > HANDLES_MAX || kind_of(value) != kind)
        return NULL;
    const handle_slot *slot = &h->slots[number - 1];
    return slot->value == value ? slot->object : NULL;
}

void handles_remove(handles *h, uint64_t value)
{
    size_t number = value & SLOT_MASK;
    if (number == 0 || number > HANDLES_MAX || h->slots[number - 1].value != value)
        return;
    h->slots[number - 1] = (handle_slot){0};
}

void *handles_next(const handles *h, handle_kind kind, size_t *index)
{
    for (; *index < h->end; (*index)++) {
        const handle_slot *slot = &h->slots[*index];
        if (slot->value && kind_of(slot->value) == kind) {
            (*index)++;
            return slot->object;
        }
    }
    return NULL;
}
