/* A circular list of items around a sentinel. In a loop iteration the callbacks of descriptors run between `prepare`
 * and `check`; those of timers, idle handles and closing handles run before the next `prepare`. Flushing at both leaves
 * nothing unsent when the loop sleeps. See outbox.h. */
#include "ipc/outbox.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

struct outbox {
    uv_prepare_t prepare;
    uv_check_t check;
    unsigned handles_open;
    outbox_item ring; /* the sentinel */
};

/* The handles run only while items wait: then they also keep the loop from sleeping, and from ending. */
static void flush_all(outbox *o)
{
    uv_prepare_stop(&o->prepare);
    uv_check_stop(&o->check);
    while (o->ring.next != &o->ring) {
        outbox_item *item = o->ring.next;

        outbox_remove(item);
        item->flush(item);
    }
}

static void on_prepare(uv_prepare_t *prepare)
{
    flush_all(prepare->data);
}

static void on_check(uv_check_t *check)
{
    flush_all(check->data);
}

static void on_handle_closed(uv_handle_t *handle)
{
    outbox *o = handle->data;

    if (--o->handles_open == 0)
        free(o);
}

outbox *outbox_create(uv_loop_t *loop)
{
    outbox *o = calloc(1, sizeof *o);

    if (!o)
        return NULL;
    o->ring.next = o->ring.previous = &o->ring;
    o->prepare.data = o->check.data = o;
    if (uv_prepare_init(loop, &o->prepare) != 0) {
        free(o);
        return NULL;
    }
    o->handles_open = 1;
    if (uv_check_init(loop, &o->check) != 0) {
        uv_close((uv_handle_t *)&o->prepare, on_handle_closed);
        return NULL;
    }
    o->handles_open = 2;
    return o;
}

void outbox_close(outbox *o)
{
    if (!o)
        return;
    assert(o->ring.next == &o->ring);
    uv_close((uv_handle_t *)&o->prepare, on_handle_closed);
    uv_close((uv_handle_t *)&o->check, on_handle_closed);
}

void outbox_add(outbox *o, outbox_item *item)
{
    const bool is_first = o->ring.next == &o->ring;

    if (item->next)
        return;
    item->next = &o->ring;
    item->previous = o->ring.previous;
    item->previous->next = item;
    o->ring.previous = item;
    /* Flush at once if the handles cannot start: otherwise nothing would flush at the end of the iteration. */
    if (is_first && (uv_prepare_start(&o->prepare, on_prepare) != 0 || uv_check_start(&o->check, on_check) != 0))
        flush_all(o);
}

void outbox_remove(outbox_item *item)
{
    if (!item->next)
        return;
    item->next->previous = item->previous;
    item->previous->next = item->next;
    item->next = item->previous = NULL;
}
