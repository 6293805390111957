/* What the fuzz targets share. A target is NAME_fuzz.c with the one function below; libFuzzer drives it with coverage, and
 * plain.c with the corpus and pseudo-random mutations of it under every compiler. Anything wrong ends in abort(). */
#ifndef CLASHD_TESTS_FUZZ_H
#define CLASHD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One input, any bytes, any length. Must not keep anything of it. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                         \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                  \
        }                                                                             \
    } while (0)

/** Takes an input apart from its front; zeros where there is no more. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline void fuzz_take(fuzz_input *in, void *out, size_t size)
{
    size_t taken = size < in->size ? size : in->size;

    memset(out, 0, size);
    if (taken > 0)
        memcpy(out, in->data, taken);
    in->data += taken;
    in->size -= taken;
}

static inline uint8_t fuzz_byte(fuzz_input *in)
{
    uint8_t byte;

    fuzz_take(in, &byte, 1);
    return byte;
}

#endif
