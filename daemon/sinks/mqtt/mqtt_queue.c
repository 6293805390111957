/* See mqtt_queue.h. */
#include "mqtt_queue.h"

#include <stdlib.h>
#include <string.h>

/* About what the heap takes for a message besides its line. */
static size_t size_of(const mqtt_message *m)
{
    return sizeof *m + m->length;
}

void mqtt_queue_miss(mqtt_queue *q, uint64_t seq)
{
    if (q->missed == 0 || seq < q->missed_from)
        q->missed_from = seq;
    if (q->missed == 0 || seq > q->missed_to)
        q->missed_to = seq;
    q->missed++;
    q->dropped++;
}

static mqtt_message *take_first(mqtt_queue *q)
{
    mqtt_message *m = q->first;

    q->first = m->next;
    if (!q->first)
        q->last = NULL;
    m->next = NULL;
    return m;
}

static void drop_first(mqtt_queue *q)
{
    mqtt_message *m = take_first(q);

    mqtt_queue_miss(q, m->seq);
    q->bytes -= size_of(m);
    free(m);
}

void mqtt_queue_push(mqtt_queue *q, mqtt_kind kind, uint64_t seq, const char *payload, size_t length)
{
    mqtt_message *m = malloc(sizeof *m + length);

    if (!m) {
        mqtt_queue_miss(q, seq);
        return;
    }
    *m = (mqtt_message){.seq = seq, .kind = kind, .length = length};
    memcpy(m->payload, payload, length);
    if (q->last)
        q->last->next = m;
    else
        q->first = m;
    q->last = m;
    q->bytes += size_of(m);
    while (q->first && q->bytes > q->bytes_max)
        drop_first(q);
}

void mqtt_queue_sent(mqtt_queue *q, int mid)
{
    mqtt_message *m = take_first(q), **end = &q->flying;

    if (mqtt_ways[m->kind].qos == 0) {
        q->bytes -= size_of(m);
        free(m);
        return;
    }
    m->mid = mid;
    while (*end)
        end = &(*end)->next;
    *end = m;
    q->flying_count++;
}

bool mqtt_queue_acknowledge(mqtt_queue *q, int mid)
{
    for (mqtt_message **at = &q->flying; *at; at = &(*at)->next) {
        mqtt_message *m = *at;

        if (m->mid != mid)
            continue;
        *at = m->next;
        q->flying_count--;
        q->bytes -= size_of(m);
        free(m);
        return true;
    }
    return false;
}

void mqtt_queue_land(mqtt_queue *q)
{
    mqtt_message **end = &q->flying;

    if (!q->flying)
        return;
    while (*end)
        end = &(*end)->next;
    if (!q->first)
        for (q->last = q->flying; q->last->next;)
            q->last = q->last->next;
    *end = q->first;
    q->first = q->flying;
    q->flying = NULL;
    q->flying_count = 0;
}

void mqtt_queue_give_up(mqtt_queue *q)
{
    mqtt_queue_land(q);
    while (q->first)
        drop_first(q);
}

void mqtt_queue_finish(mqtt_queue *q)
{
    mqtt_queue_give_up(q);
}
