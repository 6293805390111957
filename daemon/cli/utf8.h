/* UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#ifndef CLASHD_CLI_UTF8_H
#define CLASHD_CLI_UTF8_H

#include <stddef.h>

/** Return the length of the character at `bytes`, of which `available` (at least 1) may be read; 0 if it is not whole
 *  and valid. */
size_t utf8_length(const char *bytes, size_t available);

/** Return the number of characters in a valid text, as JSON Schema counts. */
size_t utf8_count(const char *text);

#endif
