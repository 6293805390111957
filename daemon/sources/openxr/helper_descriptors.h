/* What clashd and the process with the runtime are connected by: its socket, its output, the memory that both see. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_DESCRIPTORS_H
#define CLASHD_SOURCES_OPENXR_HELPER_DESCRIPTORS_H

#include "rest_word.h"

/** Each with clashd's end and the process's; -1: none. All close at exec. */
typedef struct xr_descriptors {
    int wire[2];   /* a socket */
    int output[2]; /* a pipe from the process's standard output and error */
    rest_word *rest;
    int rest_fd; /* the process's */
} xr_descriptors;

/** Open all. Return 0, or a negative errno; close in both cases. */
int xr_descriptors_open(xr_descriptors *d);
/** Close the process's ends, once it has them. */
void xr_descriptors_close_theirs(xr_descriptors *d);
/** Close what is open. */
void xr_descriptors_close(xr_descriptors *d);

#endif
