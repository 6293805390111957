/* Lines of events and poses. Each is made once, for the first client that wants it in these axes and with or without
 * where blades' pictures should stop; that is computed only if somebody asked for it. See server.h. */
#include "recorder/pose_list.h"
#include "server_private.h"

#include <string.h>

void server_release_lines(server_lines *lines)
{
    for (int i = 0; i < 4; i++)
        wire_line_release(lines->made[i / 2][i % 2]);
}

static wire_line *make_line(server *s, size_t length)
{
    wire_line *line;

    if (length == 0) {
        if (s->counters.not_encoded++ == 0)
            LOG_ERROR(&s->settings.log, "an event did not fit into a line of %d bytes", PROTOCOL_LINE_MAX);
        return NULL;
    }
    line = wire_line_create(s->line, length);
    if (line)
        line->stamp_ns = s->stamp_ns;
    return line;
}

/* ---- events ---- */

static protocol_resolved resolved_on_wire(const pose_resolved *from, protocol_axes axes)
{
    static const protocol_resolution kinds[] = {
        [POSE_RESOLUTION_NONE] = PROTOCOL_RESOLUTION_NONE,     [POSE_RESOLUTION_FREE] = PROTOCOL_RESOLUTION_AT,
        [POSE_RESOLUTION_MOVED] = PROTOCOL_RESOLUTION_AT,      [POSE_RESOLUTION_STUCK] = PROTOCOL_RESOLUTION_NOWHERE,
        [POSE_RESOLUTION_SPENT] = PROTOCOL_RESOLUTION_NOWHERE,
    };

    return (protocol_resolved){kinds[from->result], protocol_axes_pose(axes, from->pose)};
}

static size_t encode_event(server *s, const clash_event *event, protocol_axes axes, bool is_resolved)
{
    clash_event turned = *event;
    pose_resolved found[2];
    protocol_resolved resolved[2];

    protocol_axes_event(axes, &turned);
    if (!is_resolved)
        return protocol_encode_event(s->line, sizeof s->line, &turned, s->settings.epoch_ns);
    s->settings.resolver.event(s->settings.resolver.context, event, found);
    for (int i = 0; i < 2; i++)
        resolved[i] = resolved_on_wire(&found[i], axes);
    return protocol_encode_resolved_event(s->line, sizeof s->line, &turned, resolved, s->settings.epoch_ns);
}

/* Send a line made from `lines`. If an event does not fit a line, report to the client that it was lost. */
static void send_line(client *c, const clash_event *event, server_lines *lines)
{
    server *s = c->server;
    const protocol_subscribe *wanted = &c->subscription.wanted;
    const bool is_resolved = wanted->resolved_poses && lines->is_live && s->settings.resolver.event &&
                             (event->kind == CLASH_EVENT_CLASH || event->kind == CLASH_EVENT_HOLD);
    wire_line **line = &lines->made[protocol_axes_are_mirrored(wanted->axes)][is_resolved];

    if (!*line) {
        s->counters.events++;
        *line = make_line(s, encode_event(s, event, wanted->axes, is_resolved));
    }
    if (*line)
        peer_send_event(c->peer, *line, event->seq);
    else
        server_send_lagged(c, event->seq, event->seq);
}

/* A late clash may be faster than the session's peak, which does not count the starts of intervals: a client that received
 * it gets a release of its own. A late_speed of 0 means that none was late; a peak below 0, that the two only parted. */
void server_send_event(client *c, const clash_event *event, server_lines *lines)
{
    const float late_speed = c->subscription.late_speed;
    clash_event release = *event;
    server_lines own = {.is_live = lines->is_live};

    if (event->kind != CLASH_EVENT_RELEASE || late_speed <= 0.0f ||
        late_speed <= event->as.release.peak_closing_speed) {
        send_line(c, event, lines);
        return;
    }
    release.as.release.peak_closing_speed = late_speed;
    send_line(c, &release, &own);
    server_release_lines(&own);
}

/* ---- poses ---- */

/* At an equal time the later pose of a device replaces the earlier one. */
static void merge_pose(server *s, const protocol_pose *pose, const pose_sample *sample)
{
    size_t i = 0;

    while (i < s->pose_count && strcmp(s->poses[i].device, pose->device) != 0)
        i++;
    s->poses[i] = *pose;
    s->samples[i] = *sample;
    if (i == s->pose_count)
        s->pose_count++;
}

/* A waiting `poses` line is replaced by the next one. If a source splits one time over several frames, each line has
 * all poses of that time so far, so replacing loses nothing. */
static bool collect_poses(server *s, const pose_frame *frame)
{
    bool any = false;

    if (frame->time_ns != s->poses_time_ns || s->pose_count + frame->count > SERVER_POSES_MAX)
        s->pose_count = 0;
    s->poses_time_ns = frame->time_ns;
    s->are_resolved = false;
    for (uint32_t i = 0; i < frame->count && i < POSE_FRAME_SAMPLES_MAX; i++) {
        protocol_pose pose;

        if (pose_list_fill_one(&pose, &frame->samples[i], &s->settings.names)) {
            merge_pose(s, &pose, &frame->samples[i]);
            any = true;
        } else {
            s->counters.poses_refused++;
        }
    }
    return any;
}

/* Add only blades whose pictures should stop elsewhere. Computed once for all lines of a frame. */
static void add_resolved(server *s, protocol_pose *poses, protocol_axes axes)
{
    if (!s->are_resolved)
        s->settings.resolver.poses(s->settings.resolver.context, s->poses_time_ns, s->samples, s->pose_count,
                                   s->resolved);
    s->are_resolved = true;
    for (size_t i = 0; i < s->pose_count; i++)
        if (s->resolved[i].result != POSE_RESOLUTION_FREE)
            poses[i].resolved = resolved_on_wire(&s->resolved[i], axes);
}

static wire_line *make_poses_line(server *s, protocol_axes axes, bool is_resolved)
{
    protocol_pose poses[SERVER_POSES_MAX];

    for (size_t i = 0; i < s->pose_count; i++) {
        poses[i] = s->poses[i];
        poses[i].pose = protocol_axes_pose(axes, poses[i].pose);
    }
    if (is_resolved)
        add_resolved(s, poses, axes);
    return make_line(s, protocol_encode_poses(s->line, sizeof s->line, s->poses_time_ns - s->settings.epoch_ns, poses,
                                              s->pose_count));
}

static bool anybody_wants_poses(const server *s)
{
    for (const client *c = s->clients; c; c = c->next)
        if (subscription_wants_any_poses(&c->subscription))
            return true;
    return false;
}

void server_on_frame(void *context, const pose_frame *frame)
{
    server *s = context;
    server_lines lines = {.is_live = true};

    s->stamp_ns = frame->time_ns;
    if (s->settings.resolver.frame)
        s->settings.resolver.frame(s->settings.resolver.context, frame->time_ns);
    if (!anybody_wants_poses(s) || !collect_poses(s, frame))
        return;
    for (client *c = s->clients; c; c = c->next) {
        const protocol_subscribe *wanted = &c->subscription.wanted;
        const bool is_resolved = wanted->resolved_poses && s->settings.resolver.poses;
        wire_line **line = &lines.made[protocol_axes_are_mirrored(wanted->axes)][is_resolved];

        if (!subscription_take_poses(&c->subscription, frame->samples[0].device, frame->time_ns))
            continue;
        if (!*line)
            *line = make_poses_line(s, wanted->axes, is_resolved);
        if (*line)
            peer_send_poses(c->peer, *line);
    }
    server_release_lines(&lines);
}
