/* The clients of the socket: who they are, what they asked for, what each is sent. A client is in the list from its
 * connection until its peer has ended, which the loop says later: the list never changes while events go out.
 * See socket.h. */
#include "ipc/tcp_socket.h"
#include "sinks/pose_list.h"
#include "sinks/socket_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Who said all it had to say and listens on, as `nc -U` does at the end of its input, stays if there is anything to hear.
 * What it pushed does not: no pose can follow, and over TCP it looks no different where it has gone altogether and is about to
 * come back and take its names again. */
static bool on_half_closed(void *context, peer *p)
{
    socket_sink *s = context;
    const client *c = peer_data(p);

    if (s->settings.gone && !s->closing)
        s->settings.gone(s->settings.context, c);
    return c->subscription.wanted.events != 0;
}

static void say_gone(socket_sink *s, const peer *p, peer_end end)
{
    char who[128];

    peer_describe(p, who, sizeof who);
    if (end == PEER_END_FOREIGN)
        refusals_say(&s->refusals, &s->settings.log, uv_now(s->settings.loop), who,
                     "closed a client %s: its first byte began no message", who);
    else
        logger_print_client(&s->settings.log, LOG_LEVEL_DEBUG, who,
                            "client %s has gone; %llu events were dropped for it", who,
                            (unsigned long long)peer_dropped(p));
}

static void free_if_over(socket_sink *s)
{
    if (!s->closing || s->client_count > 0 || !s->timer_closed)
        return;
    history_finish(&s->history);
    free(s);
}

static void on_timer_closed(uv_handle_t *timer)
{
    socket_sink *s = timer->data;

    s->timer_closed = true;
    free_if_over(s);
}

static void on_ended(void *context, peer *p, peer_end end)
{
    socket_sink *s = context;
    client *c = peer_data(p);

    if (end != PEER_END_STALLED && !s->closing)
        say_gone(s, p, end);
    if (c->previous)
        c->previous->next = c->next;
    else
        s->clients = c->next;
    if (c->next)
        c->next->previous = c->previous;
    s->client_count--;
    if (s->settings.gone && !s->closing)
        s->settings.gone(s->settings.context, c);
    free(c);
    free_if_over(s);
}

/* Its buffer is empty, so the line fits; what the kernel has it delivers after the close. */
static void refuse(socket_sink *s, int fd)
{
    protocol_error error = {.code = PROTOCOL_ERROR_LIMIT};
    size_t length;

    s->counters.clients_refused++;
    snprintf(error.message, sizeof error.message, "max_clients: %zu clients are connected, no more are allowed",
             s->settings.max_clients);
    length = protocol_encode_error(s->line, sizeof s->line, "", &error);
    if (length > 0 && send(fd, s->line, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        LOG_DEBUG(&s->settings.log, "a client that was refused did not wait to hear why");
    close(fd);
    refusals_say(&s->refusals, &s->settings.log, uv_now(s->settings.loop), "", "refused a client: %s", error.message);
}

static void link_client(socket_sink *s, client *c)
{
    c->next = s->clients;
    if (c->next)
        c->next->previous = c;
    s->clients = c;
    s->client_count++;
}

/* `from`: its address; NULL on the Unix socket. `id`: of an `auth` that has been accepted, "" where none is answered. */
static void add_client(socket_sink *s, int fd, const char *from, bool websocket, const char *id)
{
    const peer_listener reports = {.context = s,
                                   .line = socket_on_line,
                                   .too_long = socket_on_too_long,
                                   .half_closed = on_half_closed,
                                   .ended = on_ended};
    const peer_settings settings = {.queue_bytes = s->settings.queue_bytes,
                                    .reply_bytes = s->settings.reply_bytes,
                                    .stall_ms = s->settings.stall_ms,
                                    .from = from,
                                    .websocket = websocket,
                                    .first_byte = from && !websocket && !s->settings.require_token,
                                    .outbox = s->outbox,
                                    .log = s->settings.log};
    client *c;

    c = calloc(1, sizeof *c);
    if (!c) {
        close(fd);
        return;
    }
    c->sink = s;
    c->peer = peer_create(s->settings.loop, fd, &settings, &reports, &s->sent, c);
    if (!c->peer) {
        LOG_WARNING(&s->settings.log, "cannot serve a client: out of memory");
        free(c);
        return;
    }
    link_client(s, c);
    socket_send_ok(c, id);
    socket_send_hello(c);
}

static void on_connection(void *context, int fd)
{
    socket_sink *s = context;

    if (s->client_count < s->settings.max_clients)
        add_client(s, fd, NULL, false, "");
    else
        refuse(s, fd);
}

void socket_on_admitted(void *context, entrance_kind kind, int fd, const char *id)
{
    char from[ADDRESS_TEXT_MAX];

    tcp_socket_peer(fd, from);
    add_client(context, fd, from, kind == ENTRANCE_WEBSOCKET, id);
}

static wire_line *make_line(socket_sink *s, size_t length)
{
    if (length == 0) {
        if (s->counters.not_encoded++ == 0)
            LOG_ERROR(&s->settings.log, "an event did not fit into a line of %d bytes", PROTOCOL_LINE_MAX);
        return NULL;
    }
    wire_line *line = wire_line_create(s->line, length);
    if (line)
        line->stamp_ns = s->stamp_ns;
    return line;
}

static wire_line *make_event_line(socket_sink *s, const clash_event *event, protocol_axes axes)
{
    clash_event turned = *event;

    s->counters.events++;
    protocol_axes_event(axes, &turned);
    return make_line(s, protocol_encode_event(s->line, sizeof s->line, &turned, s->settings.epoch_ns));
}

/* Not a matter of the peer's queue: stands where the events would have stood. */
void socket_tell_missed(client *c, uint64_t from_seq, uint64_t to_seq)
{
    socket_sink *s = c->sink;
    const uint64_t missed = to_seq - from_seq + 1;

    s->sent.lagged++;
    s->sent.events_dropped += missed;
    peer_send_reply(c->peer, s->line, protocol_encode_lagged(s->line, sizeof s->line, from_seq, to_seq, missed));
}

/* What has no line is lost for this client, and it is told so. */
void socket_send_event(client *c, const clash_event *event, wire_line *lines[2])
{
    const protocol_axes axes = c->subscription.wanted.axes;
    wire_line **line = &lines[protocol_axes_are_mirrored(axes)];

    if (!*line)
        *line = make_event_line(c->sink, event, axes);
    if (*line)
        peer_send_event(c->peer, *line, event->seq);
    else
        socket_tell_missed(c, event->seq, event->seq);
}

static void on_event(void *context, const clash_event *event)
{
    socket_sink *s = context;
    wire_line *lines[2] = {NULL, NULL};

    history_add(&s->history, event);
    s->last_seq = event->seq;
    for (client *c = s->clients; c; c = c->next)
        if (!c->resuming && subscription_wants_event(&c->subscription, event))
            socket_send_event(c, event, lines);
    wire_line_release(lines[0]);
    wire_line_release(lines[1]);
}

/* Equal times: the later pose of a device takes the place of the earlier one. */
static void merge_pose(socket_sink *s, const protocol_pose *pose)
{
    size_t i = 0;

    while (i < s->pose_count && strcmp(s->poses[i].device, pose->device) != 0)
        i++;
    s->poses[i] = *pose;
    if (i == s->pose_count)
        s->pose_count++;
}

/* A waiting `poses` line is replaced by the next. So where a source splits one time over several frames, each line has all
 * poses of that time so far: then replacing loses nothing. */
static bool collect_poses(socket_sink *s, const pose_frame *frame)
{
    protocol_pose poses[POSE_FRAME_SAMPLES_MAX];
    size_t count = pose_list_fill(poses, frame, &s->settings.names, &s->counters.poses_refused);

    if (frame->time_ns != s->poses_time_ns || s->pose_count + count > SOCKET_POSES_MAX)
        s->pose_count = 0;
    s->poses_time_ns = frame->time_ns;
    for (size_t i = 0; i < count; i++)
        merge_pose(s, &poses[i]);
    return count > 0;
}

static wire_line *make_poses_line(socket_sink *s, protocol_axes axes)
{
    protocol_pose poses[SOCKET_POSES_MAX];

    for (size_t i = 0; i < s->pose_count; i++) {
        poses[i] = s->poses[i];
        poses[i].pose.position = protocol_axes_vec3(axes, poses[i].pose.position);
        poses[i].pose.orientation = protocol_axes_quat(axes, poses[i].pose.orientation);
    }
    return make_line(s, protocol_encode_poses(s->line, sizeof s->line, s->poses_time_ns - s->settings.epoch_ns, poses,
                                              s->pose_count));
}

static bool anybody_wants_poses(const socket_sink *s)
{
    for (const client *c = s->clients; c; c = c->next)
        if (subscription_wants_any_poses(&c->subscription))
            return true;
    return false;
}

static void on_frame(void *context, const pose_frame *frame)
{
    socket_sink *s = context;
    wire_line *lines[2] = {NULL, NULL};

    s->stamp_ns = frame->time_ns;
    if (!anybody_wants_poses(s) || !collect_poses(s, frame))
        return;
    for (client *c = s->clients; c; c = c->next) {
        const protocol_axes axes = c->subscription.wanted.axes;
        wire_line **line = &lines[protocol_axes_are_mirrored(axes)];

        if (!subscription_take_poses(&c->subscription, frame->samples[0].device, frame->time_ns))
            continue;
        if (!*line)
            *line = make_poses_line(s, axes);
        if (*line)
            peer_send_poses(c->peer, *line);
    }
    wire_line_release(lines[0]);
    wire_line_release(lines[1]);
}

void socket_sink_settled(socket_sink *s)
{
    s->stamp_ns = 0;
}

/* Stops listening: new clients come no more, those that there are stay. */
static void close_listeners(socket_sink *s)
{
    socket_close_entrances(s);
    listener_close(s->listener);
    s->listener = NULL;
}

/* No peer is in the outbox then, nor comes into it. */
static void close_handles(socket_sink *s)
{
    outbox_close(s->outbox);
    uv_close((uv_handle_t *)&s->resume_timer, on_timer_closed);
}

listener_result socket_sink_open(const socket_sink_settings *settings, socket_sink **out_sink, char *out_error,
                                 size_t error_size)
{
    socket_sink *s = calloc(1, sizeof *s);
    listener_result result;

    if (!s) {
        snprintf(out_error, error_size, "cannot listen on %s: out of memory", settings->path);
        return LISTENER_ERROR;
    }
    s->settings = *settings;
    s->sent.written = settings->written;
    s->sent.context = settings->context;
    s->outbox = outbox_create(settings->loop);
    if (!s->outbox || socket_resume_open(s) != 0) {
        snprintf(out_error, error_size, "cannot listen on %s: no timer, or no memory", settings->path);
        outbox_close(s->outbox);
        free(s);
        return LISTENER_ERROR;
    }
    result = listener_open(&(listener_settings){.loop = settings->loop,
                                                .path = settings->path,
                                                .make_directory = settings->make_directory,
                                                .log = settings->log,
                                                .context = s,
                                                .connection = on_connection},
                           &s->listener, out_error, error_size);
    if (result == LISTENER_OK)
        result = socket_open_entrances(s, out_error, error_size);
    if (result != LISTENER_OK) {
        close_listeners(s);
        s->closing = true;
        close_handles(s);
        return result;
    }
    s->settings.path = NULL; /* there are copies; the caller's may go */
    memset(s->settings.addresses, 0, sizeof s->settings.addresses);
    *out_sink = s;
    return LISTENER_OK;
}

event_sink socket_sink_port(socket_sink *s)
{
    return (event_sink){.context = s, .event = on_event, .frame = on_frame};
}

size_t socket_sink_clients(const socket_sink *s)
{
    return s->client_count;
}

static void stop_serving(socket_sink *s, void (*end_peer)(peer *p))
{
    if (!s)
        return;
    s->closing = true;
    close_listeners(s);
    for (client *c = s->clients; c; c = c->next)
        end_peer(c->peer);
    close_handles(s);
}

void socket_sink_close(socket_sink *s)
{
    stop_serving(s, peer_close);
}

void socket_sink_finish(socket_sink *s)
{
    for (client *c = s ? s->clients : NULL; c; c = c->next)
        socket_resume_rest(c);
    stop_serving(s, peer_finish);
}
