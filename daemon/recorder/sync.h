/* A thread that puts a file on the disk. A disk may take seconds for that; what is written meanwhile is with the system,
 * and safe from all that only ends this process. */
#ifndef CLASHD_RECORDER_SYNC_H
#define CLASHD_RECORDER_SYNC_H

#include <stdbool.h>

typedef struct record_sync record_sync;

/** NULL if the system refuses. */
record_sync *record_sync_create(void);
/** What the descriptor's file has by now goes to the disk; the descriptor may be closed at once. False if it cannot be
 *  begun: the one before is still going on. */
bool record_sync_begin(record_sync *s, int fd);
/** An errno, where one has failed since this was asked last; else 0. */
int record_sync_take_error(record_sync *s);
/** Waits for the one that is going on. Accepts NULL. */
void record_sync_destroy(record_sync *s);

#endif
