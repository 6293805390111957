/* Sink: a recording (RECORDING.md): header, `poses` and events in the order in which they came; in one file, or in
 * dated files of a directory, one after the other. A file is created when there is a pose to write: an empty one would
 * only push others out. A thread of its own writes (writer.h), so that a slow disk holds nobody up; what could not be
 * written is noted in the file. Knows nothing of sockets. All on the loop's thread. */
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
    const char *path;                          /* the one file, or NULL, */
    const char *directory;                     /* and the directory for dated files, created if missing; both copied */
    bool overwrites;                           /* the one file may exist and is replaced, if it is a regular one */
    bool compress;                             /* in a directory; a single file is compressed if its name ends in
                                                  .zst */
    uint64_t rotate_bytes;                     /* in a directory: begin another file at that size; 0: never */
    uint32_t keep;                             /* in a directory: keep at most so many files */
    const protocol_contact_settings *settings; /* must outlive it */
    int64_t epoch_ns;                          /* times are written relative to this */
    device_names names;
    logger log;
    size_t buffer_bytes; /* kept in memory while the file cannot be written; 0: default */
    uint32_t retry_ms;   /* after an error; 0: default */
    uint32_t check_ms;   /* between syncs, and between checks whether the file still exists; 0: default */
    void *context;       /* of the functions below */
    /** Fill in what a header says, with the blades defined now. Strings and arrays are the callee's, valid until its
     *  next call. */
    void (*session)(void *context, protocol_session *out_session);
    /** Called when what is written changes. May be NULL. */
    void (*changed)(void *context, const protocol_recorder *now);
} recorder_settings;

/** Start to wait for poses. Return NULL with out_failure naming file and reason, if it is already clear that no file (0600)
 *  can be created. Ignores SIGXFSZ if it still has its default, so that a limit on file sizes is an error like any
 *  other. */
recorder *recorder_open(const recorder_settings *settings, failure *out_failure);
/** Return it as a sink, valid until it is closed. */
event_sink recorder_port(recorder *r);
void recorder_list_counters(recorder *r, counter_list *out);
/** Return the file that is being written or will be with the next poses; otherwise the last one, or "". Valid until the
 *  next call. */
const char *recorder_file(const recorder *r);

/** Each returns 0, or -1 with the reason in out_failure. The thread does the work on files later. */
int recorder_start(recorder *r, failure *out_failure);
int recorder_stop(recorder *r, failure *out_failure);
int recorder_rotate(recorder *r, failure *out_failure);
int recorder_mark(recorder *r, const char *text, failure *out_failure);
/** The equipment changed: the session now says another one than the file. */
void recorder_notify_equipment(recorder *r);
/** Files may have been moved away: begin another one, in a directory always. */
void recorder_reopen(recorder *r);

/** Write what is left, close the file, which is then complete, and wait for that like record_writer_close. Return false
 *  if lines at its end are lost, which is logged. Its memory is free once the loop has run. Accepts NULL. */
bool recorder_close(recorder *r);

#endif
