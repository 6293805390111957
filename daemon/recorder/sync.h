/* A thread that puts a file on the disk. A disk may take seconds; what is written meanwhile is with the system, safe
 * from anything that only ends this process. */
#ifndef CLASHD_RECORDER_SYNC_H
#define CLASHD_RECORDER_SYNC_H

#include <stdbool.h>

typedef struct record_sync record_sync;

/** Return NULL if the system refuses. */
record_sync *record_sync_create(void);
/** Start to sync what the descriptor's file has by now; the descriptor may be closed at once. Return false if the last
 *  sync is still going on. */
bool record_sync_begin(record_sync *s, int fd);
/** Return the errno of a sync that failed since the last call, else 0. */
int record_sync_take_error(record_sync *s);
/** Wait for a sync that is going on, and free. Accepts NULL. */
void record_sync_destroy(record_sync *s);

#endif
