/* What the layer and clashd say to each other: the connection of libclash_client, the feed, its frames, and pulses. One thread at a
 * time: the link has a lock about it. */
#ifndef CLASHD_LAYER_FEED_CONNECTION_H
#define CLASHD_LAYER_FEED_CONNECTION_H

#include "feed_link.h"

#include <poll.h>

typedef struct feed_connection feed_connection;

/** Called for each haptic pulse that clashd sends. */
typedef void feed_on_pulse(void *context, const feed_pulse *pulse);

/** What became of a frame that the game's own thread tried to send. */
typedef enum feed_attempt {
    FEED_DONE,         /* sent; or dropped, as clashd is not there, or refuses the feed */
    FEED_WAITS,        /* clashd has not read what was sent before; the link's thread goes on with it */
    FEED_NEEDS_THREAD, /* something has to be done first that may allocate */
} feed_attempt;

/** Find out where clashd listens, without connecting yet. NULL: out of memory. */
feed_connection *feed_connection_create(feed_on_pulse *on_pulse, void *context);
/** NULL is allowed. */
void feed_connection_destroy(feed_connection *connection);
/** Connect if there is no connection and it is time to try. Return when to try again, CLOCK_MONOTONIC; INT64_MAX: connected. */
int64_t feed_connection_keep(feed_connection *connection);
/** Return the poll events to wait for. */
struct pollfd feed_connection_waits(const feed_connection *connection);
/** Read and send what is possible now. */
void feed_connection_dispatch(feed_connection *connection);
/** Send one frame, or drop it if clashd is not there. Asks for the feed first if needed. May allocate. */
void feed_connection_forward(feed_connection *connection, const feed_frame *frame);
/** The same from the game's own thread: neither allocates nor waits. If feed_connection_is_behind afterwards, wake the link's thread
 *  to send the rest. */
feed_attempt feed_connection_try(feed_connection *connection, const feed_frame *frame);
/** Return whether bytes wait until clashd reads. */
bool feed_connection_is_behind(const feed_connection *connection);

#endif
