/* Names of others as a part of an address or topic: what cannot stand there is written as its bytes, %XX. Pure. */
#ifndef CLASHD_CLI_PERCENT_H
#define CLASHD_CLI_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

/** Copy `text`; of what is no printable ASCII, a blank, a percent sign or one of `reserved` each byte becomes %XX. False, and nothing
 *  to be used, if that does not fit into `size` with its terminating zero. Different texts stay different. */
bool percent_encode(const char *text, const char *reserved, char *out, size_t size);
/** The way back, of the first `length` bytes of `text`. False, and nothing to be used, if percent_encode does not write so, or it does not
 *  fit. */
bool percent_decode(const char *text, size_t length, const char *reserved, char *out, size_t size);

#endif
