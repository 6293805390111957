/* The index: see index.h. A place is kept every so many lines; when there is no room for more, every second one
 * goes, and from then on they are twice as far apart. */
#include "index.h"

#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 4096
#define STRIDE_FIRST 128

typedef struct index_point {
    recording_place place;
    int64_t before_ns; /* the latest time of all poses before */
    size_t changes;    /* of blades before */
} index_point;

/* Keep names as hashes: enough to tell whether a definition is still the last of its name. */
typedef struct index_change {
    char *line;            /* NULL for a removal */
    uint64_t name, device; /* 0: none */
    bool is_removal;
} index_change;

struct recording_index {
    uint64_t line_number; /* everything up to this line is noted */
    uint64_t stride;      /* lines */
    bool has_poses, is_overfull;
    int64_t first_ns, last_ns; /* least and latest */
    size_t point_count, change_count, text_length;
    index_point points[POINTS_MAX];
    index_change changes[RECORDING_INDEX_CHANGES_MAX];
};

recording_index *recording_index_create(void)
{
    recording_index *index = calloc(1, sizeof *index);

    if (index)
        index->stride = STRIDE_FIRST;
    return index;
}

void recording_index_destroy(recording_index *index)
{
    for (size_t i = 0; index && i < index->change_count; i++)
        free(index->changes[i].line);
    free(index);
}

/* FNV-1a, never 0. */
static uint64_t hash(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return h ? h : 1;
}

static void note_change(recording_index *index, const recording_item *item)
{
    const bool is_removal = item->kind == RECORDING_REMOVE;
    const bool is_target = item->kind == RECORDING_TARGET || (is_removal && item->target.name[0]);
    const char *name = is_target ? item->target.name : item->blade.name;
    const char *device = is_removal ? item->device : is_target ? item->target.device : item->blade.device;

    const size_t length = is_removal ? 0 : item->text_length;
    char *line = NULL;

    index->is_overfull = index->is_overfull || index->change_count == RECORDING_INDEX_CHANGES_MAX ||
                         length > RECORDING_INDEX_TEXT_MAX - index->text_length ||
                         (!is_removal && !(line = strdup(item->text)));
    if (index->is_overfull)
        return;
    index->text_length += length;
    index->changes[index->change_count++] = (index_change){
        .line = line,
        .name = name[0] ? hash(name) : 0,
        .device = device[0] ? hash(device) : 0,
        .is_removal = is_removal,
    };
}

static void thin_out(recording_index *index)
{
    for (size_t i = 0; i < POINTS_MAX / 2; i++)
        index->points[i] = index->points[2 * i];
    index->point_count = POINTS_MAX / 2;
    index->stride *= 2;
}

static void note_poses(recording_index *index, const recording_place *place, const recording_item *item)
{
    const index_point *last = index->point_count ? &index->points[index->point_count - 1] : NULL;

    if (!last || place->line_number - last->place.line_number >= index->stride) {
        if (index->point_count == POINTS_MAX)
            thin_out(index);
        index->points[index->point_count++] = (index_point){
            .place = *place,
            .before_ns = index->has_poses ? index->last_ns : INT64_MIN,
            .changes = index->change_count,
        };
    }
    if (!index->has_poses || item->time_ns < index->first_ns)
        index->first_ns = item->time_ns;
    if (!index->has_poses || item->time_ns > index->last_ns)
        index->last_ns = item->time_ns;
    index->has_poses = true;
}

void recording_index_note(recording_index *index, const recording_place *place, const recording_item *item)
{
    if (item->kind == RECORDING_END || item->line_number <= index->line_number)
        return;
    index->line_number = item->line_number;
    if (item->kind == RECORDING_POSES)
        note_poses(index, place, item);
    else if (recording_is_change(item->kind))
        note_change(index, item);
}

const recording_place *recording_index_find(const recording_index *index, int64_t time_ns, size_t *out_changes)
{
    size_t low = 0, high = index->point_count; /* what is sought is in [low, high) */

    if (high == 0)
        return NULL;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (index->points[middle].before_ns < time_ns)
            low = middle;
        else
            high = middle;
    }
    *out_changes = index->points[low].changes;
    return &index->points[low].place;
}

static bool is_undone(const index_change *c, const index_change *by)
{
    return by->name ? by->name == c->name : by->is_removal && by->device == c->device;
}

size_t recording_index_blades(const recording_index *index, size_t changes, const char **out_lines)
{
    size_t count = 0;

    for (size_t i = 0; i < changes && i < index->change_count; i++) {
        bool holds = !index->changes[i].is_removal;

        for (size_t later = i + 1; holds && later < changes && later < index->change_count; later++)
            holds = !is_undone(&index->changes[i], &index->changes[later]);
        if (holds)
            out_lines[count++] = index->changes[i].line;
    }
    return count;
}

bool recording_index_is_overfull(const recording_index *index)
{
    return index->is_overfull;
}

bool recording_index_times(const recording_index *index, int64_t *out_first_ns, int64_t *out_last_ns)
{
    *out_first_ns = index->first_ns;
    *out_last_ns = index->last_ns;
    return index->has_poses;
}
