/* SHA-1 and base64, by which either side of WebSocket's handshake proves that it understood; nothing is secret there. */
#ifndef CLASHD_PROTOCOL_MESSAGES_SHA1_H
#define CLASHD_PROTOCOL_MESSAGES_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20
/** Of so many bytes in base64, with the terminating zero. */
#define BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4 + 1)

/** RFC 3174, of at most 119 bytes: two blocks. */
void sha1_of(const char *bytes, size_t length, uint8_t out_digest[SHA1_BYTES]);
/** RFC 4648, with padding; BASE64_SIZE(length) is what `out_text` has to hold. */
void base64_of(const uint8_t *bytes, size_t length, char *out_text);

#endif
