/* A log_store through the pipeline in slices, so that whoever waits may change his mind: what daemon/offline/detect.c does with a
 * file, by the same scene, player and pipeline. */
#ifndef CLASHD_VIEWER_LOG_DETECTION_H
#define CLASHD_VIEWER_LOG_DETECTION_H

#include "config/config.h"
#include "log_store.h"

typedef struct log_detection log_detection;

typedef struct log_detection_user {
    void *context;
    /** Called with each event, as clashctl detect prints it, newline included. */
    void (*event)(void *context, const clash_event *event, const char *line, size_t length);
    /** A target that cannot be made here, or a blade that is not taken: without it there are other contacts. */
    void (*problem)(void *context, const char *message);
} log_detection_user;

/** Return NULL with a message. The store outlives it; the configuration is only read here. */
log_detection *log_detection_create(const log_store *store, const config_values *config, const log_detection_user *user,
                                    failure *out_failure);
/** Accept NULL. */
void log_detection_destroy(log_detection *d);
/** Play at most that many entries, none from `until` on. Return how many are played in all. */
size_t log_detection_advance(log_detection *d, size_t until, size_t most);
/** End the source, once: release the contacts that are open. */
void log_detection_end(log_detection *d);
const pipeline_counters *log_detection_counters(const log_detection *d);

#endif
