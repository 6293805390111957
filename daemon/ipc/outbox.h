/* Those who have something to send when the loop's turn ends. So all that one turn brings for a peer goes out in one
 * write: with many subscribers an event costs little else than its writes. Nothing waits longer than its turn: the
 * loop never sleeps before it is sent. Knows nothing of peers. Loop's thread. */
#ifndef CLASHD_IPC_OUTBOX_H
#define CLASHD_IPC_OUTBOX_H

#include <uv.h>

typedef struct outbox outbox;

/** One who sends: a part of its owner, zeroed but for `flush`. */
typedef struct outbox_item {
    struct outbox_item *next, *previous; /* NULL: not in an outbox */
    /** Sends what waits. The item is out of the outbox by then; others may be removed from within. */
    void (*flush)(struct outbox_item *item);
} outbox_item;

/** Return NULL when out of memory. */
outbox *outbox_create(uv_loop_t *loop);
/** The loop frees it later; nobody may be in it, or come. Accepts NULL. */
void outbox_close(outbox *o);

/** Its flush is called before this turn of the loop ends. Does nothing if it is in already. */
void outbox_add(outbox *o, outbox_item *item);
/** Does nothing if it is not in one. */
void outbox_remove(outbox_item *item);

#endif
