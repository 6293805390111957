/* SHA-256 (FIPS 180-4), so that a recording can say which file it means by a name. */
#ifndef CLASHD_MESH_HELPER_SHA256_H
#define CLASHD_MESH_HELPER_SHA256_H

#include <stddef.h>
#include <stdint.h>

/** 64 hexadecimal digits and the terminating zero. */
#define SHA256_TEXT_MAX 65

typedef struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} sha256;

void sha256_init(sha256 *s);
void sha256_add(sha256 *s, const void *bytes, size_t length);
void sha256_finish(sha256 *s, char out_text[SHA256_TEXT_MAX]);

#endif
