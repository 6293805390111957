/* SHA-1 is libmd's. See websocket_key.h. */
#include "websocket_key.h"

#include <sha1.h>

#define SALT "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

void websocket_accept_of(const char *key, char out_accept[WEBSOCKET_ACCEPT_SIZE])
{
    uint8_t digest[SHA1_DIGEST_LENGTH];
    SHA1_CTX sha1;

    SHA1Init(&sha1);
    SHA1Update(&sha1, (const uint8_t *)key, WEBSOCKET_KEY_LENGTH);
    SHA1Update(&sha1, (const uint8_t *)SALT, sizeof SALT - 1);
    SHA1Final(digest, &sha1);
    base64_of(digest, sizeof digest, out_accept);
}

void base64_of(const uint8_t *bytes, size_t length, char *out_text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t out = 0;

    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes[i + 2] : 0);

        for (unsigned shift = 24; shift > 0;) {
            shift -= 6;
            out_text[out++] = letters[group >> shift & 63];
        }
        for (size_t missing = left; missing < 3; missing++)
            out_text[out - 3 + missing] = '=';
    }
    out_text[out] = '\0';
}
