/* WebSocket frames (RFC 6455) from a client: turns bytes into messages, and makes the answers that the protocol
 * requires. libwslay does the framing. Text messages only, each at most as long as a line. A frame that breaks the
 * rules ends the connection with the RFC's code for it. No I/O. */
#ifndef CLASHD_IPC_WEBSOCKET_H
#define CLASHD_IPC_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A control frame: a header of two bytes and a payload of at most 125. */
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
    /** A complete message; valid during the call. */
    void (*message)(void *context, const char *text, size_t length);
    /** A frame to send: a pong, or a close. */
    void (*answer)(void *context, const char *frame, size_t length);
} websocket_listener;

/** `limit`: bytes of a message. Return NULL when out of memory. */
websocket *websocket_create(size_t limit);
void websocket_destroy(websocket *w);
/** Return false when the connection must end, after the last answer, a close frame. Do not call again then. */
bool websocket_push(websocket *w, const char *bytes, size_t length, const websocket_listener *listener);
/** Write the close frame that ends the connection. Return its length. */
size_t websocket_close_frame(websocket_code code, char out_frame[WEBSOCKET_CONTROL_MAX]);

#endif
