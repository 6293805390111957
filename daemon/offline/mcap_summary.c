/* The end of an MCAP file: its summary, and where that is. See mcap_writer_private.h. */
#include "mcap_format.h"
#include "mcap_writer_private.h"

#include <errno.h>

static void put_statistics(mcap_writer *w)
{
    const size_t record = mcap_begin_record(&w->piece, MCAP_STATISTICS);
    size_t map;

    mcap_put_number(&w->piece, w->message_count, 8);
    mcap_put_number(&w->piece, w->schema_count, 2);
    mcap_put_number(&w->piece, w->channel_count, 4);
    mcap_put_number(&w->piece, 0, 4); /* attachments */
    mcap_put_number(&w->piece, 0, 4); /* metadata */
    mcap_put_number(&w->piece, w->chunk_count, 4);
    mcap_put_number(&w->piece, w->start_ns, 8);
    mcap_put_number(&w->piece, w->end_ns, 8);
    map = mcap_begin_array(&w->piece);
    for (size_t i = 0; i < w->channel_count; i++) {
        if (w->channels[i].count == 0)
            continue;
        mcap_put_number(&w->piece, i + 1, 2);
        mcap_put_number(&w->piece, w->channels[i].count, 8);
    }
    mcap_end_array(&w->piece, map);
    mcap_end_record(&w->piece, record);
}

static void put_chunk_index(mcap_writer *w, const chunk *c)
{
    const size_t record = mcap_begin_record(&w->piece, MCAP_CHUNK_INDEX);
    size_t map;

    mcap_put_number(&w->piece, c->start_ns, 8);
    mcap_put_number(&w->piece, c->end_ns, 8);
    mcap_put_number(&w->piece, c->offset, 8);
    mcap_put_number(&w->piece, c->length, 8);
    map = mcap_begin_array(&w->piece);
    for (size_t i = 0; i < w->channel_count; i++) {
        if (c->index_offsets[i] == 0)
            continue;
        mcap_put_number(&w->piece, i + 1, 2);
        mcap_put_number(&w->piece, c->index_offsets[i], 8);
    }
    mcap_end_array(&w->piece, map);
    mcap_put_number(&w->piece, c->index_length, 8);
    mcap_put_text(&w->piece, "zstd");
    mcap_put_number(&w->piece, c->packed, 8);
    mcap_put_number(&w->piece, c->unpacked, 8);
    mcap_end_record(&w->piece, record);
}

static void put_group(mcap_writer *w, mcap_opcode opcode)
{
    if (opcode == MCAP_SCHEMA)
        mcap_put_schemas(w);
    if (opcode == MCAP_CHANNEL)
        mcap_put_channels(w);
    if (opcode == MCAP_STATISTICS)
        put_statistics(w);
    for (size_t i = 0; opcode == MCAP_CHUNK_INDEX && i < w->chunk_count; i++)
        put_chunk_index(w, &w->chunks[i]);
}

/* Write the summary and the footer; the checksum covers everything from the summary's beginning to the footer's second
 * number. */
void mcap_write_summary(mcap_writer *w)
{
    static const mcap_opcode groups[] = {MCAP_SCHEMA, MCAP_CHANNEL, MCAP_STATISTICS, MCAP_CHUNK_INDEX};
    const uint64_t start = w->offset;
    mcap_bytes offsets = {0};
    uint64_t offsets_start;

    w->crc = 0;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const uint64_t from = w->offset;

        put_group(w, groups[i]);
        mcap_emit(w);
        if (w->offset == from)
            continue;
        mcap_put_number(&offsets, MCAP_SUMMARY_OFFSET, 1);
        mcap_put_number(&offsets, 1 + 8 + 8, 8);
        mcap_put_number(&offsets, groups[i], 1);
        mcap_put_number(&offsets, from, 8);
        mcap_put_number(&offsets, w->offset - from, 8);
    }
    offsets_start = w->offset;
    if (offsets.is_spoilt)
        mcap_fail(w, ENOMEM);
    mcap_emit_bytes(w, offsets.data, offsets.length);
    mcap_bytes_finish(&offsets);
    mcap_put_number(&w->piece, MCAP_FOOTER, 1);
    mcap_put_number(&w->piece, 8 + 8 + 4, 8);
    mcap_put_number(&w->piece, start, 8);
    mcap_put_number(&w->piece, offsets_start, 8);
    mcap_emit(w);
    mcap_put_number(&w->piece, w->crc, 4);
    mcap_put(&w->piece, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    mcap_emit(w);
}
