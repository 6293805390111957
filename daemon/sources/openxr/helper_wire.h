/* What goes between clashd and the process that it has the OpenXR runtime in (clashd_openxr.c), over one local socket: whole
 * messages, in order, in this machine's layout. A runtime's library may write anywhere in the process that it lives in, so
 * clashd checks each message and believes none. Knows nothing of OpenXR. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_WIRE_H
#define CLASHD_SOURCES_OPENXR_HELPER_WIRE_H

#include "openxr_settings.h"
#include "ports/log.h"
#include "ring.h"

#define XR_HANDS 2
/** Devices by number: the hands, then the roles of trackers. */
#define XR_ROLES 17
#define XR_DEVICES (XR_HANDS + XR_ROLES)
/** The descriptor at which the process finds the socket. */
#define XR_WIRE_FD 3
/** The exit code of a process that could not begin. */
#define XR_WIRE_NO_START 2
/** Another build has another number here, or other sizes. */
#define XR_WIRE_MAGIC 0x78720005u
#define XR_WIRE_TEXT_MAX 1024

/* ---- from the process to clashd ---- */

/** Their names. */
extern const char *const xr_devices[XR_DEVICES];

/** Whether anything is to be heard of the device. */
static inline bool xr_device_is_wanted(const openxr_settings *settings, uint32_t device)
{
    return device < XR_HANDS || (device < XR_DEVICES && (settings->trackers & 1u << (device - XR_HANDS)));
}

typedef enum xr_message_kind {
    XR_MESSAGE_RECORD, /* what the ring holds; devices are numbers of xr_devices, 0 the left hand and 1 the right one */
    XR_MESSAGE_LOG,
    XR_MESSAGE_STATE,
    XR_MESSAGE_KINDS
} xr_message_kind;

/** How the thread in the runtime is. The last three are last words: the process ends itself at once. */
typedef enum xr_thread_state {
    XR_THREAD_ALIVE,
    XR_THREAD_STALLED,   /* in a call for longer than XR_STALL_NS */
    XR_THREAD_NO_END,    /* the runtime does not end its instance */
    XR_THREAD_NO_ANSWER, /* a call has not returned for so long that it is not waited for any more */
    XR_THREAD_ENDED,     /* the runtime has ended it */
    XR_THREAD_STATES
} xr_thread_state;

typedef struct xr_message {
    uint32_t magic;
    uint16_t kind, size; /* size: of all of it, in bytes */
    union {
        ring_record record;
        struct {
            int32_t level;
            char text[XR_WIRE_TEXT_MAX];
        } log;
        struct {
            int32_t thread;         /* xr_thread_state */
            uint64_t dropped;       /* frames, by the process, since it began */
            int64_t clock_error_ns; /* of times: 0 if the runtime converts them; see runtime_clock.h */
        } state;
    } as;
} xr_message;

/** The size of a message of that kind; a log's goes by its text. A multiple of its alignment, so that messages can be read
 *  where they arrive. 0: there is no such kind. */
size_t xr_message_size(const xr_message *message);
/** Whether a message of `size` bytes is one and whole, every number in its range and every text ended. */
bool xr_message_check(const xr_message *message, size_t size);
/** Fills in magic and size, and sends it whole. False: the other side takes no more for now, or is gone. */
bool xr_message_send(int fd, xr_message *message);
/** The same of a record that is sent from where it is. */
bool xr_record_send(int fd, const ring_record *record);

/* ---- from clashd to the process ---- */

typedef enum xr_command_kind {
    XR_COMMAND_START,
    XR_COMMAND_PULSE,
    XR_COMMAND_REST,
    XR_COMMAND_LOOKAHEAD
} xr_command_kind;

typedef struct xr_pulse {
    uint32_t hand;
    float amplitude; /* 0..1 */
    int64_t duration_ns;
} xr_pulse;

/** The first is START. The end of the socket is the end of the process. */
typedef struct xr_command {
    uint32_t magic, kind;
    union {
        openxr_settings settings;
        xr_pulse pulse;
        int64_t rest_until_ns; /* CLOCK_MONOTONIC */
        int64_t lookahead_ns;
    } as;
} xr_command;

bool xr_command_send(int fd, xr_command *command);

#endif
