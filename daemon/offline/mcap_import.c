/* Goes through the records from the first one on, with no use for the indexes: so a pipe will do, and a file that was torn gives what
 * is in it. See mcap_import.h. */
#include "mcap_import.h"

#include "line_file.h"
#include "mcap_bytes.h"
#include "mcap_format.h"
#include "protocol/messages/codec.h"
#include "protocol/recording/first_bytes.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* The most of a record, or of a chunk's content: no real file has more. */
#define RECORD_MAX (64u << 20)
#define PIECE_BYTES (64u << 10)

typedef struct import {
    FILE *in;
    const char *name;
    uint64_t offset;
    mcap_bytes record;
    unsigned char *unpacked;
    size_t unpacked_size;
    uint16_t channel; /* of the recording's lines */
    bool has_channel, is_over;
    line_file out;
    mcap_lines *report;
} import;

/* What is left of a record that is read. */
typedef struct reader {
    const unsigned char *at;
    size_t left;
    bool is_short; /* something was not there */
} reader;

static const unsigned char *take(reader *r, size_t length)
{
    const unsigned char *at = r->at;

    if (r->is_short || length > r->left) {
        r->is_short = true;
        return NULL;
    }
    r->at += length;
    r->left -= length;
    return at;
}

static uint64_t take_number(reader *r, size_t bytes)
{
    const unsigned char *at = take(r, bytes);
    uint64_t value = 0;

    for (size_t i = bytes; at && i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

static bool take_text(reader *r, const char *expected)
{
    const size_t length = (size_t)take_number(r, 4);
    const unsigned char *at = take(r, length);

    return at && length == strlen(expected) && memcmp(at, expected, length) == 0;
}

/* ---- records ---- */

static void take_channel(import *i, reader r)
{
    const uint16_t id = (uint16_t)take_number(&r, 2);

    take_number(&r, 2); /* its schema */
    if (!take_text(&r, MCAP_RECORDING_TOPIC) || r.is_short)
        return;
    i->channel = id;
    i->has_channel = true;
}

static bool is_header(const char *line, size_t length)
{
    cJSON *message = cJSON_ParseWithLength(line, length);
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(message, "type");
    const bool is_one = cJSON_IsString(type) && strcmp(type->valuestring, "recording") == 0;

    cJSON_Delete(message);
    return is_one;
}

static bool take_message(import *i, reader r, failure *out_failure)
{
    const uint16_t id = (uint16_t)take_number(&r, 2);

    take(&r, 4 + 8 + 8); /* sequence and times */
    if (r.is_short || !i->has_channel || id != i->channel)
        return true;
    if (i->report->lines == 0 && !is_header((const char *)r.at, r.left))
        return fail_with(out_failure, "%s: the first message of " MCAP_RECORDING_TOPIC " is no header of a recording",
                         i->name);
    if (r.left >= PROTOCOL_LINE_MAX || memchr(r.at, '\n', r.left)) {
        i->report->damaged++;
        return true;
    }
    line_file_write(&i->out, (const char *)r.at, r.left);
    i->report->lines++;
    return i->out.error == 0;
}

static bool take_chunk(import *i, reader r, failure *out_failure);

static bool take_record(import *i, uint8_t opcode, reader r, bool is_in_chunk, failure *out_failure)
{
    switch (opcode) {
    case MCAP_CHANNEL:
        take_channel(i, r);
        return true;
    case MCAP_MESSAGE:
        return take_message(i, r, out_failure);
    case MCAP_CHUNK:
        return is_in_chunk || take_chunk(i, r, out_failure);
    case MCAP_DATA_END:
    case MCAP_FOOTER:
        i->is_over = true;
        return true;
    default:
        return true;
    }
}

/* Into `unpacked`. Return false if it cannot be: the chunk is damaged. */
static bool unpack(import *i, const reader *packed, size_t size, bool is_zstd)
{
    unsigned char *more;

    if (!is_zstd && packed->left != size)
        return false;
    if (size > i->unpacked_size) {
        more = realloc(i->unpacked, size);
        if (!more)
            return false;
        i->unpacked = more;
        i->unpacked_size = size;
    }
    if (is_zstd)
        return ZSTD_decompress(i->unpacked, size, packed->at, packed->left) == size;
    memcpy(i->unpacked, packed->at, size);
    return true;
}

static bool take_inside(import *i, reader inside, failure *out_failure)
{
    while (inside.left > 0 && !inside.is_short) {
        const uint8_t opcode = (uint8_t)take_number(&inside, 1);
        const uint64_t bytes = take_number(&inside, 8);
        const unsigned char *at = bytes <= inside.left ? take(&inside, (size_t)bytes) : NULL;

        inside.is_short = inside.is_short || !at;
        if (at && !take_record(i, opcode, (reader){at, (size_t)bytes, false}, true, out_failure))
            return false;
    }
    i->report->damaged += inside.is_short;
    return true;
}

static bool take_chunk(import *i, reader r, failure *out_failure)
{
    const unsigned char *name;
    uint64_t size, length, name_length;
    uint32_t crc;

    take(&r, 8 + 8); /* from when to when */
    size = take_number(&r, 8);
    crc = (uint32_t)take_number(&r, 4);
    name_length = take_number(&r, 4);
    name = take(&r, (size_t)name_length);
    length = take_number(&r, 8);
    if (r.is_short || length > r.left || size > RECORD_MAX) {
        i->report->damaged++;
        return true;
    }
    r.left = (size_t)length;
    if (name_length != 0 && (name_length != 4 || memcmp(name, "zstd", 4) != 0))
        return fail_with(out_failure, "%s: a chunk is compressed by other means than zstd, which is not read", i->name);
    if (size == 0)
        return true;
    if (!unpack(i, &r, (size_t)size, name_length != 0) ||
        (crc != 0 && crc != mcap_crc32(0, i->unpacked, (size_t)size))) {
        i->report->damaged++;
        return true;
    }
    return take_inside(i, (reader){i->unpacked, (size_t)size, false}, out_failure);
}

/* ---- the file ---- */

/* Read that many bytes into `record`, which grows only with what is there. Return false at the end of the file. */
static bool read_bytes(import *i, uint64_t length)
{
    unsigned char piece[PIECE_BYTES];

    i->record.length = 0;
    while (length > 0) {
        const size_t wanted = length < sizeof piece ? (size_t)length : sizeof piece;
        const size_t got = fread(piece, 1, wanted, i->in);

        mcap_put(&i->record, piece, got);
        i->offset += got;
        length -= got;
        if (got < wanted)
            return false;
    }
    return true;
}

/* Return false if there is no use in going on, or at the end. */
static bool next_record(import *i, failure *out_failure)
{
    reader r;
    uint8_t opcode;
    uint64_t length;

    i->report->is_torn = true; /* unless it goes well */
    if (!read_bytes(i, MCAP_PREFIX_BYTES))
        return false;
    r = (reader){i->record.data, MCAP_PREFIX_BYTES, false};
    opcode = (uint8_t)take_number(&r, 1);
    length = take_number(&r, 8);
    if (opcode == 0 || length > RECORD_MAX)
        return fail_with(out_failure, "%s: at byte %" PRIu64 ": expected a record of at most %u bytes", i->name,
                         i->offset - MCAP_PREFIX_BYTES, RECORD_MAX);
    if (!read_bytes(i, length))
        return false;
    if (i->record.is_spoilt)
        return fail_with(out_failure, "out of memory");
    i->report->is_torn = false;
    return take_record(i, opcode, (reader){i->record.data, i->record.length, false}, false, out_failure) && !i->is_over;
}

static int read_file(import *i, failure *out_failure)
{
    if (!read_bytes(i, MCAP_MAGIC_BYTES) || memcmp(i->record.data, MCAP_MAGIC, MCAP_MAGIC_BYTES) != 0)
        return fail_int(out_failure, "%s: is no MCAP file of version 0", i->name);
    while (next_record(i, out_failure)) {
    }
    if (ferror(i->in))
        return fail_int(out_failure, "%s: %s", i->name, strerror(errno));
    if (i->report->lines == 0)
        fail_with(out_failure, "%s: there is no recording in it: expected messages of the topic " MCAP_RECORDING_TOPIC,
                  i->name);
    return out_failure->text[0] ? -1 : 0;
}

static int copy(import *i, const char *to, bool is_compressed, failure *out_failure)
{
    int result;

    if (line_file_open(&i->out, to, is_compressed, out_failure) < 0)
        return -1;
    result = read_file(i, out_failure);
    if (line_file_close(&i->out, out_failure) < 0)
        result = -1;
    else if (line_file_is_unread(&i->out))
        result = 0;
    if (result < 0)
        line_file_remove(&i->out);
    return result;
}

bool mcap_is_one(const char *path)
{
    return recording_begins_with(path, MCAP_MAGIC, MCAP_MAGIC_BYTES);
}

int mcap_import(const char *from, const char *to, bool is_compressed, mcap_lines *out_report, failure *out_failure)
{
    const bool is_standard = strcmp(from, RECORDING_STANDARD_INPUT) == 0;
    import *i = calloc(1, sizeof *i);
    int result;

    *out_report = (mcap_lines){0};
    if (!i)
        return fail_int(out_failure, "out of memory");
    i->name = from;
    i->report = out_report;
    record_file_init(&i->out.file);
    i->in = is_standard ? stdin : fopen(from, "re");
    result = i->in ? copy(i, to, is_compressed, out_failure) : fail_int(out_failure, "%s: %s", from, strerror(errno));
    if (i->in && !is_standard)
        fclose(i->in);
    line_file_finish(&i->out);
    mcap_bytes_finish(&i->record);
    free(i->unpacked);
    free(i);
    return result;
}
