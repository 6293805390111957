/* Record after record: see mcap_writer.h. Where something is in the file is known by counting what has been written. */
#include "mcap_writer_private.h"

#include "cli/array.h"
#include "mcap_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Of records in a chunk: what a reader has to decompress for one message. */
#define CHUNK_BYTES (1u << 20)
#define LEVEL 3

void mcap_fail(mcap_writer *w, int error)
{
    if (w->error == 0)
        w->error = error ? error : EIO;
}

void mcap_emit_bytes(mcap_writer *w, const void *bytes, size_t length)
{
    if (w->error != 0 || length == 0)
        return;
    errno = 0;
    if (fwrite(bytes, 1, length, w->out) != length || ferror(w->out))
        mcap_fail(w, errno);
    w->crc = mcap_crc32(w->crc, bytes, length);
    w->offset += length;
}

/* Write out the part that has been put together. */
void mcap_emit(mcap_writer *w)
{
    if (w->piece.is_spoilt)
        mcap_fail(w, ENOMEM);
    else
        mcap_emit_bytes(w, w->piece.data, w->piece.length);
    w->piece.length = 0;
}

mcap_writer *mcap_create(FILE *out, const char *library)
{
    mcap_writer *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->out = out;
    w->library = library;
    w->compressor = ZSTD_createCCtx();
    if (!w->compressor)
        mcap_fail(w, ENOMEM);
    else
        ZSTD_CCtx_setParameter(w->compressor, ZSTD_c_compressionLevel, LEVEL);
    return w;
}

uint16_t mcap_add_schema(mcap_writer *w, const char *name, const char *json_schema)
{
    w->schemas[w->schema_count].name = name;
    w->schemas[w->schema_count].text = json_schema;
    return (uint16_t)++w->schema_count;
}

uint16_t mcap_add_channel(mcap_writer *w, const char *topic, uint16_t schema)
{
    w->channels[w->channel_count] = (channel){.topic = topic, .schema = schema, .is_sorted = true};
    return (uint16_t)++w->channel_count;
}

/* They stand before the first chunk, and again in the summary. */
void mcap_put_schemas(mcap_writer *w)
{
    for (size_t i = 0; i < w->schema_count; i++) {
        const size_t record = mcap_begin_record(&w->piece, MCAP_SCHEMA);

        mcap_put_number(&w->piece, i + 1, 2);
        mcap_put_text(&w->piece, w->schemas[i].name);
        mcap_put_text(&w->piece, "jsonschema");
        mcap_put_text(&w->piece, w->schemas[i].text);
        mcap_end_record(&w->piece, record);
    }
}

void mcap_put_channels(mcap_writer *w)
{
    for (size_t i = 0; i < w->channel_count; i++) {
        const size_t record = mcap_begin_record(&w->piece, MCAP_CHANNEL);

        mcap_put_number(&w->piece, i + 1, 2);
        mcap_put_number(&w->piece, w->channels[i].schema, 2);
        mcap_put_text(&w->piece, w->channels[i].topic);
        mcap_put_text(&w->piece, "json");
        mcap_put_number(&w->piece, 0, 4); /* metadata: none */
        mcap_end_record(&w->piece, record);
    }
}

static void begin(mcap_writer *w)
{
    size_t record;

    w->is_begun = true;
    mcap_put(&w->piece, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    record = mcap_begin_record(&w->piece, MCAP_HEADER);
    mcap_put_text(&w->piece, ""); /* of no profile */
    mcap_put_text(&w->piece, w->library);
    mcap_end_record(&w->piece, record);
    mcap_put_schemas(w);
    mcap_put_channels(w);
    mcap_emit(w);
}

/* ---- chunks ---- */

static int compare_entries(const void *a, const void *b)
{
    const index_entry *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void write_indexes(mcap_writer *w, chunk *c)
{
    const uint64_t from = w->offset;

    for (size_t i = 0; i < w->channel_count; i++) {
        channel *ch = &w->channels[i];
        size_t record, array;

        if (ch->entry_count == 0)
            continue;
        if (!ch->is_sorted)
            qsort(ch->entries, ch->entry_count, sizeof *ch->entries, compare_entries);
        c->index_offsets[i] = w->offset;
        record = mcap_begin_record(&w->piece, MCAP_MESSAGE_INDEX);
        mcap_put_number(&w->piece, i + 1, 2);
        array = mcap_begin_array(&w->piece);
        for (size_t n = 0; n < ch->entry_count; n++) {
            mcap_put_number(&w->piece, ch->entries[n].time_ns, 8);
            mcap_put_number(&w->piece, ch->entries[n].offset, 8);
        }
        mcap_end_array(&w->piece, array);
        mcap_end_record(&w->piece, record);
        mcap_emit(w);
        ch->entry_count = 0;
        ch->is_sorted = true;
    }
    c->index_length = w->offset - from;
}

/* Into `packed`. */
static void compress(mcap_writer *w)
{
    const size_t bound = ZSTD_compressBound(w->records.length);
    size_t size;

    if (w->packed.capacity < bound) {
        mcap_bytes_finish(&w->packed);
        w->packed.data = malloc(bound);
        w->packed.capacity = w->packed.data ? bound : 0;
    }
    size = ZSTD_compress2(w->compressor, w->packed.data, w->packed.capacity, w->records.data, w->records.length);
    if (ZSTD_isError(size))
        mcap_fail(w, ENOMEM);
    else
        w->packed.length = size;
}

static void write_chunk(mcap_writer *w, chunk *c)
{
    compress(w);
    *c = (chunk){w->first_ns, w->last_ns, w->offset, 0, {0}, 0, w->packed.length, w->records.length};
    mcap_put_number(&w->piece, MCAP_CHUNK, 1);
    mcap_put_number(&w->piece, 8 + 8 + 8 + 4 + 4 + 4 + 8 + c->packed, 8);
    mcap_put_number(&w->piece, c->start_ns, 8);
    mcap_put_number(&w->piece, c->end_ns, 8);
    mcap_put_number(&w->piece, c->unpacked, 8);
    mcap_put_number(&w->piece, mcap_crc32(0, w->records.data, w->records.length), 4);
    mcap_put_text(&w->piece, "zstd");
    mcap_put_number(&w->piece, c->packed, 8);
    mcap_emit(w);
    mcap_emit_bytes(w, w->packed.data, w->packed.length);
    c->length = w->offset - c->offset;
    write_indexes(w, c);
    w->records.length = 0;
}

static void end_chunk(mcap_writer *w)
{
    if (w->records.is_spoilt)
        mcap_fail(w, ENOMEM);
    if (w->error != 0 || w->records.length == 0)
        return;
    if (array_grow(&w->chunks, w->chunk_count, &w->chunk_capacity, sizeof *w->chunks))
        write_chunk(w, &w->chunks[w->chunk_count++]);
    else
        mcap_fail(w, ENOMEM);
}

static void add_entry(mcap_writer *w, channel *ch, uint64_t time_ns)
{
    if (!array_grow(&ch->entries, ch->entry_count, &ch->entry_capacity, sizeof *ch->entries)) {
        mcap_fail(w, ENOMEM);
        return;
    }
    if (ch->entry_count > 0 && time_ns < ch->entries[ch->entry_count - 1].time_ns)
        ch->is_sorted = false;
    ch->entries[ch->entry_count++] = (index_entry){time_ns, w->records.length};
}

static void widen(uint64_t *first, uint64_t *last, uint64_t time_ns, bool is_first)
{
    if (is_first || time_ns < *first)
        *first = time_ns;
    if (is_first || time_ns > *last)
        *last = time_ns;
}

void mcap_write(mcap_writer *w, uint16_t channel_id, uint64_t time_ns, const char *data, size_t length)
{
    channel *ch = &w->channels[channel_id - 1];
    size_t record;

    if (!w->is_begun)
        begin(w);
    if (w->error != 0)
        return;
    widen(&w->first_ns, &w->last_ns, time_ns, w->records.length == 0);
    widen(&w->start_ns, &w->end_ns, time_ns, w->message_count++ == 0);
    add_entry(w, ch, time_ns);
    ch->count++;
    record = mcap_begin_record(&w->records, MCAP_MESSAGE);
    mcap_put_number(&w->records, channel_id, 2);
    mcap_put_number(&w->records, ch->sequence++, 4);
    mcap_put_number(&w->records, time_ns, 8); /* logged */
    mcap_put_number(&w->records, time_ns, 8); /* published */
    mcap_put(&w->records, data, length);
    mcap_end_record(&w->records, record);
    if (w->records.is_spoilt || w->records.length >= CHUNK_BYTES)
        end_chunk(w);
}

/* ---- the end ---- */

int mcap_finish(mcap_writer *w)
{
    if (!w->is_begun)
        begin(w);
    end_chunk(w);
    mcap_put_number(&w->piece, MCAP_DATA_END, 1);
    mcap_put_number(&w->piece, 4, 8);
    mcap_put_number(&w->piece, w->crc, 4);
    mcap_emit(w);
    mcap_write_summary(w);
    errno = 0;
    if (fflush(w->out) != 0)
        mcap_fail(w, errno);
    return w->error;
}

int mcap_get_error(const mcap_writer *w)
{
    return w->error;
}

void mcap_destroy(mcap_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->channel_count; i++)
        free(w->channels[i].entries);
    mcap_bytes_finish(&w->records);
    mcap_bytes_finish(&w->piece);
    mcap_bytes_finish(&w->packed);
    ZSTD_freeCCtx(w->compressor);
    free(w->chunks);
    free(w);
}
