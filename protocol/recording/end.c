/* When a recording ends, without reading it: its last stretch is read from wherever that begins, in the middle of a line or
 * of a frame, which the reader survives as it does damage. */
#include "recording.h"

#include <stdlib.h>

#define WINDOW_FIRST (256u << 10)
#define WINDOW_LAST (4u << 20)
/** How much text one window may hold. */
#define LOOK_MAX (32u << 20)

/* Return false too if that takes too long: a small file may hold more than anybody waits for. */
static bool find_in(recording *r, recording_item *item, uint64_t offset, int64_t *out_time_ns)
{
    const recording_place place = {.offset = offset, .line_number = 1};
    uint64_t looked_at = 0;
    bool has_poses = false;

    if (recording_go(r, &place) != 0)
        return false;
    while (recording_skim(r, item) != RECORDING_END) {
        looked_at += item->kind == RECORDING_LATER ? LOOK_MAX : item->text_length;
        if (looked_at >= LOOK_MAX)
            return false;
        if (item->kind != RECORDING_POSES)
            continue;
        if (!has_poses || item->time_ns > *out_time_ns)
            *out_time_ns = item->time_ns;
        has_poses = true;
    }
    return has_poses;
}

bool recording_find_end(const char *path, int64_t *out_time_ns)
{
    recording_item *item = malloc(sizeof *item);
    failure why = {0};
    recording *r = item ? recording_open_file(path, NULL, NULL, &why) : NULL;
    uint64_t read_bytes, total = 0;
    bool found = false;

    if (r) {
        recording_get_extent(r, &read_bytes, &total);
        recording_set_budget(r, LOOK_MAX);
    }
    for (uint64_t window = WINDOW_FIRST; !found && total > 0 && window <= WINDOW_LAST; window *= 4) {
        found = find_in(r, item, total > window ? total - window : 0, out_time_ns);
        if (window >= total)
            break;
    }
    recording_close(r);
    free(item);
    return found;
}
