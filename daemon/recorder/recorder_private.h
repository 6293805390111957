/* Shared by the recorder's halves: recorder.c (what is written) and control.c (into which file, and what becomes
 * of it). Included by nobody else. */
#ifndef CLASHD_RECORDER_RECORDER_PRIVATE_H
#define CLASHD_RECORDER_RECORDER_PRIVATE_H

#include "cli/failure.h"
#include "recorder.h"
#include "writer.h"

struct recorder {
    recorder_settings settings;
    char *directory;            /* NULL: one file */
    char path[RECORD_PATH_MAX]; /* of the file that is written, or was last; "": none */
    char next[RECORD_PATH_MAX]; /* of the one that is begun next, where its name has been told; "": by then */
    unsigned part;              /* files named */
    record_writer *writer;
    uint64_t file_bytes; /* of lines handed over for that file */
    record_writer_status seen;
    uv_async_t status_changed;
    bool is_on;
    bool has_file;           /* lines go to one; never if it is not on */
    bool wants_file;         /* another begins with the next poses; never if it is not on */
    bool is_in_frames;       /* the last frame promised more of its step.. */
    bool is_in_step;         /* .. and so did the last poses line */
    bool has_seen;           /* poses or events: the next file begins within the session */
    uint64_t seq;            /* of the last event */
    uint64_t open_contacts;  /* after it */
    uint64_t accepted;       /* lines handed to the writer.. */
    uint64_t dropped;        /* .. of which so many went with their file */
    uint64_t lost;           /* lines, all in all */
    uint64_t missing;        /* of which the file has not been told yet.. */
    int64_t missing_from_ns; /* .. and none is from before; since the epoch */
    uint64_t gaps;
    uint64_t refused_samples;
    bool has_time;
    int64_t last_ns;     /* of the frames and events, since the epoch.. */
    uint64_t last_at_ms; /* .. and when that came, by the loop's clock */
    char line[PROTOCOL_LINE_MAX];
};

/** What time it is in the recording, ns since the epoch. */
int64_t recorder_now_ns(const recorder *r);
/** To the writer, as record_writer_add has it, and counted. */
bool recorder_hand_over(recorder *r, const char *line, size_t length, bool must);
/** So many lines will not be in the file. */
void recorder_miss(recorder *r, uint64_t lines, int64_t from_ns);
/** `length` bytes of r->line, newline included, of that time since the epoch; 0: it did not fit and is missing. */
void recorder_add(recorder *r, size_t length, int64_t time_ns, bool must);
/** A line for what is missing, if anything is. */
void recorder_notify_gap(recorder *r, int64_t time_ns);
/** Into r->line; returns its length, 0 if it does not fit. *out_session as it is now, and how many of its blades are in. */
size_t recorder_encode_header(recorder *r, protocol_session *out_session, size_t *out_blades);
/** Lines for the targets, and for the blades from that one on, which the header does not have. */
void recorder_add_defined(recorder *r, const protocol_session *session, size_t blade);

/** Where the first file can be, for all that is known now. 0, or -1 with out_failure. */
int recorder_open_writer(recorder *r, failure *out_failure);
/** Whether it fails, or no longer does. */
void recorder_log_change(recorder *r, const record_writer_status *now);
/** What the files lack that were written last; whether they lack nothing. */
bool recorder_log_end(recorder *r, const record_writer_status *last);
/** From here on lines go to another file of the directory, or to the one file made anew. Between steps only. */
void recorder_begin_file(recorder *r);
/** What the writer has to say. */
void recorder_on_status(uv_async_t *handle);

#endif
