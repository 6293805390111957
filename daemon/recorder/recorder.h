/* Sink: a recording (RECORDING.md): header, `poses` as they came, events as they were found, in order; into one file, or into
 * dated files of a directory, one after the other. A file is made when there is a pose to put into it: an empty one would
 * only push others out. A thread of its own writes (writer.h), so that no disk holds anybody up; what could not be
 * written is said in the file. Knows nothing of sockets. All on the loop's thread. */
#ifndef CLASHD_RECORDER_RECORDER_H
#define CLASHD_RECORDER_RECORDER_H

#include "cli/failure.h"
#include "ports/counter.h"
#include "ports/event_sink.h"
#include "ports/log.h"
#include "protocol/messages/codec.h"

#include <uv.h>

typedef struct recorder recorder;

typedef struct recorder_settings {
    uv_loop_t *loop;
    const char *path;                          /* the one file, or NULL and.. */
    const char *directory;                     /* ..where dated files go; made if it is missing. Both copied */
    bool overwrites;                           /* the one file may be there already, and is replaced: a regular one */
    bool compress;                             /* in a directory; one file is compressed where its name ends in .zst */
    uint64_t rotate_bytes;                     /* in a directory: another file begins at that size; 0: never */
    uint32_t keep;                             /* in a directory: so many files at most */
    const protocol_contact_settings *settings; /* outlive it */
    int64_t epoch_ns;                          /* times are written relative to it */
    device_names names;
    logger log;
    size_t buffer_bytes; /* kept in memory while the file cannot be written; 0: default */
    uint32_t retry_ms;   /* after an error; 0: default */
    uint32_t check_ms;   /* between syncs, and looks whether the file is still there; 0: default */
    void *context;       /* of the functions below */
    /** What a header says, with the blades that there are now. Strings and arrays are the callee's, valid until its next
     *  call. */
    void (*session)(void *context, protocol_session *out_session);
    /** Something has changed in what is written. May be NULL. */
    void (*changed)(void *context, const protocol_recorder *now);
} recorder_settings;

/** Begins to wait for poses. NULL with out_failure naming file and reason, where it is clear by now that none can be made (0600).
 *  Makes SIGXFSZ ignored where it still has its default: a limit on file sizes is an error like any other. */
recorder *recorder_open(const recorder_settings *settings, failure *out_failure);
/** As a sink, valid until it is closed. */
event_sink recorder_port(recorder *r);
void recorder_list_counters(recorder *r, counter_list *out);
/** The file that is written, or will be with the next poses; else the last one, "" if there was none. Valid until the next
 *  call. */
const char *recorder_file(const recorder *r);

/** Each 0, or -1 with what stands against it in out_failure. What they do to files is done later, by the thread. */
int recorder_start(recorder *r, failure *out_failure);
int recorder_stop(recorder *r, failure *out_failure);
int recorder_rotate(recorder *r, failure *out_failure);
int recorder_mark(recorder *r, const char *text, failure *out_failure);
/** What poses come from is another than the file says: the session does now. */
void recorder_notify_equipment(recorder *r);
/** Where files have been moved away: another file is begun, in a directory in any case. */
void recorder_reopen(recorder *r);

/** Writes what is left, closes the file, which is complete then, and waits for that: as record_writer_close. False if
 *  lines of its end are lost, which the log has then. Its memory is free when the loop has run. Accepts NULL. */
bool recorder_close(recorder *r);

#endif
