/* Text from outside as a terminal may show it: escape whatever would control the terminal, or hide or reverse
 * neighbouring text. Names of files, devices, runtimes and clients may hold any bytes. */
#ifndef CLASHD_CLI_PRINTABLE_H
#define CLASHD_CLI_PRINTABLE_H

#include <stddef.h>

/** Return how many bytes at `text`, which is not empty, must not reach a terminal as they are: a control character (C0,
 *  DEL, C1), one that changes the direction of text or ends a line (U+061C, U+200E and F, U+2028 to 202E, U+2066 to
 *  2069), or a byte that is not UTF-8; else 0. *out_length: of the character, or 1. */
size_t printable_length(const char *text, size_t *out_length);
/** Copy the text with those written as \xHH, byte by byte, and a newline as \n. Ends in a zero; what does not fit is
 *  left out, but never part of a character or an escape. Returns `out`. */
const char *printable(const char *text, char *out, size_t size);
/** The same for a line of JSON, whose meaning stays: those are written as \uHHHH. */
const char *printable_json(const char *text, char *out, size_t size);

#endif
