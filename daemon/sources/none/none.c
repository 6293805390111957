/* Source: delivers nothing. See none.h. */
#include "none.h"

#include <stdlib.h>

static int none_start(pose_source *source, const pose_listener *listener)
{
    (void)source;
    (void)listener;
    return 0;
}

static void none_stop(pose_source *source)
{
    (void)source;
}

static void none_status(const pose_source *source, pose_source_status *out_status)
{
    (void)source;
    *out_status = (pose_source_status){.kind = "none", .state = "running", .runtime = "", .detail = ""};
}

static void none_destroy(pose_source *source)
{
    free(source);
}

pose_source *none_source_create(void)
{
    pose_source *source = malloc(sizeof *source);

    if (source)
        *source = (pose_source){.start = none_start, .stop = none_stop, .status = none_status, .destroy = none_destroy};
    return source;
}
