/* See room_ids.h. */
#include "room_ids.h"

#include <string.h>

#define ID_BITS 53
/* More contacts of a pair cannot begin within a step: its last one was counted by another time of the room. */
#define STEPS_AHEAD_MAX 50

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/. */
static uint64_t hash(uint64_t h, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* The last bits of FNV-1a depend on the last bits of what goes in alone. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

uint64_t room_ids_pair(const char *const blades[2])
{
    const int first = strcmp(blades[0], blades[1]) > 0;
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    h = hash(h, blades[first], strlen(blades[first]) + 1);
    h = hash(h, blades[1 - first], strlen(blades[1 - first]) + 1);
    return h != 0 ? h : 1;
}

static int64_t step_of(int64_t ns)
{
    return ns / ROOM_ID_STEP_NS - (ns % ROOM_ID_STEP_NS < 0);
}

int64_t room_ids_find(room_ids *ids, const char *const blades[2], uint64_t contact, int64_t start_ns, bool is_new)
{
    const uint64_t pair = room_ids_pair(blades);
    const size_t at = mix(pair) % ROOM_ID_PAIRS;
    const bool is_known = ids->last[at].pair == pair;
    int64_t step = step_of(start_ns);
    unsigned char bytes[8];
    uint64_t id;

    if (is_known && !is_new && ids->last[at].contact == contact)
        step = ids->last[at].step;
    else if (is_known && is_new && ids->last[at].step >= step && ids->last[at].step - step < STEPS_AHEAD_MAX)
        step = ids->last[at].step + 1;
    if (is_new) {
        ids->last[at].pair = pair;
        ids->last[at].contact = contact;
        ids->last[at].step = step;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((uint64_t)step >> (8 * i));
    id = mix(hash(pair, bytes, sizeof bytes)) & ((UINT64_C(1) << ID_BITS) - 1);
    return id != 0 ? (int64_t)id : 1;
}
