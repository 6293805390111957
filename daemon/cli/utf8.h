/* UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#ifndef CLASHD_CLI_UTF8_H
#define CLASHD_CLI_UTF8_H

#include <stddef.h>

/** Length of the character at `bytes`, of which `available` (at least 1) may be read; 0 if there is none that is whole
 *  and valid. */
size_t utf8_length(const char *bytes, size_t available);

/** Characters in a valid text: what JSON Schema counts. */
size_t utf8_count(const char *text);

#endif
