/* Text from outside as a terminal may show it: what would steer it, hide or turn round what stands beside it is written out
 * instead. Names of files, devices, runtimes and clients may hold any bytes. */
#ifndef CLASHD_CLI_PRINTABLE_H
#define CLASHD_CLI_PRINTABLE_H

#include <stddef.h>

/** Bytes at `text`, which is not empty, that must not reach a terminal as they are: a control character (C0, DEL, C1), one
 *  that changes the direction of text or ends a line (U+061C, U+200E and F, U+2028 to 202E, U+2066 to 2069), or a byte that is
 *  no UTF-8. 0: they may. *out_length: of the character, 1 where it is none. */
size_t printable_length(const char *text, size_t *out_length);
/** The text with those as \xHH, byte by byte, a newline as \n. Ends in a zero; what does not fit is left out,
 *  never a part of a character or an escape. Returns `out`. */
const char *printable(const char *text, char *out, size_t size);
/** The same of a line of JSON, which stays one that says the same: those are written as \uHHHH. */
const char *printable_json(const char *text, char *out, size_t size);

#endif
