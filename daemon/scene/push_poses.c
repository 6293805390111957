/* Poses that clients push, by the contract in ports/pose_rules.h: each is judged by itself, and the reply names what is
 * wrong with the first bad one. See push.h. */
#include "push_private.h"

#include "feeds.h"

/* One message on its way to the scene. */
typedef struct pushed {
    push *push;
    const void *client;
    int64_t time_ns, now_ns; /* CLOCK_MONOTONIC */
    pose_frames frames;      /* of the good ones */
    uint64_t taken;
} pushed;

static void on_frame(void *context, const pose_frame *frame)
{
    const pushed *m = context;

    scene_frame(m->push->settings.scene, m->client, frame, m->now_ns);
}

static int refuse_time(const pushed *m, push_counters *counters, const char *name, pose_verdict verdict,
                       protocol_error *out_error)
{
    if (verdict == POSE_FUTURE) {
        counters->future++;
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_TIME, "time_ns: %.1f ms in the future, 50 ms are allowed",
                               (double)(m->time_ns - m->now_ns) * 1e-6);
    }
    counters->late++;
    return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_TIME,
                           "time_ns: expected a time after that of the last pose of \"%s\", and not over 1 s ago",
                           name);
}

static bool stands_before(const protocol_own_poses *poses, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(poses->poses[i].device, poses->poses[index].device) == 0)
            return true;
    return false;
}

/* Return 0, or -1 with what is wrong. */
static int take_pose(pushed *m, const protocol_own_poses *poses, size_t index, push_counters *counters,
                     protocol_error *out_error)
{
    const protocol_own_pose *from = &poses->poses[index];
    pose_sample sample = {0, pose_flags_of(from->valid, from->tracked, from->teleport), from->pose};
    pose_arrivals *arrivals = NULL;
    pose_verdict verdict;

    if (m->client)
        arrivals = scene_find_arrivals(m->push->settings.scene, m->client, from->device, &sample.device);
    if (!arrivals)
        return protocol_refuse(
            out_error, PROTOCOL_ERROR_UNKNOWN_NAME,
            "poses: no blade of this client is on a device \"%s\", nor does it feed one: define one first",
            from->device);
    verdict = pose_take(&m->frames, arrivals, &sample, m->now_ns);
    m->taken += verdict == POSE_GOOD;
    if (verdict == POSE_GOOD)
        return 0;
    if (verdict == POSE_LATE && stands_before(poses, index))
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "poses: \"%s\" stands twice", from->device);
    if (verdict == POSE_LATE || verdict == POSE_FUTURE)
        return refuse_time(m, counters, from->device, verdict, out_error);
    counters->bad++;
    return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "poses: %.60s: %s", from->device,
                           pose_verdict_text(verdict));
}

/* Only the first bad pose is reported and counted. */
static int take_poses(pushed *m, const protocol_own_poses *poses, protocol_error *out_error)
{
    push_counters uncounted = {0};
    protocol_error unsaid;
    int result = 0;

    for (size_t i = 0; i < poses->count; i++) {
        const bool is_first = result == 0;

        if (take_pose(m, poses, i, is_first ? &m->push->counters : &uncounted, is_first ? out_error : &unsaid) != 0)
            result = -1;
    }
    if (m->taken > 0)
        pose_frames_end(&m->frames, false);
    return result;
}

/* None of the message is taken. */
static void refuse_all(const pushed *m, const protocol_own_poses *poses)
{
    for (size_t i = 0; i < poses->count; i++) {
        const protocol_own_pose *from = &poses->poses[i];
        uint32_t ignored;
        pose_arrivals *arrivals = scene_find_arrivals(m->push->settings.scene, m->client, from->device, &ignored);

        if (arrivals)
            pose_refuse(arrivals, m->time_ns, pose_flags_of(from->valid, from->tracked, from->teleport));
    }
}

int push_take_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t now_ns, protocol_error *out_error)
{
    pushed message = {.push = p,
                      .client = o ? o->client : NULL,
                      .time_ns = p->settings.epoch_ns + (poses->has_time ? poses->time_ns : now_ns),
                      .now_ns = p->settings.epoch_ns + now_ns};
    int result;

    message.frames = (pose_frames){&message, on_frame, .pending.time_ns = message.time_ns};
    if (o && !pose_rate_take(&o->rate, now_ns)) {
        p->counters.limited++;
        refuse_all(&message, poses);
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "poses: at most %d messages a second", POSE_RATE_HZ);
    }
    result = take_poses(&message, poses, out_error);
    p->counters.messages += result == 0 || message.taken > 0;
    p->counters.poses += message.taken;
    return result != 0 && message.taken > 0 ? PUSH_PARTLY : result;
}

bool push_check_silence(push *p, int64_t now_ns)
{
    const int64_t time_ns = p->settings.epoch_ns + now_ns;

    p->counters.silent += scene_check_silence(p->settings.scene, time_ns, time_ns - p->settings.timeout_ns);
    return p->owners || p->settings.scene->is_sent_poses;
}
