/* Record after record: see mcap_writer.h. Where something is in the file is known by counting what has been written. */
#include "mcap_writer.h"

#include "cli/array.h"
#include "mcap_bytes.h"
#include "mcap_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Of records in a chunk: what a reader has to decompress for one message. */
#define CHUNK_BYTES (1u << 20)
#define LEVEL 3

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

static void fail(mcap_writer *w, int error)
{
    if (w->error == 0)
        w->error = error ? error : EIO;
}

static void emit_bytes(mcap_writer *w, const void *bytes, size_t length)
{
    if (w->error != 0 || length == 0)
        return;
    errno = 0;
    if (fwrite(bytes, 1, length, w->out) != length || ferror(w->out))
        fail(w, errno);
    w->crc = mcap_crc32(w->crc, bytes, length);
    w->offset += length;
}

/* The piece that has been put together. */
static void emit(mcap_writer *w)
{
    if (w->piece.is_spoilt)
        fail(w, ENOMEM);
    else
        emit_bytes(w, w->piece.data, w->piece.length);
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
        fail(w, ENOMEM);
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
static void put_schemas(mcap_writer *w)
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

static void put_channels(mcap_writer *w)
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
    put_schemas(w);
    put_channels(w);
    emit(w);
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
        emit(w);
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
        fail(w, ENOMEM);
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
    emit(w);
    emit_bytes(w, w->packed.data, w->packed.length);
    c->length = w->offset - c->offset;
    write_indexes(w, c);
    w->records.length = 0;
}

static void end_chunk(mcap_writer *w)
{
    if (w->records.is_spoilt)
        fail(w, ENOMEM);
    if (w->error != 0 || w->records.length == 0)
        return;
    if (array_grow(&w->chunks, w->chunk_count, &w->chunk_capacity, sizeof *w->chunks))
        write_chunk(w, &w->chunks[w->chunk_count++]);
    else
        fail(w, ENOMEM);
}

static void add_entry(mcap_writer *w, channel *ch, uint64_t time_ns)
{
    if (!array_grow(&ch->entries, ch->entry_count, &ch->entry_capacity, sizeof *ch->entries)) {
        fail(w, ENOMEM);
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
        put_schemas(w);
    if (opcode == MCAP_CHANNEL)
        put_channels(w);
    if (opcode == MCAP_STATISTICS)
        put_statistics(w);
    for (size_t i = 0; opcode == MCAP_CHUNK_INDEX && i < w->chunk_count; i++)
        put_chunk_index(w, &w->chunks[i]);
}

/* What is in it, and where: the checksum is of all from its beginning to the footer's second number. */
static void write_summary(mcap_writer *w)
{
    static const mcap_opcode groups[] = {MCAP_SCHEMA, MCAP_CHANNEL, MCAP_STATISTICS, MCAP_CHUNK_INDEX};
    const uint64_t start = w->offset;
    mcap_bytes offsets = {0};
    uint64_t offsets_start;

    w->crc = 0;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const uint64_t from = w->offset;

        put_group(w, groups[i]);
        emit(w);
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
        fail(w, ENOMEM);
    emit_bytes(w, offsets.data, offsets.length);
    mcap_bytes_finish(&offsets);
    mcap_put_number(&w->piece, MCAP_FOOTER, 1);
    mcap_put_number(&w->piece, 8 + 8 + 4, 8);
    mcap_put_number(&w->piece, start, 8);
    mcap_put_number(&w->piece, offsets_start, 8);
    emit(w);
    mcap_put_number(&w->piece, w->crc, 4);
    mcap_put(&w->piece, MCAP_MAGIC, MCAP_MAGIC_BYTES);
    emit(w);
}

int mcap_finish(mcap_writer *w)
{
    if (!w->is_begun)
        begin(w);
    end_chunk(w);
    mcap_put_number(&w->piece, MCAP_DATA_END, 1);
    mcap_put_number(&w->piece, 4, 8);
    mcap_put_number(&w->piece, w->crc, 4);
    emit(w);
    write_summary(w);
    errno = 0;
    if (fflush(w->out) != 0)
        fail(w, errno);
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
