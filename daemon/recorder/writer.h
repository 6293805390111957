/* The thread that writes a recording. It gets lines in memory and writes them, puts them on the disk once a second, and
 * starts another file when asked to: whoever adds lines never waits for a disk. What cannot be written is kept, up to a
 * limit, and tried again. Knows nothing of what the lines mean.
 *
 * Call all functions from the owner's thread; `status_changed` and `removed` are called on the writer's. */
#ifndef CLASHD_RECORDER_WRITER_H
#define CLASHD_RECORDER_WRITER_H

#include "directory.h"
#include "record_file.h"

/** How long the end waits for a disk that hangs. */
#define RECORD_TIMEOUT_MS 2000

typedef struct record_writer record_writer;

typedef struct record_writer_settings {
    const char
        *directory; /* files of other names go there too; its recordings are limited to `keep`; NULL: there is one file
                       only */
    uint32_t keep;
    bool overwrites;       /* the one file, if it exists */
    uint64_t rotate_bytes; /* ask for another file at that size; 0: never */
    size_t buffer_bytes;   /* kept in memory while the file cannot be written, in all */
    uint32_t flush_ms;     /* the longest a line waits */
    uint32_t retry_ms;     /* after an error */
    uint32_t check_ms;     /* between syncs, and between checks whether the file still exists */
    void *context;
    void (*status_changed)(void *context);
    record_directory_removed removed; /* reports what `keep` removed, or could not */
} record_writer_settings;

typedef struct record_writer_status {
    bool is_open, is_failing;
    bool is_stuck;  /* at the end: the disk does not answer */
    int error;      /* errno of the last failed write, while is_failing */
    uint64_t lines; /* in the files, as far as known */
    uint64_t bytes; /* of lines written to files, uncompressed; counts deleted files too */
    uint64_t
        waiting; /* bytes that wait to be written, roughly: at most buffer_bytes and a line, apart from lines that must
                    get in */
    uint64_t errors;    /* failed writes, opens and syncs */
    uint64_t files;     /* opened */
    uint64_t removed;   /* by `keep` */
    uint64_t asked;     /* how often another file was asked for: it is large enough, or was moved away */
    uint64_t gone;      /* how often the file was found deleted: what was added since is dropped, */
    uint64_t gone_line; /* except so many lines, up to the next record_writer_begin; */
    int64_t gone_ns;    /* what was added before this time is safe: CLOCK_MONOTONIC */
} record_writer_status;

/** Create a writer; the settings' strings are copied. Return NULL if no thread can be had. */
record_writer *record_writer_create(const record_writer_settings *settings);
/** From here on lines go to that file, newly created; the last one is closed. Its path has no character below ' '.
 *  Takes its place in the order of lines. */
void record_writer_begin(record_writer *w, const char *path);
/** From here on lines go nowhere. */
void record_writer_end(record_writer *w);
/** Add a line, newline included. Return false if no more may wait. A line that `must` get in has some room of its
 *  own. */
bool record_writer_add(record_writer *w, const char *line, size_t length, bool must);
/** Return whether half of the room is free again. */
bool record_writer_has_room(record_writer *w);
/** Check at once whether the file still exists. */
void record_writer_check(record_writer *w);
void record_writer_get_status(record_writer *w, record_writer_status *out_status);
/** Write what is left, as far as possible, and free everything. Waits while the disk makes progress, and at most
 *  RECORD_TIMEOUT_MS for one that does not; then the thread keeps what it has, and its memory is lost. *out_status is
 *  as it is then. Accepts NULL. */
void record_writer_close(record_writer *w, record_writer_status *out_status);

#endif
