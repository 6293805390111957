/* SHA-1 and base64, which the handshake of WebSocket needs to prove that it was understood; nothing is secret there. */
#ifndef CLASHD_IPC_SHA1_H
#define CLASHD_IPC_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20
/** Of SHA1_BYTES in base64, with the terminating zero. */
#define SHA1_TEXT_MAX 29

/** RFC 3174, of at most 119 bytes: two blocks. */
void sha1_of(const char *bytes, size_t length, uint8_t out_digest[SHA1_BYTES]);
/** RFC 4648, with padding. */
void sha1_to_base64(const uint8_t digest[SHA1_BYTES], char out_text[SHA1_TEXT_MAX]);

#endif
