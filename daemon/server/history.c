/* A ring in chunks, each allocated when first reached. See history.h. */
#include "history.h"

#include <stdlib.h>
#include <string.h>

static history_entry *slot(const history *h, uint64_t index)
{
    uint64_t place = index % HISTORY_EVENTS_MAX;
    history_entry *chunk = h->chunks[place / HISTORY_CHUNK_EVENTS];

    return chunk ? &chunk[place % HISTORY_CHUNK_EVENTS] : NULL;
}

void history_finish(history *h)
{
    for (size_t i = 0; i < HISTORY_CHUNKS; i++)
        free(h->chunks[i]);
    memset(h, 0, sizeof *h);
}

/* Copy a name behind those already stored. One that does not fit is cut; no blade's or device's name is so long. */
static const char *keep_name(history_entry *entry, size_t *used, const char *name)
{
    char *copy = entry->names + *used;
    size_t length = strnlen(name, sizeof entry->names - 1 - *used);

    memcpy(copy, name, length);
    copy[length] = '\0';
    *used += length;
    if (*used + 1 < sizeof entry->names)
        (*used)++;
    return copy;
}

static void keep_parts(history_entry *entry, size_t *used, const char *const parts[2])
{
    for (int i = 0; i < 2; i++)
        if (parts[i])
            entry->event.as.clash.parts[i] = keep_name(entry, used, parts[i]);
}

static void keep(history_entry *entry, const clash_event *event)
{
    size_t used = 0;

    entry->event = *event;
    if (event->kind == CLASH_EVENT_TRACKING) {
        entry->event.as.tracking.device = keep_name(entry, &used, event->as.tracking.device);
    } else if (event->kind != CLASH_EVENT_SPACE_CHANGED) {
        entry->event.blades[0] = keep_name(entry, &used, event->blades[0]);
        entry->event.blades[1] = keep_name(entry, &used, event->blades[1]);
        if (event->kind != CLASH_EVENT_RELEASE)
            keep_parts(entry, &used, event->as.clash.parts);
    }
}

void history_add(history *h, const clash_event *event)
{
    uint64_t chunk = h->end % HISTORY_EVENTS_MAX / HISTORY_CHUNK_EVENTS;

    if (!h->chunks[chunk])
        h->chunks[chunk] = malloc(HISTORY_CHUNK_EVENTS * sizeof *h->chunks[chunk]);
    if (!h->chunks[chunk]) {
        h->first = h->end; /* the events that are kept have no gap */
        return;
    }
    keep(slot(h, h->end++), event);
    if (h->end - h->first > HISTORY_EVENTS_MAX)
        h->first++;
}

uint64_t history_index(const history *h, uint64_t seq)
{
    uint64_t low = h->first, high = h->end;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (slot(h, middle)->event.seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const clash_event *history_at(const history *h, uint64_t index)
{
    return index >= h->first && index < h->end ? &slot(h, index)->event : NULL;
}
