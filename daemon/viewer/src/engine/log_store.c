/* Chunks of entries and poses: see log_store.h. */
#include "log_store.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 65536u
#define DEVICES_MAX 65535u

/** An array that grows in chunks: elements never move. */
typedef struct chunks {
    char **parts;
    size_t part_count, capacity, count, size;
} chunks;

struct log_store {
    chunks entries, poses;
    char **texts, **devices;
    size_t text_count, text_capacity, device_count, device_capacity;
    uint16_t last_devices[RECORDING_POSES_MAX]; /* at each place of the line before: they rarely change */
};

static void *chunks_at(const chunks *c, size_t index)
{
    return c->parts[index / CHUNK] + index % CHUNK * c->size;
}

static void *chunks_add(chunks *c)
{
    if (c->count == c->part_count * CHUNK) {
        if (c->part_count == c->capacity) {
            const size_t capacity = c->capacity ? 2 * c->capacity : 16;
            char **more = realloc(c->parts, capacity * sizeof *more);

            if (!more)
                return NULL;
            c->parts = more;
            c->capacity = capacity;
        }
        if (!(c->parts[c->part_count] = malloc(CHUNK * c->size)))
            return NULL;
        c->part_count++;
    }
    return chunks_at(c, c->count++);
}

static void chunks_finish(chunks *c)
{
    for (size_t i = 0; i < c->part_count; i++)
        free(c->parts[i]);
    free(c->parts);
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

static bool add_text(char ***texts, size_t *count, size_t *capacity, const char *text)
{
    if (*count == *capacity) {
        const size_t more = *capacity ? 2 * *capacity : 16;
        char **grown = realloc(*texts, more * sizeof *grown);

        if (!grown)
            return false;
        *texts = grown;
        *capacity = more;
    }
    if (!((*texts)[*count] = strdup(text)))
        return false;
    ++*count;
    return true;
}

log_store *log_store_create(void)
{
    log_store *s = calloc(1, sizeof *s);

    if (s) {
        s->entries.size = sizeof(log_entry);
        s->poses.size = sizeof(log_pose);
    }
    return s;
}

void log_store_destroy(log_store *s)
{
    if (!s)
        return;
    chunks_finish(&s->entries);
    chunks_finish(&s->poses);
    free_texts(s->texts, s->text_count);
    free_texts(s->devices, s->device_count);
    free(s);
}

/* ---- adding ---- */

/* Its number, new if it is new. */
static bool find_device(log_store *s, size_t place, const char *name)
{
    const uint16_t last = s->last_devices[place];

    if (last < s->device_count && strcmp(s->devices[last], name) == 0)
        return true;
    for (size_t i = 0; i < s->device_count; i++)
        if (strcmp(s->devices[i], name) == 0) {
            s->last_devices[place] = (uint16_t)i;
            return true;
        }
    if (s->device_count == DEVICES_MAX || !add_text(&s->devices, &s->device_count, &s->device_capacity, name))
        return false;
    s->last_devices[place] = (uint16_t)(s->device_count - 1);
    return true;
}

static bool add_poses(log_store *s, const recording_item *item)
{
    for (size_t i = 0; i < item->pose_count; i++) {
        const protocol_own_pose *from = &item->poses[i];
        log_pose *to = find_device(s, i, from->device) ? chunks_add(&s->poses) : NULL;

        if (!to)
            return false;
        *to = (log_pose){.pose = from->pose,
                         .device = s->last_devices[i],
                         .source = (uint8_t)from->source,
                         .is_valid = from->valid,
                         .is_tracked = from->tracked,
                         .is_teleport = from->teleport,
                         .is_joined = from->joined,
                         .is_holding = from->holds};
    }
    return true;
}

bool log_store_add(log_store *s, const recording_item *item)
{
    const bool is_poses = item->kind == RECORDING_POSES;
    const size_t first = is_poses ? s->poses.count : s->text_count;
    const int64_t high_ns = s->entries.count ? log_store_entry(s, s->entries.count - 1)->high_ns : INT64_MIN;
    log_entry *entry;

    if (first > UINT32_MAX - RECORDING_POSES_MAX || item->line_number > UINT32_MAX ||
        !(is_poses ? add_poses(s, item) : add_text(&s->texts, &s->text_count, &s->text_capacity, item->text)) ||
        !(entry = chunks_add(&s->entries)))
        return false;
    *entry = (log_entry){.time_ns = item->time_ns,
                         .high_ns = is_poses && item->time_ns > high_ns ? item->time_ns : high_ns,
                         .first = (uint32_t)first,
                         .line_number = (uint32_t)item->line_number,
                         .count = is_poses ? (uint16_t)item->pose_count : 0,
                         .kind = is_poses ? LOG_POSES : LOG_LINE,
                         .more = item->more};
    return true;
}

/* ---- looking ---- */

size_t log_store_count(const log_store *s)
{
    return s->entries.count;
}

log_entry *log_store_entry(const log_store *s, size_t index)
{
    return chunks_at(&s->entries, index);
}

const log_pose *log_store_pose(const log_store *s, size_t index)
{
    return chunks_at(&s->poses, index);
}

const char *log_store_text(const log_store *s, size_t index)
{
    return s->texts[index];
}

size_t log_store_device_count(const log_store *s)
{
    return s->device_count;
}

const char *log_store_device(const log_store *s, size_t index)
{
    return index < s->device_count ? s->devices[index] : "";
}

size_t log_store_find(const log_store *s, int64_t time_ns)
{
    size_t low = 0, high = s->entries.count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (log_store_entry(s, middle)->high_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

void log_store_item(const log_store *s, size_t index, recording_item *out_item)
{
    const log_entry *entry = log_store_entry(s, index);

    if (entry->kind == LOG_LINE) {
        recording_parse(s->texts[entry->first], out_item);
        out_item->text = s->texts[entry->first];
        out_item->text_length = strlen(out_item->text);
        out_item->line_number = entry->line_number;
        return;
    }
    out_item->kind = RECORDING_POSES;
    out_item->type = "poses";
    out_item->line_number = entry->line_number;
    out_item->time_ns = entry->time_ns;
    out_item->more = entry->more;
    out_item->pose_count = entry->count;
    for (size_t i = 0; i < entry->count; i++) {
        const log_pose *from = log_store_pose(s, entry->first + i);
        protocol_own_pose *to = &out_item->poses[i];

        *to = (protocol_own_pose){.pose = from->pose,
                                  .tracked = from->is_tracked,
                                  .valid = from->is_valid,
                                  .teleport = from->is_teleport,
                                  .joined = from->is_joined,
                                  .holds = from->is_holding,
                                  .source = (clash_feed_source)from->source};
        memcpy(to->device, s->devices[from->device], strlen(s->devices[from->device]) + 1);
    }
}
