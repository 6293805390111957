/* What the parts of the server share: server.c (clients and events), lines.c (lines of events and poses),
 * counters.c, requests.c (requests and replies), later.c (replies that take their time) and resume.c (events from the
 * history). Nobody else includes it. */
#ifndef CLASHD_SERVER_SERVER_PRIVATE_H
#define CLASHD_SERVER_SERVER_PRIVATE_H

#include "cli/failure.h"
#include "history.h"
#include "ipc/log_throttle.h"
#include "ipc/peer.h"
#include "server.h"
#include "subscription.h"

/** Poses of one line: frames of the same time are combined, see server_on_frame. */
#define SERVER_POSES_MAX 64

typedef struct kept_line kept_line;

typedef struct client {
    struct client *next, *previous;
    server *server;
    peer *peer;
    subscription subscription;
    bool is_trusted;     /* it came by the Unix socket, or showed the token */
    bool resuming;       /* gets events from the history, */
    uint64_t next_index; /* from this one on */
    uint64_t next_seq;   /* the next `seq` that it must see */
    uint64_t since_seq;  /* it has this event and those before, which are only taken note of; */
    uint64_t since_late; /* of late ones with that number it has those up to this id; 0: none */
    bool is_waiting;     /* for the answer to a push, for a reload, or for its turn */
    bool is_reloading;   /* for a reload */
    bool is_reloaded;    /* the reload is over; its answer comes next */
    bool is_queued;      /* its request was SERVER_BUSY and is the first line kept */
    bool is_leaving;     /* it will send nothing beyond what is kept */
    bool awaits_feed;    /* its last `feed` was refused because another client feeds */
    char waiting_id[PROTOCOL_ID_MAX];
    double waiting_gap_ms; /* of a feed that waits for its answer; else 0 */
    kept_line *kept;       /* lines that came while it waits */
} client;

typedef struct server_counters {
    uint64_t clients_refused; /* above the limit */
    uint64_t requests;
    uint64_t bad_requests; /* answered with an error */
    uint64_t events;       /* encoded because somebody wanted them; once for each handedness of axes */
    uint64_t poses_refused;
    uint64_t not_encoded; /* did not fit a line */
} server_counters;

struct server {
    server_settings settings;
    outbox *outbox; /* of the clients */
    listener *listener;
    endpoint *endpoints[SERVER_ENDPOINTS]; /* NULL: none */
    token token;                           /* zeroed: none */
    page_route *pages;                     /* NULL: none */
    size_t disk_jobs;                      /* of pages that come from the disk, how many are looked for */
    client *clients;
    size_t client_count;
    bool closing;
    server_counters counters;
    log_throttle refused;
    peer_counters sent;
    history history;
    uint64_t last_seq; /* of the session's last event */
    uv_timer_t resume_timer;
    bool timer_closed;
    int64_t stamp_ns; /* of the frame whose events come now; 0: none */
    int64_t poses_time_ns;
    size_t pose_count;
    protocol_pose poses[SERVER_POSES_MAX];
    pose_sample samples[SERVER_POSES_MAX]; /* of the same devices */
    bool are_resolved;                     /* `resolved` belongs to the next poses */
    pose_resolved resolved[SERVER_POSES_MAX];
    char line[PROTOCOL_LINE_MAX];
    protocol_request request; /* being carried out */
};

/** Ask the owner, or report to it; `client` may be NULL. */
static inline server_answer server_ask_owner(server *s, server_ask_kind kind, const client *c, server_reply *out_reply)
{
    return s->settings.ask(s->settings.context, &(server_ask){.kind = kind, .client = c, .request = &s->request},
                           out_reply);
}

/** Send the `ok` to the `auth` with which a client came in; nothing if the id is empty. */
void server_send_ok(client *c, const char *id);
/** The `ok` of a feed. */
void server_send_fed(client *c, const char *id, double max_gap_ms);
/** The lines of one event, or of one time's poses; each is made for the first client that wants it in that form. */
typedef struct server_lines {
    bool is_live;          /* it happens now, so where blades' pictures should stop can be computed */
    wire_line *made[2][2]; /* by mirrored and resolved; NULL: not made yet */
} server_lines;

void server_release_lines(server_lines *lines);
/** Send an event that the client wants, in its axes. */
void server_send_event(client *c, const clash_event *event, server_lines *lines);
/** The `frame` of its sink. */
void server_on_frame(void *context, const pose_frame *frame);
/** Send a `lagged` for events that it should have had and cannot get. */
void server_send_lagged(client *c, uint64_t from_seq, uint64_t to_seq);
/** Return 0, or a libuv error. */
int server_resume_open(server *s);
/** Send what came after the event that the client says it has, then go on live. */
void server_resume(client *c);
/** Send all that is left at once. */
void server_resume_rest(client *c);
/** The endpoints' `admitted`. */
void server_on_admitted(void *context, endpoint_kind kind, int fd, const char *id);
/** Call after the Unix socket is open: its lock makes sure that the token's file is ours. */
listener_result server_open_endpoints(server *s, failure *out_failure);
void server_close_endpoints(server *s);
/** Free the server if it is closed and nothing of it is left. */
void server_free_if_over(server *s);
/** Let the endpoint answer plain requests of HTTP. Return 0, or -1 when out of memory. */
int server_open_pages(server *s, endpoint_settings *settings, failure *out_failure);
endpoint_counters server_sum_endpoints(const server *s);
size_t server_count_pending(const server *s);
/** Send the first line that every client gets, and whoever asks for it by an id again. */
void server_send_hello(client *c, const char *id);
/** Answer a client's request, or "". */
void server_send_error(client *c, const char *id, const protocol_error *error);
/** It closed its sending side, and everything it asked before is answered. */
void server_leave(client *c);
/** Its request is answered later: until then keep its lines and do not read it. */
void server_wait(client *c, const char *id);
void server_keep_line(client *c, const char *line, size_t length);
void server_forget_lines(client *c);
/** Its request, this line, waits until server_serve; otherwise like server_wait. */
void server_queue_request(client *c, const char *line, size_t length);
/** The peer_listener's callbacks: a request, and a line too long to be one. */
void server_on_line(void *context, peer *p, const char *line, size_t length);
void server_on_too_long(void *context, peer *p);

#endif
