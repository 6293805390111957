/* Numbers to text, many times faster than the C library's printing and without its locale: a pose line has fourteen. */
#ifndef CLASHD_PROTOCOL_JSON_NUMBER_TEXT_H
#define CLASHD_PROTOCOL_JSON_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/** Room that every `out` below must have; nothing is terminated by zero. */
#define NUMBER_TEXT_MAX 24

/** What printf's "%.9g" writes in the C locale, to the character: reads back to the same float. `value` must be finite.
 *  Returns the length. */
size_t number_text_float(char *out, float value);
size_t number_text_uint(char *out, uint64_t value);
size_t number_text_int(char *out, int64_t value);

#endif
