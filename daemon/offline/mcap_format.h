/* What of MCAP's format both its writer and its reader go by: https://mcap.dev/spec. */
#ifndef CLASHD_OFFLINE_MCAP_FORMAT_H
#define CLASHD_OFFLINE_MCAP_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define MCAP_MAGIC "\x89MCAP0\r\n"
#define MCAP_MAGIC_BYTES 8
/** Of a record's opcode and length. */
#define MCAP_PREFIX_BYTES 9
/** The topic that has a recording's lines, as they stand in it. */
#define MCAP_RECORDING_TOPIC "/recording"

typedef enum mcap_opcode {
    MCAP_HEADER = 1,
    MCAP_FOOTER,
    MCAP_SCHEMA,
    MCAP_CHANNEL,
    MCAP_MESSAGE,
    MCAP_CHUNK,
    MCAP_MESSAGE_INDEX,
    MCAP_CHUNK_INDEX,
    MCAP_STATISTICS = 0x0b,
    MCAP_SUMMARY_OFFSET = 0x0e,
    MCAP_DATA_END = 0x0f
} mcap_opcode;

/** CRC-32 as in zlib and ISO 3309 (polynomial 0xedb88320, reflected), of what `crc` is of (0: nothing) and these bytes. */
uint32_t mcap_crc32(uint32_t crc, const void *bytes, size_t length);

#endif
