/* Writes MCAP (https://mcap.dev/spec), version 0, from start to end and never back, so that a pipe will do: chunks compressed with
 * Zstandard, with message indexes, a summary and all checksums. Knows bytes, topics and times, and nothing of what is in messages.
 * Channels are all there before the first message. */
#ifndef CLASHD_OFFLINE_MCAP_WRITER_H
#define CLASHD_OFFLINE_MCAP_WRITER_H

#include <stdint.h>
#include <stdio.h>

#define MCAP_CHANNELS_MAX 32
#define MCAP_SCHEMAS_MAX 32
/** No schema. */
#define MCAP_SCHEMALESS 0

typedef struct mcap_writer mcap_writer;

/** Write to `out`, which stays the caller's. `library` is who writes it. Return NULL when out of memory. */
mcap_writer *mcap_create(FILE *out, const char *library);
/** A JSON Schema of that name; both strings stay. Its id. */
uint16_t mcap_add_schema(mcap_writer *w, const char *name, const char *json_schema);
/** A topic of JSON messages; the string stays. Its id. */
uint16_t mcap_add_channel(mcap_writer *w, const char *topic, uint16_t schema);
/** A message, logged at that time, ns. Times may be in any order. */
void mcap_write(mcap_writer *w, uint16_t channel_id, uint64_t time_ns, const char *data, size_t length);
/** Return whether anything has gone wrong: there is no use in going on. */
int mcap_get_error(const mcap_writer *w);
/** Write what is left, and the summary. Return 0, or the errno of the first write that failed (ENOMEM if it was memory). */
int mcap_finish(mcap_writer *w);
void mcap_destroy(mcap_writer *w);

#endif
