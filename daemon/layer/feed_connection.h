/* What the layer and clashd say to each other: the connection of libclash_client, the feed, its frames, and pulses. One thread at a
 * time: the link has a lock about it. */
#ifndef CLASHD_LAYER_FEED_CONNECTION_H
#define CLASHD_LAYER_FEED_CONNECTION_H

#include "feed_link.h"

#include <poll.h>

typedef struct feed_connection feed_connection;

/** Whom a pulse is given to. */
typedef void feed_on_pulse(void *context, const feed_pulse *pulse);

/** What became of a frame that the game's own thread tried to send. */
typedef enum feed_attempt {
    FEED_DONE,         /* sent; or dropped, as clashd is not there, or refuses the feed */
    FEED_WAITS,        /* clashd has yet to read what was sent before; the link's thread knows */
    FEED_NEEDS_THREAD, /* what comes first may allocate */
} feed_attempt;

/** Finds out where clashd listens, and connects to nothing yet. NULL: out of memory. */
feed_connection *feed_connection_create(feed_on_pulse *on_pulse, void *context);
/** NULL is allowed. */
void feed_connection_destroy(feed_connection *connection);
/** Connects if there is no connection and it is time to try. When it is time again, CLOCK_MONOTONIC; INT64_MAX: it is connected. */
int64_t feed_connection_keep(feed_connection *connection);
/** What there is to wait for. */
struct pollfd feed_connection_waits(const feed_connection *connection);
/** Reads and sends what it can. */
void feed_connection_dispatch(feed_connection *connection);
/** One frame to clashd, or nowhere; asks for the feed first where that has to be. May allocate. */
void feed_connection_forward(feed_connection *connection, const feed_frame *frame);
/** The same from the game's own thread. Neither allocates nor waits. If bytes are left to be sent then, the thread has to hear of
 *  it: feed_connection_is_behind. */
feed_attempt feed_connection_try(feed_connection *connection, const feed_frame *frame);
/** Whether something waits until clashd reads. */
bool feed_connection_is_behind(const feed_connection *connection);

#endif
