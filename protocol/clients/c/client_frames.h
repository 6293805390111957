/* WebSocket's frames (RFC 6455), the client's side: clashd's messages out of bytes, and messages of ours as bytes. libwslay
 * does the framing. A message over the limit costs only itself, as a line does; what breaks the rules ends the connection.
 * No I/O, and nothing known of what is in a message. */
#ifndef CLASH_CLIENT_FRAMES_H
#define CLASH_CLIENT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

/** A frame of ours is so much longer than its message, at most. */
#define CLIENT_FRAME_MAX 14

typedef struct client_frames client_frames;

/** Whether this library has frames at all: client_lines.c has none. */
extern const bool client_frames_are_there;

typedef struct client_frames_listener {
    void *context;
    /** A whole message, not terminated by zero; valid during the call. False to stop. */
    bool (*message)(void *context, const char *text, size_t length);
    /** One that was too long, or no text, has been dropped: in words. False to stop. */
    bool (*dropped)(void *context, const char *why);
    /** Bytes to send, in whole frames or their parts in order. False if they find no room: the connection is lost. */
    bool (*send)(void *context, const void *bytes, size_t length);
} client_frames_listener;

/** `limit`: bytes of a message. The listener is copied. Return NULL when out of memory. */
client_frames *client_frames_create(size_t limit, const client_frames_listener *listener);
void client_frames_destroy(client_frames *f);
/** Take what came. NULL, or why the connection is over, in words that stay as long as `f`; clashd's close has been
 *  answered then. If a callback said to stop, NULL, and it is not to be called again. */
const char *client_frames_push(client_frames *f, const char *bytes, size_t length);
/** A message of ours; false if the listener found no room, or memory is short. May be called by callbacks. */
bool client_frames_text(client_frames *f, const char *text, size_t length);

#endif
