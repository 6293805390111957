/* The progress of long work, as one line on standard error that is redrawn and removed at the end. Only if standard
 * error is a capable terminal, and not before the work has taken a moment. There is one such line: its state is the
 * module's. One thread. Knows no work by name. */
#ifndef CLASHD_CLI_PROGRESS_H
#define CLASHD_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Begin work; `what` comes first in the line and must outlive it. With `prints` the work prints results on standard
 *  output: if that is the terminal too, people see those, and there is no line. */
void progress_begin(const char *what, bool prints);
/** From now on updates are about the part of the work between `from` and `to`, 0..1. */
void progress_stretch(double from, double to);
/** Update; `total_bytes` 0: not known, and the line says how many bytes are done. Cheap: call whenever there is
 *  news. */
void progress_update(uint64_t done_bytes, uint64_t total_bytes);
/** Remove the line before anything else is written; the next update brings it back. */
void progress_erase(void);
/** End the work; allowed if none was begun. */
void progress_end(void);

/** Write the line, at most columns - 1 bytes, without a newline. `share` < 0: not known. Pure. Returns its length. */
size_t progress_format(const char *what, double share, uint64_t done_bytes, int64_t elapsed_ns, unsigned columns,
                       char *out, size_t size);
/** Write "[====>   ]" of `width` columns into out, which has width + 1 bytes; width at least 3. Pure. */
void progress_bar(double share, unsigned width, char *out);
/** Write "2:05", or "1:02:05". Pure. */
void progress_clock(double seconds, char *out, size_t size);

#endif
