/* What the socket sink counts, and how much waits in the queues of its clients now, each under a name. See socket.h. */
#include "socket_private.h"

#include <string.h>

typedef struct queue_depths {
    uint64_t events, bytes, longest_bytes;
} queue_depths;

static queue_depths measure_queues(const socket_sink *s)
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

size_t socket_sink_list_counters(const socket_sink *s, protocol_counter *out_counters, size_t size)
{
    const listener_counters *listened = listener_get_counters(s->listener);
    const entrance_counters entered = socket_sum_entrances(s);
    const queue_depths queues = measure_queues(s);
    const protocol_counter all[] = {
        {"clients_accepted", listened->accepted + entered.admitted},
        {"clients_refused", s->counters.clients_refused + listened->refused_user + entered.refused_full},
        {"handshakes_refused", entered.refused},
        {"clients_stalled", s->sent.stalled},
        {"accept_errors", listened->accept_errors + entered.accept_errors},
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
        {"pages_served", entered.pages},
        {"handshakes_open", socket_count_doors(s)},
        {"queued_events", queues.events},
        {"queued_bytes", queues.bytes},
        {"longest_queue_bytes", queues.longest_bytes},
    };
    size_t count = sizeof all / sizeof all[0];

    if (count > size)
        count = size;
    memcpy(out_counters, all, count * sizeof all[0]);
    return count;
}
