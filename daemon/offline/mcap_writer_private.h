/* Shared by mcap_writer.c (records and chunks) and mcap_summary.c (the end). */
#ifndef CLASHD_OFFLINE_MCAP_WRITER_PRIVATE_H
#define CLASHD_OFFLINE_MCAP_WRITER_PRIVATE_H

#include "mcap_bytes.h"
#include "mcap_writer.h"

#include <zstd.h>

typedef struct index_entry {
    uint64_t time_ns, offset;
} index_entry;

typedef struct channel {
    const char *topic;
    uint16_t schema;
    uint32_t sequence;
    uint64_t count;
    index_entry *entries; /* of the chunk */
    size_t entry_count, entry_capacity;
    bool is_sorted;
} channel;

typedef struct chunk {
    uint64_t start_ns, end_ns, offset, length, index_offsets[MCAP_CHANNELS_MAX], index_length, packed, unpacked;
} chunk;

struct mcap_writer {
    FILE *out;
    int error;
    uint64_t offset;
    uint32_t crc; /* of all that is written */
    bool is_begun;
    const char *library;
    size_t schema_count, channel_count;
    struct {
        const char *name, *text;
    } schemas[MCAP_SCHEMAS_MAX];
    channel channels[MCAP_CHANNELS_MAX];
    mcap_bytes records; /* of the chunk that grows */
    uint64_t first_ns, last_ns;
    mcap_bytes piece, packed;
    ZSTD_CCtx *compressor;
    chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint64_t message_count, start_ns, end_ns;
};

/** Note the first error; the file is of no use from then on. */
void mcap_fail(mcap_writer *w, int error);
void mcap_emit_bytes(mcap_writer *w, const void *bytes, size_t length);
/** Write out the part that has been put together, and begin another one. */
void mcap_emit(mcap_writer *w);
/** Add them to the part. */
void mcap_put_schemas(mcap_writer *w);
void mcap_put_channels(mcap_writer *w);
void mcap_write_summary(mcap_writer *w);

#endif
