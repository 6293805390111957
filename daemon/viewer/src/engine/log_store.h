/* A recording in memory, as small as it can be without losing a bit: times, poses as floats, and the text of the few lines that are
 * no poses. In chunks, so that it grows without ever being copied; an hour of two hands at 1000 Hz takes 350 MB. One thread. */
#ifndef CLASHD_VIEWER_LOG_STORE_H
#define CLASHD_VIEWER_LOG_STORE_H

#include "protocol/recording/recording.h"

typedef enum log_entry_kind {
    LOG_POSES,
    LOG_LINE, /* anything else that a player takes: its text is kept */
    LOG_WRONG /* poses of a time that cannot be: they are left out */
} log_entry_kind;

typedef struct log_entry {
    int64_t time_ns;
    int64_t high_ns;      /* the latest time so far, which never falls */
    uint32_t first;       /* of POSES: the first one's index; of LINE: its text's */
    uint32_t line_number; /* 1 is the header */
    uint16_t count;       /* of POSES */
    uint8_t kind;         /* log_entry_kind */
    bool more;            /* as recording_item */
} log_entry;

typedef struct log_pose {
    clash_pose pose;
    uint16_t device; /* index of its name */
    uint8_t source;  /* clash_feed_source */
    uint8_t is_valid : 1, is_tracked : 1, is_teleport : 1, is_joined : 1, is_holding : 1;
} log_pose;

typedef struct log_store log_store;

/** Return NULL when out of memory. */
log_store *log_store_create(void);
/** Accept NULL. */
void log_store_destroy(log_store *s);
/** Add an item that a player takes. Return false when out of memory, or if there are more devices or poses than can be numbered. */
bool log_store_add(log_store *s, const recording_item *item);

size_t log_store_count(const log_store *s);
log_entry *log_store_entry(const log_store *s, size_t index);
const log_pose *log_store_pose(const log_store *s, size_t index);
/** A line's text, ended by a zero. */
const char *log_store_text(const log_store *s, size_t index);
size_t log_store_device_count(const log_store *s);
const char *log_store_device(const log_store *s, size_t index);
/** Index of the last entry up to which no time is after that one; SIZE_MAX if there is none. */
size_t log_store_find(const log_store *s, int64_t time_ns);
/** The item again; a line is read anew. */
void log_store_item(const log_store *s, size_t index, recording_item *out_item);

#endif
