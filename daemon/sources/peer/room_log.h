/* The samples that this player shares: numbered, and of the last ones a copy, as each message has again what those before it had. Pure. */
#ifndef CLASHD_SOURCES_PEER_ROOM_LOG_H
#define CLASHD_SOURCES_PEER_ROOM_LOG_H

#include "ports/pose_source.h"
#include "protocol/messages/room_message.h"

/** How many messages' samples are repeated in the next one. */
#define ROOM_REPEATS 3

/** Zero-initialise. */
typedef struct room_log {
    size_t device_count;
    char devices[ROOM_MESSAGE_DEVICES_MAX][PROTOCOL_NAME_MAX];
    int64_t last_ns[ROOM_MESSAGE_DEVICES_MAX]; /* of each one's last sample */
    bool has_last[ROOM_MESSAGE_DEVICES_MAX];
    uint64_t next;               /* number of the next sample */
    uint64_t sent[ROOM_REPEATS]; /* number of the first new sample of the last messages, the oldest first */
    uint64_t told;               /* what follows is new */
    room_message_sample ring[ROOM_MESSAGE_SAMPLES_MAX];
} room_log;

/** Add a sample of a device, at a time of the session. Return false if it cannot be shared: its numbers are none, or there are too many
 *  devices. */
bool room_log_add(room_log *l, const char *device, int64_t time_ns, const pose_sample *sample);
/** Note of every device that it is not followed from then on. */
void room_log_cut(room_log *l, const char *device, int64_t time_ns);
/** Return whether a message would have anything new. */
bool room_log_has_new(const room_log *l);
/** Fill in the samples and their devices. Return false if there are none. */
bool room_log_fill(room_log *l, room_message_samples *out);
/** Forget devices that carry nothing any more. */
void room_log_keep(room_log *l, bool (*is_kept)(void *context, const char *device), void *context);

#endif
