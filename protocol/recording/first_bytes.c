/* See first_bytes.h. What was looked at of standard input is given back to its stream, which glibc and musl take: the stream is
 * what is read of, never its descriptor. */
#include "first_bytes.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static size_t peek(FILE *file, unsigned char *out, size_t length)
{
    size_t got = 0;
    int byte;

    while (got < length && (byte = getc(file)) != EOF)
        out[got++] = (unsigned char)byte;
    for (size_t i = got; i > 0; i--)
        ungetc(out[i - 1], file);
    return got;
}

static size_t read_file(const char *path, unsigned char *out, size_t length)
{
    struct stat status;
    FILE *file;
    size_t got;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || !(file = fopen(path, "re")))
        return 0;
    got = fread(out, 1, length, file);
    fclose(file);
    return got;
}

bool recording_begins_with(const char *path, const void *bytes, size_t length)
{
    unsigned char found[RECORDING_FIRST_BYTES_MAX];
    size_t got;

    if (length > sizeof found)
        return false;
    got = strcmp(path, RECORDING_STANDARD_INPUT) == 0 ? peek(stdin, found, length) : read_file(path, found, length);
    return got == length && memcmp(found, bytes, length) == 0;
}
