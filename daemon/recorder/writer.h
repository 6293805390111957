/* The thread that writes a recording. Lines are handed over in memory and written, put on the disk once a second, and
 * begun anew in another file where that is asked for, on that thread: whoever adds lines never waits for a disk. What
 * cannot be written is kept, up to a bound, and tried again. Knows nothing of what the lines say.
 *
 * All functions on one thread, that of the owner; `status_changed` and `removed` are called on the writer's. */
#ifndef CLASHD_RECORDER_WRITER_H
#define CLASHD_RECORDER_WRITER_H

#include "directory.h"
#include "record_file.h"

/** How long the end waits for a disk that does not move. */
#define RECORD_TIMEOUT_MS 300

typedef struct record_writer record_writer;

typedef struct record_writer_settings {
    const char
        *directory; /* where files of other names go too: those are kept to `keep`; NULL: there is one file only */
    uint32_t keep;
    bool overwrites;       /* the one file, if there is one already */
    uint64_t rotate_bytes; /* asks for another file at that size; 0: never */
    size_t buffer_bytes;   /* kept in memory while the file cannot be written, all in all */
    uint32_t flush_ms;     /* the longest a line waits */
    uint32_t retry_ms;     /* after an error */
    uint32_t check_ms;     /* between syncs, and between looks whether the file is still there */
    void *context;
    void (*status_changed)(void *context);
    record_directory_removed removed; /* by `keep`, or not */
} record_writer_settings;

typedef struct record_writer_status {
    bool is_open, is_failing;
    bool is_stuck;  /* at the end: the disk does not answer */
    int error;      /* errno of the last write that failed, where is_failing */
    uint64_t lines; /* in the files, for all that is known */
    uint64_t bytes; /* of lines that went into files, uncompressed; files since deleted too */
    uint64_t
        waiting; /* bytes that wait to be written, about: no more than buffer_bytes and a line, but for those that must
                           be there */
    uint64_t errors;    /* writes, opens and syncs that failed */
    uint64_t files;     /* opened */
    uint64_t removed;   /* by `keep` */
    uint64_t asked;     /* how often another file has been asked for: it is large enough, or has been moved away */
    uint64_t gone;      /* how often the file was found deleted: what has been added since is dropped.. */
    uint64_t gone_line; /* .. but for so many lines, up to the next record_writer_begin.. */
    int64_t gone_ns;    /* .. and what was added before then is safe: CLOCK_MONOTONIC */
} record_writer_status;

/** The settings' strings are copied. NULL if a thread cannot be had. */
record_writer *record_writer_create(const record_writer_settings *settings);
/** From here on lines go to that file, newly made; the one before is closed. Its path has no character below ' '. Takes
 *  its place among the lines. */
void record_writer_begin(record_writer *w, const char *path);
/** From here on lines go nowhere. */
void record_writer_end(record_writer *w);
/** A line, newline included. False if no more may wait. A line that `must` be there has some room of its own. */
bool record_writer_add(record_writer *w, const char *line, size_t length, bool must);
/** Whether half the room is free again. */
bool record_writer_has_room(record_writer *w);
/** Looks at once whether the file is still where it was. */
void record_writer_check(record_writer *w);
void record_writer_get_status(record_writer *w, record_writer_status *out_status);
/** Writes what is left, as far as that can be done, and frees all. Waits as long as the disk takes some of it now and then,
 *  and no more than RECORD_TIMEOUT_MS for one that does not; what that one has is left to it, and its memory is lost.
 *  *out_status as it is then. Accepts NULL. */
void record_writer_close(record_writer *w, record_writer_status *out_status);

#endif
