/* The senders with data to flush at the end of the loop iteration. All lines that one iteration produces for a peer are
 * sent in one write: with many subscribers an event costs little more than its writes. Nothing waits longer than one
 * iteration: the loop never sleeps with unsent items. Does not know peers. Loop's thread. */
#ifndef CLASHD_IPC_OUTBOX_H
#define CLASHD_IPC_OUTBOX_H

#include <uv.h>

typedef struct outbox outbox;

/** One sender, embedded in its owner. Zero it except for `flush`. */
typedef struct outbox_item {
    struct outbox_item *next, *previous; /* NULL: not in an outbox */
    /** Send the waiting data. The item was removed from the outbox before; `flush` may remove other items. */
    void (*flush)(struct outbox_item *item);
} outbox_item;

/** Return NULL when out of memory. */
outbox *outbox_create(uv_loop_t *loop);
/** Close; the loop frees it later. It must be empty, and stay so. Accepts NULL. */
void outbox_close(outbox *o);

/** Schedule the item's flush before this loop iteration ends. Does nothing if it is scheduled already. */
void outbox_add(outbox *o, outbox_item *item);
/** Does nothing if the item is not in an outbox. */
void outbox_remove(outbox_item *item);

#endif
