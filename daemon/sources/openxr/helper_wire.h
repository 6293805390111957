/* Messages between clashd and the process that runs the OpenXR runtime (clashd_openxr.c), over one local socket: whole,
 * in order, in this machine's layout. A runtime's library may write anywhere in its process, so clashd checks each
 * message. Knows nothing of OpenXR. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_WIRE_H
#define CLASHD_SOURCES_OPENXR_HELPER_WIRE_H

#include "openxr_settings.h"
#include "ports/log.h"
#include "ring.h"

#define XR_HANDS 2
/** Devices by number: the hands, then the trackers' roles. */
#define XR_ROLES 17
#define XR_DEVICES (XR_HANDS + XR_ROLES)
/** The descriptor on which the process finds the socket. */
#define XR_WIRE_FD 3
/** And that of the rest_word. */
#define XR_REST_FD 4
/** The exit code of a process that could not start. */
#define XR_WIRE_NO_START 2
/** Another number, or another size, means another build. */
#define XR_WIRE_MAGIC 0x78720006u
#define XR_WIRE_TEXT_MAX 1024

/* ---- from the process to clashd ---- */

/** The devices' names. */
extern const char *const xr_devices[XR_DEVICES];

/** Return whether the settings ask for the device. */
static inline bool xr_device_is_wanted(const openxr_settings *settings, uint32_t device)
{
    return device < XR_HANDS || (device < XR_DEVICES && (settings->trackers & 1u << (device - XR_HANDS)));
}

/** The devices that can be wanted are those below this number. */
static inline int xr_devices_end(const openxr_settings *settings)
{
    return settings->trackers ? XR_DEVICES : XR_HANDS;
}

typedef enum xr_message_kind {
    XR_MESSAGE_ENTRY, /* an entry of the ring; devices are indices of xr_devices: 0 the left hand, 1 the right */
    XR_MESSAGE_LOG,
    XR_MESSAGE_STATE,
    XR_MESSAGE_KINDS
} xr_message_kind;

/** The state of the thread in the runtime. After each of the last three the process ends at once. */
typedef enum xr_thread_state {
    XR_THREAD_ALIVE,
    XR_THREAD_STALLED,   /* in a call for longer than XR_STALL_NS */
    XR_THREAD_NO_END,    /* the runtime does not end its instance */
    XR_THREAD_NO_ANSWER, /* a call has not returned for so long that we stop waiting */
    XR_THREAD_ENDED,     /* the runtime has ended it */
    XR_THREAD_STATES
} xr_thread_state;

typedef struct xr_message {
    uint32_t magic;
    uint16_t kind, size; /* size: of the whole message, bytes */
    union {
        ring_entry entry;
        struct {
            int32_t level;
            char text[XR_WIRE_TEXT_MAX];
        } log;
        struct {
            int32_t thread;         /* xr_thread_state */
            uint64_t dropped;       /* frames, by the process, since it started */
            int64_t clock_error_ns; /* of times; 0 if the runtime converts them, see runtime_clock.h */
        } state;
    } as;
} xr_message;

/** Return the size of a message of that kind; a log's depends on its text. A multiple of its alignment, so that
 *  messages can be read where they arrive. 0: there is no such kind. */
size_t xr_message_size(const xr_message *message);
/** Return whether `size` bytes hold one whole message with every number in range and every text terminated. */
bool xr_message_check(const xr_message *message, size_t size);
/** Fill in magic and size, and send the message whole. Return false if the other side takes no more for now, or is
 *  gone. */
bool xr_message_send(int fd, xr_message *message);
/** The same for an entry, sent from where it is. */
bool xr_entry_send(int fd, const ring_entry *entry);

/* ---- from clashd to the process ---- */

typedef enum xr_command_kind { XR_COMMAND_START, XR_COMMAND_PULSE, XR_COMMAND_LOOKAHEAD } xr_command_kind;

typedef struct xr_pulse {
    uint32_t hand;
    float amplitude; /* 0..1 */
    int64_t duration_ns;
} xr_pulse;

/** The first is START. When the socket ends, the process ends. */
typedef struct xr_command {
    uint32_t magic, kind;
    union {
        openxr_settings settings;
        xr_pulse pulse;
        int64_t lookahead_ns;
    } as;
} xr_command;

bool xr_command_send(int fd, xr_command *command);

#endif
