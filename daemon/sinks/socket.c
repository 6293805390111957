/* The clients of the socket: who they are, what they asked for, what each is sent. A client is in the list from its
 * connection until its peer has ended, which the loop says later: the list never changes while events go out.
 * See socket.h. */
#include "sinks/pose_list.h"
#include "sinks/socket_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Who said all it had to say and listens on, as `nc -U` does at the end of its input, stays if there is anything to hear. */
static bool on_half_closed(void *context, peer *p)
{
    const client *c = peer_data(p);

    (void)context;
    return c->subscription.wanted.events != 0;
}

static void on_ended(void *context, peer *p, peer_end end)
{
    socket_sink *s = context;
    client *c = peer_data(p);

    if (end != PEER_END_STALLED && !s->closing)
        LOG_DEBUG(&s->settings.log, "client pid %ld has gone; %llu events were dropped for it", (long)peer_pid(p),
                  (unsigned long long)peer_dropped(p));
    if (c->previous)
        c->previous->next = c->next;
    else
        s->clients = c->next;
    if (c->next)
        c->next->previous = c->previous;
    free(c);
    s->client_count--;
    if (s->closing && s->client_count == 0)
        free(s);
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
    LOG_WARNING(&s->settings.log, "refused a client: %s", error.message);
}

static void link_client(socket_sink *s, client *c)
{
    c->next = s->clients;
    if (c->next)
        c->next->previous = c;
    s->clients = c;
    s->client_count++;
}

static void on_connection(void *context, int fd)
{
    socket_sink *s = context;
    const peer_listener reports = {.context = s,
                                   .line = socket_on_line,
                                   .too_long = socket_on_too_long,
                                   .half_closed = on_half_closed,
                                   .ended = on_ended};
    const peer_settings settings = {.queue_bytes = s->settings.queue_bytes,
                                    .reply_bytes = s->settings.reply_bytes,
                                    .stall_ms = s->settings.stall_ms,
                                    .log = s->settings.log};
    client *c;

    if (s->client_count >= s->settings.max_clients) {
        refuse(s, fd);
        return;
    }
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
    socket_send_hello(c);
}

static wire_line *make_line(socket_sink *s, size_t length)
{
    if (length == 0) {
        if (s->counters.not_encoded++ == 0)
            LOG_ERROR(&s->settings.log, "an event did not fit into a line of %d bytes", PROTOCOL_LINE_MAX);
        return NULL;
    }
    return wire_line_create(s->line, length);
}

static void on_event(void *context, const clash_event *event)
{
    socket_sink *s = context;
    wire_line *line = NULL;

    for (client *c = s->clients; c; c = c->next) {
        if (!subscription_wants_event(&c->subscription, event))
            continue;
        if (!line) {
            s->counters.events++;
            line = make_line(s, protocol_encode_event(s->line, sizeof s->line, event, s->settings.epoch_ns));
            if (!line)
                return;
        }
        peer_send_event(c->peer, line, event->seq);
    }
    wire_line_release(line);
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
static wire_line *make_poses_line(socket_sink *s, const pose_frame *frame)
{
    protocol_pose poses[POSE_FRAME_SAMPLES_MAX];
    size_t count = pose_list_fill(poses, frame, &s->settings.names, &s->counters.poses_refused);

    if (frame->time_ns != s->poses_time_ns || s->pose_count + count > SOCKET_POSES_MAX)
        s->pose_count = 0;
    s->poses_time_ns = frame->time_ns;
    for (size_t i = 0; i < count; i++)
        merge_pose(s, &poses[i]);
    if (count == 0)
        return NULL;
    return make_line(s, protocol_encode_poses(s->line, sizeof s->line, frame->time_ns - s->settings.epoch_ns, s->poses,
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
    wire_line *line;

    if (!anybody_wants_poses(s))
        return;
    line = make_poses_line(s, frame);
    if (!line)
        return;
    for (client *c = s->clients; c; c = c->next)
        if (subscription_take_poses(&c->subscription, frame->time_ns))
            peer_send_poses(c->peer, line);
    wire_line_release(line);
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
    result = listener_open(&(listener_settings){.loop = settings->loop,
                                                .path = settings->path,
                                                .make_directory = settings->make_directory,
                                                .log = settings->log,
                                                .context = s,
                                                .connection = on_connection},
                           &s->listener, out_error, error_size);
    if (result != LISTENER_OK) {
        free(s);
        return result;
    }
    s->settings.path = NULL; /* the listener has a copy; the caller's may go */
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

size_t socket_sink_list_counters(const socket_sink *s, protocol_counter *out_counters, size_t size)
{
    const listener_counters *listened = listener_get_counters(s->listener);
    const protocol_counter all[] = {
        {"clients_accepted", listened->accepted},
        {"clients_refused", s->counters.clients_refused + listened->refused_user},
        {"clients_stalled", s->sent.stalled},
        {"accept_errors", listened->accept_errors},
        {"requests", s->counters.requests},
        {"bad_requests", s->counters.bad_requests},
        {"lines_sent", s->sent.lines_sent},
        {"events_encoded", s->counters.events},
        {"events_dropped", s->sent.events_dropped},
        {"lagged_sent", s->sent.lagged},
        {"poses_conflated", s->sent.poses_conflated},
        {"poses_refused", s->counters.poses_refused},
        {"reads_paused", s->sent.reads_paused},
        {"lines_not_encoded", s->counters.not_encoded},
    };
    size_t count = sizeof all / sizeof all[0];

    if (count > size)
        count = size;
    memcpy(out_counters, all, count * sizeof all[0]);
    return count;
}

static void stop_serving(socket_sink *s, void (*end_peer)(peer *p))
{
    if (!s)
        return;
    s->closing = true;
    listener_close(s->listener);
    for (client *c = s->clients; c; c = c->next)
        end_peer(c->peer);
    if (s->client_count == 0)
        free(s);
}

void socket_sink_close(socket_sink *s)
{
    stop_serving(s, peer_close);
}

void socket_sink_finish(socket_sink *s)
{
    stop_serving(s, peer_finish);
}
