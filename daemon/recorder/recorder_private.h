/* What the recorder's two parts share: recorder.c (what is written) and control.c (into which file, and what becomes of
 * it). Nobody else includes it. */
#ifndef CLASHD_RECORDER_RECORDER_PRIVATE_H
#define CLASHD_RECORDER_RECORDER_PRIVATE_H

#include "cli/failure.h"
#include "recorder.h"
#include "writer.h"

struct recorder {
    recorder_settings settings;
    char *directory;            /* NULL: a single file */
    char path[RECORD_PATH_MAX]; /* of the present or last file; "": none */
    char next[RECORD_PATH_MAX]; /* of the next file, once its name was told; else "" */
    unsigned part;              /* files named so far */
    record_writer *writer;
    uint64_t file_bytes; /* of lines handed over for the present file */
    record_writer_status seen;
    uv_async_t status_changed;
    bool is_on;
    bool has_file;           /* lines go to one; only while on */
    bool wants_file;         /* another begins with the next poses; only while on */
    bool is_in_frames;       /* the last frame promised more of its step */
    bool is_in_step;         /* the last poses line did, too */
    bool has_seen;           /* poses or events came: the next file begins within the session */
    uint64_t seq;            /* of the last event */
    uint64_t open_contacts;  /* after it */
    uint64_t accepted;       /* lines handed to the writer, */
    uint64_t dropped;        /* of which so many were lost with their file */
    uint64_t lost;           /* lines, in all */
    uint64_t missing;        /* of which so many are not noted in the file yet, */
    int64_t missing_from_ns; /* none from before this time; since the epoch */
    uint64_t gaps;
    uint64_t refused_samples;
    bool has_time;
    int64_t last_ns;     /* of the last frame or event, since the epoch, */
    uint64_t last_at_ms; /* and when it came, by the loop's clock */
    char line[PROTOCOL_LINE_MAX];
};

/** Return the time in the recording, ns since the epoch. */
int64_t recorder_now_ns(const recorder *r);
/** Hand a line to the writer, as record_writer_add, and count it. */
bool recorder_hand_over(recorder *r, const char *line, size_t length, bool must);
/** Note that so many lines will not be in the file. */
void recorder_miss(recorder *r, uint64_t lines, int64_t from_ns);
/** Add `length` bytes of r->line, newline included, of that time since the epoch; 0: it did not fit and is missing. */
void recorder_add(recorder *r, size_t length, int64_t time_ns, bool must);
/** Add a line about missing lines, if there are any. */
void recorder_notify_gap(recorder *r, int64_t time_ns);
/** Write the header into r->line; return its length, 0 if it does not fit. Also returns the session as it is now and
 *  how many of its blades are in. */
size_t recorder_encode_header(recorder *r, protocol_session *out_session, size_t *out_blades);
/** Add lines for the targets, and for the blades from that one on, which the header does not have. */
void recorder_add_defined(recorder *r, const protocol_session *session, size_t blade);

/** Check that the first file can be created, as far as can be told now. Return 0, or -1 with out_failure. */
int recorder_open_writer(recorder *r, failure *out_failure);
/** Log that writing fails, or works again. */
void recorder_log_change(recorder *r, const record_writer_status *now);
/** Log what the last files lack. Return whether they lack nothing. */
bool recorder_log_end(recorder *r, const record_writer_status *last);
/** From here on lines go to another file of the directory, or to the single file created anew. Call between steps
 *  only. */
void recorder_begin_file(recorder *r);
/** Handle the writer's news. */
void recorder_on_status(uv_async_t *handle);

#endif
