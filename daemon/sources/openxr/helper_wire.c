/* Messages between clashd and the process with the runtime; see helper_wire.h. Each is one send of less than a page,
 * which a local socket takes whole or not at all, so two threads may send. */
#include "helper_wire.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

/* Low enough that adding a few hours of nanoseconds cannot overflow. */
#define TIME_MAX_NS (INT64_MAX / 4)

#define ROLE(name) OPENXR_TRACKER_PREFIX name

const char *const xr_devices[XR_DEVICES] = {
    OPENXR_DEVICE_LEFT,    OPENXR_DEVICE_RIGHT,    ROLE("handheld_object"), ROLE("left_foot"),   ROLE("right_foot"),
    ROLE("left_shoulder"), ROLE("right_shoulder"), ROLE("left_elbow"),      ROLE("right_elbow"), ROLE("left_knee"),
    ROLE("right_knee"),    ROLE("left_wrist"),     ROLE("right_wrist"),     ROLE("left_ankle"),  ROLE("right_ankle"),
    ROLE("waist"),         ROLE("chest"),          ROLE("camera"),          ROLE("keyboard"),
};

uint32_t openxr_tracker(const char *device)
{
    for (uint32_t i = XR_HANDS; i < XR_DEVICES; i++)
        if (strcmp(xr_devices[i], device) == 0)
            return 1u << (i - XR_HANDS);
    return 0;
}

static size_t aligned(size_t size)
{
    return (size + alignof(xr_message) - 1) / alignof(xr_message) * alignof(xr_message);
}

size_t xr_message_size(const xr_message *message)
{
    switch (message->kind) {
    case XR_MESSAGE_ENTRY:
        return offsetof(xr_message, as) + sizeof message->as.entry;
    case XR_MESSAGE_LOG:
        return aligned(offsetof(xr_message, as.log.text) + strnlen(message->as.log.text, XR_WIRE_TEXT_MAX - 1) + 1);
    case XR_MESSAGE_STATE:
        return offsetof(xr_message, as) + sizeof message->as.state;
    default:
        return 0;
    }
}

/* ---- what comes ---- */

static bool text_ends(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* Check the byte before it is read as a bool. */
static bool is_bool(const void *at)
{
    unsigned char byte;

    memcpy(&byte, at, sizeof byte);
    return byte <= 1;
}

static unsigned number_at(const void *at)
{
    unsigned number;

    memcpy(&number, at, sizeof number);
    return number;
}

static bool check_frame(const ring_entry *entry)
{
    if (entry->as.frame.count > RING_SAMPLES_MAX)
        return false;
    for (uint32_t i = 0; i < entry->as.frame.count; i++)
        if (entry->as.frame.samples[i].device >= XR_DEVICES ||
            entry->as.frame.samples[i].flags > (POSE_VALID | POSE_TRACKED))
            return false;
    return true;
}

static bool check_entry(const ring_entry *entry)
{
    if (!is_bool(&entry->gap) || entry->time_ns < -TIME_MAX_NS || entry->time_ns > TIME_MAX_NS)
        return false;
    switch (number_at(&entry->kind)) {
    case RING_FRAME:
        return check_frame(entry);
    case RING_LOST:
        return entry->as.lost.device < XR_DEVICES && number_at(&entry->as.lost.reason) <= CLASH_TRACKING_JUMPED;
    case RING_SPACE_CHANGED:
        return true;
    case RING_RUNTIME:
        return is_bool(&entry->as.runtime.running) && text_ends(entry->as.runtime.name, RING_TEXT_MAX) &&
               text_ends(entry->as.runtime.detail, RING_TEXT_MAX);
    case RING_CONTROLLER:
        return entry->as.controller.device < XR_HANDS && text_ends(entry->as.controller.profile, RING_TEXT_MAX);
    default:
        return false;
    }
}

bool xr_message_check(const xr_message *message, size_t size)
{
    if (size < offsetof(xr_message, as) || size > sizeof *message || size != aligned(size) ||
        message->magic != XR_WIRE_MAGIC)
        return false;
    switch (message->kind) {
    case XR_MESSAGE_ENTRY:
        return size == xr_message_size(message) && check_entry(&message->as.entry);
    case XR_MESSAGE_LOG: /* its text fills the rest */
        return size > offsetof(xr_message, as.log.text) &&
               text_ends(message->as.log.text, size - offsetof(xr_message, as.log.text)) &&
               message->as.log.level >= LOG_LEVEL_ERROR && message->as.log.level <= LOG_LEVEL_DEBUG;
    case XR_MESSAGE_STATE:
        return size == xr_message_size(message) && message->as.state.thread >= 0 &&
               message->as.state.thread < XR_THREAD_STATES && message->as.state.clock_error_ns >= 0;
    default:
        return false;
    }
}

/* ---- what goes ---- */

bool xr_message_send(int fd, xr_message *message)
{
    message->magic = XR_WIRE_MAGIC;
    message->size = (uint16_t)xr_message_size(message);
    return send(fd, message, message->size, MSG_DONTWAIT | MSG_NOSIGNAL) == message->size;
}

bool xr_entry_send(int fd, const ring_entry *entry)
{
    const size_t size = offsetof(xr_message, as) + sizeof *entry;
    xr_message message;

    /* A copy costs less than the kernel takes to gather two parts. */
    message.magic = XR_WIRE_MAGIC;
    message.kind = XR_MESSAGE_ENTRY;
    message.size = (uint16_t)size;
    message.as.entry = *entry;
    return send(fd, &message, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

bool xr_command_send(int fd, xr_command *command)
{
    command->magic = XR_WIRE_MAGIC;
    return send(fd, command, sizeof *command, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof *command;
}
