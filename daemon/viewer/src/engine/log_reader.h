/* Bytes of a recording to a log_store, as protocol/recording reads files: the same lines, the same checks, the same words for what is
 * damaged. Bytes come in pieces of any size, decompressed. */
#ifndef CLASHD_VIEWER_LOG_READER_H
#define CLASHD_VIEWER_LOG_READER_H

#include "log_store.h"

typedef struct log_reader log_reader;

typedef struct log_reader_user {
    void *context;
    /** The header's line, which is right; valid during the call. */
    void (*header)(void *context, const char *line, size_t length);
    /** A damaged line, which is left out. Not in the order of lines if a time is wrong: that is seen later. */
    void (*damaged)(void *context, uint64_t line_number, const char *message);
    /** A line that a player takes but poses, or what a person set as a mark: its text is valid during the call. */
    void (*line)(void *context, const recording_item *item);
} log_reader_user;

/** Return NULL when out of memory. The store outlives it. */
log_reader *log_reader_create(log_store *store, const log_reader_user *user);
/** Accept NULL. */
void log_reader_destroy(log_reader *r);
/** Return 0, or -1 if nothing more is read: log_reader_error says why. */
int log_reader_push(log_reader *r, const char *bytes, size_t length);
/** Bytes are missing here, or cannot be decompressed: what was begun is no line. `is_end`: the rest is missing. */
void log_reader_break(log_reader *r, const char *message, bool is_end);
/** There is no more. As log_reader_push. */
int log_reader_end(log_reader *r);
const char *log_reader_error(const log_reader *r);
/** NULL before there is one. */
const recording_header *log_reader_header(const log_reader *r);
const recording_counters *log_reader_counters(const log_reader *r);
/** Entries of the store whose times have been judged: nothing changes in them any more. */
size_t log_reader_settled(const log_reader *r);
/** Clashes that the file itself has. */
uint64_t log_reader_clashes(const log_reader *r);

#endif
