/* The recordings of a corpus, one after the other: those that are named, those below folders, those of a list, which may be a pipe
 * that others still write into. Blocking file I/O, but for the list: who has none yet is told so. */
#ifndef CLASHD_CTL_DETECT_NAMES_H
#define CLASHD_CTL_DETECT_NAMES_H

#include "cli/failure.h"

#include <stddef.h>

typedef struct detect_names detect_names;

typedef enum detect_names_result {
    DETECT_NAMES_ONE,
    DETECT_NAMES_BAD,   /* a folder that cannot be read, a name that is too long: out_failure says why */
    DETECT_NAMES_LATER, /* the list has none yet: poll its descriptor */
    DETECT_NAMES_END,
    DETECT_NAMES_ERROR /* the list cannot be read on: out_failure */
} detect_names_result;

/** `words`, the caller's, then `list`, which is the name of a file; "-": standard input; NULL: none. Return NULL with out_failure. */
detect_names *detect_names_open(char *const *words, size_t count, const char *list, failure *out_failure);
void detect_names_close(detect_names *n);
/** The next one; *out_name is valid until the next call. Of folders all recordings, MCAP files and Beat Saber replays (.jsonl, .jsonl.zst, .mcap, .bsor), at any depth, by the bytes
 *  of their names; links to folders are not followed. */
detect_names_result detect_names_next(detect_names *n, const char **out_name, failure *out_failure);
/** Of the list; -1 if there is none. */
int detect_names_descriptor(const detect_names *n);

#endif
