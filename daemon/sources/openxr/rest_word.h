/* Until when nothing can meet: one number in memory that clashd and the process with the runtime share. clashd writes it after each
 * frame and the thread in the runtime reads it before the next, so no message has to wake anybody for it. clashd never reads it, and
 * the memory cannot shrink: nothing that a runtime does there reaches clashd. */
#ifndef CLASHD_SOURCES_OPENXR_REST_WORD_H
#define CLASHD_SOURCES_OPENXR_REST_WORD_H

#include <stdatomic.h>

/** CLOCK_MONOTONIC, ns; 0: at once. */
typedef atomic_int_fast64_t rest_word;

/** For clashd: make it, with a descriptor for the process, which is the caller's. Return NULL with errno. */
rest_word *rest_word_create(int *out_fd);
/** For the process: find it behind that descriptor, which it closes. NULL: it is not there. */
const rest_word *rest_word_open(int fd);
/** NULL is allowed. */
void rest_word_close(const rest_word *word);

#endif
