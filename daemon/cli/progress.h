/* How far long work is, as one line on standard error that is drawn over again and is gone at the end. Only where standard
 * error is a terminal that can do so, and not before the work has taken a moment. There is one such line: its state is the
 * module's. One thread. Knows no work by name. */
#ifndef CLASHD_CLI_PROGRESS_H
#define CLASHD_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Begins work; `what` comes first in the line and outlives it. With `prints` results go to standard output meanwhile: where
 *  that is the terminal too, they are what people see, and there is no line. */
void progress_begin(const char *what, bool prints);
/** From now on updates are about the part of the work from share `from` to share `to`, 0..1. */
void progress_stretch(double from, double to);
/** `total` 0: not known, and the line says how many bytes are done. Cheap: call it as often as there is anything new. */
void progress_update(uint64_t done_bytes, uint64_t total_bytes);
/** Takes the line away, before anything else is written; the next update brings it back. */
void progress_erase(void);
/** The work is over; also if none was begun. */
void progress_end(void);

/** The line, at most columns - 1 bytes of it, without a newline. `share` < 0: not known. Pure. Returns its length. */
size_t progress_format(const char *what, double share, uint64_t done_bytes, int64_t elapsed_ns, unsigned columns,
                       char *out, size_t size);
/** "[====>   ]" of `width` columns into out, which has width + 1 bytes; width at least 3. Pure. */
void progress_bar(double share, unsigned width, char *out);
/** "2:05", or "1:02:05". Pure. */
void progress_clock(double seconds, char *out, size_t size);

#endif
