/* Where a device was about a time: the samples before and behind, and whether the pipeline moves it from the one to the other. */
#ifndef CLASHD_VIEWER_LOG_AROUND_H
#define CLASHD_VIEWER_LOG_AROUND_H

#include "log_store.h"
#include "pipeline/pipeline.h"

typedef struct log_sample {
    bool is_there;
    int64_t time_ns;
    clash_pose pose;
    bool is_tracked;
} log_sample;

typedef struct log_around {
    log_sample before; /* the last usable one not after the time.. */
    log_sample behind; /* .. and the first one after it */
    bool is_motion;    /* the one is moved to the other */
    bool is_lost;      /* the device is not followed at that time: its pose is where it was last */
} log_around;

/** `device` is the store's index. Looks at some thousand entries at most. */
log_around log_find_around(const log_store *store, size_t device, int64_t time_ns, const pipeline_settings *settings);

#endif
