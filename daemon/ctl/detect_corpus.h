/* clashctl detect --summary: many recordings, so many at once, each in a process of its own, so that whatever is in one of them ends
 * nothing else. Lines come as recordings are done. */
#ifndef CLASHD_CTL_DETECT_CORPUS_H
#define CLASHD_CTL_DETECT_CORPUS_H

#include "layers.h"

#include <stdbool.h>
#include <stddef.h>

/** Each has a pipe, and processes may open 1024 files. */
#define DETECT_CORPUS_JOBS_MAX 512

typedef struct detect_corpus_options {
    const char *command;
    const ctl_layers *layers;
    char *const *names; /* of recordings and folders */
    size_t name_count;
    const char *list;    /* of more of them; NULL: none */
    const char *results; /* NULL: standard output */
    bool resumes;
    bool is_table; /* for people, on standard output */
    unsigned jobs; /* 1.. DETECT_CORPUS_JOBS_MAX */
} detect_corpus_options;

/** CTL_DONE; CTL_NO if there are recordings that failed; CTL_USAGE, with a message, if the settings, the list or the results cannot be
 *  used. Does not come back from SIGINT, SIGTERM and SIGHUP: what is done by then is in the results. */
int detect_corpus(const detect_corpus_options *options);

#endif
