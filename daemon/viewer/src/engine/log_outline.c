/* See log_outline.h: the target is made as clashd makes it. */
#include "log_outline.h"

#include "protocol/recording/recording.h"
#include "scene/targets.h"

const clash_line *log_outline(const char *line, size_t *out_count, bool *out_is_whole, failure *out_failure)
{
    static recording_item item;
    static scene_target *last;

    scene_target_destroy(last);
    last = NULL;
    if (!recording_parse(line, &item) || item.kind != RECORDING_TARGET) {
        fail_with(out_failure, "this is no line of type target");
        return NULL;
    }
    last = scene_target_make(&item.target, out_failure);
    if (!last)
        return NULL;
    target_shape_outline(&last->shape, &last->definition);
    if (!last->shape.outline)
        fail_with(out_failure, "out of memory");
    *out_count = last->shape.outline_count;
    *out_is_whole = last->shape.is_outline_whole;
    return last->shape.outline;
}
