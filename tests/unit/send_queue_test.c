/* The queue of one peer, against a plain list that does the same the slow way. */
#include "support/line_client.h"
#include "support/random.h"

#include "ipc/send_queue.h"
#include "protocol/messages/codec.h"

#define MODEL_MAX 4096

typedef enum model_kind { MODEL_EVENT, MODEL_REPLY, MODEL_POSES } model_kind;

typedef struct model_line {
    model_kind kind;
    uint64_t seq;
    char text[160];
} model_line;

typedef struct model {
    model_line lines[MODEL_MAX];
    size_t count;
    size_t bytes_max;
    uint64_t from, to, missed;
} model;

static void model_remove(model *m, size_t index)
{
    memmove(&m->lines[index], &m->lines[index + 1], (m->count - index - 1) * sizeof m->lines[0]);
    m->count--;
}

static size_t model_event_bytes(const model *m, size_t *out_oldest)
{
    size_t bytes = 0;

    for (size_t i = m->count; i-- > 0;)
        if (m->lines[i].kind == MODEL_EVENT) {
            bytes += strlen(m->lines[i].text);
            *out_oldest = i;
        }
    return bytes;
}

static void model_push(model *m, const model_line *line)
{
    size_t oldest = 0;

    if (line->kind == MODEL_POSES)
        for (size_t i = 0; i < m->count; i++)
            if (m->lines[i].kind == MODEL_POSES) {
                m->lines[i] = *line;
                return;
            }
    assert_true(m->count < MODEL_MAX);
    m->lines[m->count++] = *line;
    while (model_event_bytes(m, &oldest) > m->bytes_max) {
        m->from = m->missed++ == 0 ? m->lines[oldest].seq : m->from;
        m->to = m->lines[oldest].seq;
        model_remove(m, oldest);
    }
}

static void model_pop(model *m, char *out_text, size_t size)
{
    if (m->lines[0].kind == MODEL_EVENT && m->missed > 0) {
        out_text[protocol_encode_lagged(out_text, size - 1, m->from, m->to, m->missed)] = '\0';
        m->missed = 0;
        return;
    }
    snprintf(out_text, size, "%s", m->lines[0].text);
    model_remove(m, 0);
}

static void make_line(model_line *out, random_state *random, uint64_t number)
{
    uint32_t kind = (uint32_t)(random_bits(random) % 10);
    int padding = (int)(random_bits(random) % 100);

    out->kind = kind < 7 ? MODEL_EVENT : kind < 9 ? MODEL_POSES : MODEL_REPLY;
    out->seq = number;
    snprintf(out->text, sizeof out->text, "%d %llu %.*s\n", (int)out->kind, (unsigned long long)number, padding,
             "....................................................................................................");
}

static void push(send_queue *q, const model_line *line)
{
    wire_line *shared = wire_line_create(line->text, strlen(line->text));

    assert_non_null(shared);
    if (line->kind == MODEL_EVENT)
        send_queue_push_event(q, shared, line->seq);
    else if (line->kind == MODEL_POSES)
        send_queue_push_poses(q, shared);
    else
        assert_true(send_queue_push_reply(q, shared));
    wire_line_release(shared);
}

static void pop_and_compare(send_queue *q, model *m)
{
    char expected[256];
    bool lagged;
    wire_line *line;

    assert_int_equal(send_queue_is_empty(q), m->count == 0);
    if (m->count == 0)
        return;
    line = send_queue_pop(q, &lagged);
    model_pop(m, expected, sizeof expected);
    assert_int_equal(line->length, strlen(expected));
    assert_memory_equal(line->bytes, expected, line->length);
    assert_int_equal(lagged, line_has_type(expected, "lagged"));
    wire_line_release(line);
}

/* Bursts of pushes and of pops of changing length: empty, overflowing and all between. */
static void same_as_a_plain_list(void **state)
{
    static model m;
    random_state random = {random_seed(7)};
    send_queue q;

    (void)state;
    for (size_t bytes_max = 0; bytes_max <= 4000; bytes_max += 400) {
        m = (model){.bytes_max = bytes_max};
        send_queue_init(&q, bytes_max);
        for (uint64_t number = 1; number < 4000;) {
            for (uint64_t n = random_bits(&random) % 60; n > 0; n--) {
                model_line line;
                make_line(&line, &random, number++);
                push(&q, &line);
                model_push(&m, &line);
            }
            for (uint64_t n = random_bits(&random) % 40; n > 0; n--)
                pop_and_compare(&q, &m);
        }
        while (m.count > 0)
            pop_and_compare(&q, &m);
        assert_true(send_queue_is_empty(&q));
        send_queue_finish(&q);
    }
}

/* A leak checker sees the lines that stay behind. */
static void finish_releases_what_waits(void **state)
{
    send_queue q;
    model_line line = {.kind = MODEL_EVENT, .seq = 1, .text = "x\n"};

    (void)state;
    send_queue_init(&q, 1000);
    for (int kind = MODEL_EVENT; kind <= MODEL_POSES; kind++) {
        line.kind = (model_kind)kind;
        push(&q, &line);
    }
    send_queue_finish(&q);
    assert_true(send_queue_is_empty(&q));
    send_queue_finish(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_a_plain_list),
        cmocka_unit_test(finish_releases_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
