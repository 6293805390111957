/* Sink: a recording (RECORDING.md): header, `poses` as they came, events as they were found, in order. Writes behind, on
 * libuv's thread pool, so that a slow disk holds nobody up. The file only ever grows by whole lines: what an error tore is
 * cut off, kept in memory and tried again. Knows nothing of sockets. All on the loop's thread. */
#ifndef CLASHD_SINKS_RECORDER_H
#define CLASHD_SINKS_RECORDER_H

#include "ports/event_sink.h"
#include "ports/log.h"
#include "protocol/codec.h"

#include <uv.h>

#define RECORDER_FLUSH_MS 200
#define RECORDER_RETRY_MS 1000
#define RECORDER_BUFFER_BYTES_DEFAULT (32u << 20)
#define RECORDER_COUNTERS_MAX 8

typedef struct recorder recorder;

typedef struct recorder_settings {
    uv_loop_t *loop;
    const char *path;                          /* copied; a regular file is overwritten, anything else refused */
    const protocol_session *session;           /* read during the call */
    const protocol_contact_settings *settings; /* likewise */
    int64_t epoch_ns;                          /* times are written relative to it */
    device_names names;
    logger log;
    size_t buffer_bytes; /* kept in memory while the file cannot be written; 0: default */
    uint32_t retry_ms;   /* after an error; 0: default */
} recorder_settings;

/** Creates the file (0600) and writes the header before it returns. NULL with out_error naming file and reason. Makes
 *  SIGXFSZ ignored where it still has its default: a limit on file sizes is an error like any other. */
recorder *recorder_open(const recorder_settings *settings, char *out_error, size_t error_size);
/** As a sink, valid until it is closed. */
event_sink recorder_port(recorder *r);
/** Writes at most `size` named counters (RECORDER_COUNTERS_MAX suffice); returns how many. */
size_t recorder_list_counters(const recorder *r, protocol_counter *out_counters, size_t size);
/** Writes what is left and closes the file, which is complete once the loop has run until it has nothing left to do. What
 *  could not be written is logged. The recorder itself is gone at once. Accepts NULL. */
void recorder_close(recorder *r);

#endif
