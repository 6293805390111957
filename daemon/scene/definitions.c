/* Keep each definition's line until its blade is gone; see definitions.h. Lines about a name that the header has are
 * always kept: without them the header's blade would be there. */
#include "definitions.h"
#include "cli/array.h"

#include <stdlib.h>
#include <string.h>

void definitions_init(definitions *k, const recording_header *header)
{
    *k = (definitions){.header = header};
}

void definitions_finish(definitions *k)
{
    for (size_t i = 0; i < k->count; i++)
        free(k->lines[i].text);
    free(k->lines);
    *k = (definitions){0};
}

static bool is_headers(const definitions *k, const char *blade)
{
    for (size_t i = 0; i < k->header->blade_count; i++)
        if (strcmp(k->header->blades[i].name, blade) == 0)
            return true;
    return false;
}

/** Return whether removing the device takes away a blade of the header, or one with such a blade's name. */
static bool is_of_headers(const definitions *k, const char *device)
{
    for (size_t i = 0; i < k->header->blade_count; i++)
        if (strcmp(k->header->blades[i].device, device) == 0)
            return true;
    for (size_t i = 0; i < k->count; i++)
        if (!k->lines[i].blade[0] && strcmp(k->lines[i].device, device) == 0)
            return true;
    return false;
}

/** Forget the blades of that name, or of that device. Return how many there were. */
static size_t forget(definitions *k, const char *blade, const char *device)
{
    size_t kept = 0, before = k->count;

    for (size_t i = 0; i < k->count; i++) {
        const definition_line *l = &k->lines[i];

        if (l->blade[0] &&
            ((blade[0] && strcmp(l->blade, blade) == 0) || (device[0] && strcmp(l->device, device) == 0)))
            free(l->text);
        else
            k->lines[kept++] = *l;
    }
    k->count = kept;
    return before - kept;
}

static int keep(definitions *k, const recording_item *item, const char *blade, const char *device)
{
    definition_line *l;

    if (!array_grow(&k->lines, k->count, &k->capacity, sizeof *k->lines))
        return -1;
    l = &k->lines[k->count];
    *l = (definition_line){.text = strdup(item->text)};
    if (!l->text)
        return -1;
    memcpy(l->blade, blade, strlen(blade) + 1);
    memcpy(l->device, device, strlen(device) + 1);
    k->count++;
    return 0;
}

/** Targets have names that no blade has, and a header has no targets. */
static int add_target(definitions *k, const recording_item *item)
{
    const clash_target_definition *target = &item->target;
    const bool is_forgotten = forget(k, target->name, "") > 0;

    if (item->kind == RECORDING_TARGET)
        return keep(k, item, target->name, target->device);
    return is_forgotten ? 0 : keep(k, item, "", "");
}

int definitions_add(definitions *k, const recording_item *item)
{
    const char *blade = item->blade.name;
    bool is_forgotten;

    if (item->kind == RECORDING_TARGET || (item->kind == RECORDING_REMOVE && item->target.name[0]))
        return add_target(k, item);
    if (item->kind == RECORDING_BLADE) {
        forget(k, blade, "");
        return keep(k, item, is_headers(k, blade) ? "" : blade, item->blade.device);
    }
    is_forgotten = forget(k, blade, blade[0] ? "" : item->device) > 0;
    if (blade[0] ? is_headers(k, blade) : is_of_headers(k, item->device))
        return keep(k, item, "", "");
    /* a header without a list of blades leaves them to the reader */
    return is_forgotten || k->header->has_blades ? 0 : keep(k, item, "", "");
}
