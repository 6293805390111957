/* See room_log.h. */
#include "room_log.h"

#include "ports/pose_rules.h"

#include <string.h>

static uint32_t find_device(room_log *l, const char *name)
{
    const size_t length = strnlen(name, PROTOCOL_NAME_MAX);

    for (uint32_t i = 0; i < l->device_count; i++)
        if (strcmp(l->devices[i], name) == 0)
            return i;
    if (l->device_count == ROOM_MESSAGE_DEVICES_MAX || length == PROTOCOL_NAME_MAX)
        return ROOM_MESSAGE_DEVICES_MAX;
    memcpy(l->devices[l->device_count], name, length + 1);
    l->has_last[l->device_count] = false;
    return (uint32_t)l->device_count++;
}

static void put(room_log *l, const room_message_sample *sample)
{
    l->ring[l->next++ % ROOM_MESSAGE_SAMPLES_MAX] = *sample;
    l->last_ns[sample->device] = sample->time_ns;
    l->has_last[sample->device] = true;
}

bool room_log_add(room_log *l, const char *device, int64_t time_ns, const pose_sample *sample)
{
    const uint32_t at = find_device(l, device);
    const bool is_valid = (sample->flags & POSE_VALID) != 0;

    if (at == ROOM_MESSAGE_DEVICES_MAX || (is_valid && !pose_is_finite(&sample->pose)))
        return false;
    /* When another feed goes on at the time of the last one's end, both samples count: the later one comes a nanosecond later. */
    if (sample->flags & POSE_OTHER_FEED && l->has_last[at] && l->last_ns[at] == time_ns)
        time_ns++;
    put(l, &(room_message_sample){.device = at,
                                  .is_valid = is_valid,
                                  .is_tracked = (sample->flags & POSE_TRACKED) != 0,
                                  .is_teleport = (sample->flags & POSE_TELEPORT) != 0,
                                  .time_ns = time_ns,
                                  .pose = sample->pose});
    return true;
}

void room_log_cut(room_log *l, const char *device, int64_t time_ns)
{
    for (uint32_t i = 0; i < l->device_count; i++)
        if ((!device || strcmp(l->devices[i], device) == 0) && l->has_last[i])
            put(l, &(room_message_sample){.device = i, .time_ns = time_ns > l->last_ns[i] ? time_ns : l->last_ns[i]});
}

bool room_log_has_new(const room_log *l)
{
    return l->next > l->told;
}

bool room_log_fill(room_log *l, room_message_samples *out)
{
    uint64_t first = l->sent[0];

    if (l->next - first > ROOM_MESSAGE_SAMPLES_MAX)
        first = l->next - ROOM_MESSAGE_SAMPLES_MAX;
    memcpy(out->devices, l->devices, sizeof out->devices);
    out->device_count = l->device_count;
    out->first = first;
    out->count = (size_t)(l->next - first);
    for (size_t i = 0; i < out->count; i++)
        out->samples[i] = l->ring[(first + i) % ROOM_MESSAGE_SAMPLES_MAX];
    memmove(l->sent, l->sent + 1, sizeof l->sent - sizeof l->sent[0]);
    l->sent[ROOM_REPEATS - 1] = l->told;
    l->told = l->next;
    return out->count > 0;
}

/* Forget the ring: its samples name devices by index, which changes when one goes. */
void room_log_keep(room_log *l, bool (*is_kept)(void *context, const char *device), void *context)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->device_count; i++) {
        if (!is_kept(context, l->devices[i]))
            continue;
        if (kept < i) {
            memcpy(l->devices[kept], l->devices[i], sizeof l->devices[kept]);
            l->last_ns[kept] = l->last_ns[i];
            l->has_last[kept] = l->has_last[i];
        }
        kept++;
    }
    if (kept == l->device_count)
        return;
    l->device_count = kept;
    l->told = l->next;
    for (size_t i = 0; i < ROOM_REPEATS; i++)
        l->sent[i] = l->next;
}
