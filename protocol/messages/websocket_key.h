/* The keys by which either side of WebSocket's handshake proves that it understood (RFC 6455, 4.1 and 4.2.2): 16 random
 * bytes, and the answer to them. Nothing is secret there. */
#ifndef CLASHD_PROTOCOL_MESSAGES_WEBSOCKET_KEY_H
#define CLASHD_PROTOCOL_MESSAGES_WEBSOCKET_KEY_H

#include <stddef.h>
#include <stdint.h>

/** Of so many bytes in base64, with the terminating zero. */
#define BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4 + 1)
#define WEBSOCKET_KEY_BYTES 16
#define WEBSOCKET_KEY_LENGTH (BASE64_SIZE(WEBSOCKET_KEY_BYTES) - 1)
#define WEBSOCKET_ACCEPT_SIZE BASE64_SIZE(20)

/** RFC 4648, with padding; BASE64_SIZE(length) is what `out_text` has to hold. */
void base64_of(const uint8_t *bytes, size_t length, char *out_text);
/** Sec-WebSocket-Accept of a Sec-WebSocket-Key; of `key` WEBSOCKET_KEY_LENGTH bytes are read. */
void websocket_accept_of(const char *key, char out_accept[WEBSOCKET_ACCEPT_SIZE]);

#endif
