/* The server's counters, and what waits in its clients' queues now, by name. See server.h. */
#include "server_private.h"

typedef struct queue_depths {
    uint64_t events, bytes, longest_bytes;
} queue_depths;

static queue_depths measure_queues(const server *s)
{
    queue_depths sum = {0};

    for (const client *c = s->clients; c; c = c->next) {
        const size_t bytes = peer_waiting(c->peer);

        sum.events += peer_waiting_events(c->peer);
        sum.bytes += bytes;
        sum.longest_bytes = bytes > sum.longest_bytes ? bytes : sum.longest_bytes;
    }
    return sum;
}

void server_list_counters(const server *s, counter_list *out)
{
    const listener_counters *listened = listener_get_counters(s->listener);
    const endpoint_counters entered = server_sum_endpoints(s);
    const queue_depths queues = measure_queues(s);
    const counter_row all[] = {
        {"clients_accepted", "clashd_clients_accepted_total", "Clients that were let in.",
         listened->accepted + entered.admitted},
        {"clients_refused", "clashd_clients_refused_total", "Clients refused: too many, or another user's.",
         s->counters.clients_refused + listened->refused_user + entered.refused_full},
        {"handshakes_refused", "clashd_handshakes_refused_total",
         "Connections that failed their handshake over TCP or HTTP.", entered.refused},
        {"clients_stalled", "clashd_clients_stalled_total", "Clients closed because they did not read.",
         s->sent.stalled},
        {"accept_errors", "clashd_accept_errors_total", "Failures to accept a connection.",
         listened->accept_errors + entered.accept_errors},
        {"requests", "clashd_requests_total", "Lines from clients.", s->counters.requests},
        {"bad_requests", "clashd_requests_refused_total", "Of those, answered by an error.", s->counters.bad_requests},
        {"lines_sent", "clashd_lines_sent_total", "Lines that went to clients.", s->sent.lines_sent},
        {"events_encoded", "clashd_events_encoded_total", "Events made into lines, once for each handedness of axes.",
         s->counters.events},
        {"events_dropped", "clashd_events_dropped_total", "Events dropped for clients that did not keep up.",
         s->sent.events_dropped},
        {"lagged_sent", "clashd_lagged_sent_total", "Lines that told a client what it missed.", s->sent.lagged},
        {"poses_conflated", "clashd_poses_conflated_total", "Lines of poses replaced by newer ones.",
         s->sent.poses_conflated},
        {"poses_refused", "clashd_poses_refused_total", "Poses that did not go to clients: not finite.",
         s->counters.poses_refused},
        {"reads_paused", "clashd_reads_paused_total", "Times that a client was not read because its replies piled up.",
         s->sent.reads_paused},
        {"lines_not_encoded", "clashd_lines_not_encoded_total", "Lines that would have been too long.",
         s->counters.not_encoded},
        {"pages_served", "clashd_pages_served_total", "Answers with this page.", entered.pages},
        {"handshakes_open", "clashd_handshakes_open",
         "Connections in their handshake now, and those that get this page.", server_count_pending(s)},
        {"queued_events", "clashd_queued_events", "Events that wait for clients now.", queues.events},
        {"queued_bytes", "clashd_queued_bytes", "Bytes of these.", queues.bytes},
        {"longest_queue_bytes", "clashd_longest_queue_bytes",
         "Bytes of events that wait for the client that has the most.", queues.longest_bytes},
    };

    counter_list_add(out, all, sizeof all / sizeof all[0]);
}
