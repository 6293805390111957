/* The frames of WebSocket (RFC 6455) that a client sends: messages out of bytes, and the answers that the protocol itself
 * wants. libwslay does the framing. Text messages only, each at most as long as a line; a frame that breaks the rules ends
 * the connection with the code that the RFC has for it. No I/O. */
#ifndef CLASHD_IPC_WEBSOCKET_H
#define CLASHD_IPC_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A control frame: two bytes before at most 125. */
#define WEBSOCKET_CONTROL_MAX 127

typedef enum websocket_code {
    WEBSOCKET_GOING_AWAY = 1001,
    WEBSOCKET_PROTOCOL_ERROR = 1002,
    WEBSOCKET_UNSUPPORTED = 1003,
    WEBSOCKET_BAD_UTF8 = 1007,
    WEBSOCKET_TOO_BIG = 1009,
    WEBSOCKET_INTERNAL = 1011
} websocket_code;

typedef struct websocket websocket;

typedef struct websocket_listener {
    void *context;
    /** A whole message; valid during the call. */
    void (*message)(void *context, const char *text, size_t length);
    /** A frame to send: a pong, or a close. */
    void (*answer)(void *context, const char *frame, size_t length);
} websocket_listener;

/** `limit`: bytes of a message. Return NULL when out of memory. */
websocket *websocket_create(size_t limit);
void websocket_destroy(websocket *w);
/** Return false when the connection is to end, after the close frame that was the last answer. Not to be called again then. */
bool websocket_push(websocket *w, const char *bytes, size_t length, const websocket_listener *listener);
/** Write the close frame with which we end the connection. Return its length. */
size_t websocket_close_frame(websocket_code code, char out_frame[WEBSOCKET_CONTROL_MAX]);

#endif
