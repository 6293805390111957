/* Brokers that send what no broker should: every kind of packet with every property, and noise. Whatever becomes of the process that
 * talks to them, this one learns that the connection is over, warns, and connects to a good broker afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sinks/mqtt/mqtt_helper.h"
#include "sinks/mqtt/mqtt_link.h"
#include "support/random.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROPERTIES 48 /* those of MQTT 5 end at 42 */
#define NOISE_TRIALS 500
#define NOISE_PACKETS 20 /* in each */
#define PACKET_MAX 64

static const unsigned char yes[] = {0x20, 3, 0, 0, 0};
/* The broker's packets, each with what precedes its properties. */
static const struct {
    unsigned char type, length, before[8];
} kinds[] = {
    {0x20, 2, {0, 0}},            /* CONNACK */
    {0x30, 3, {0, 1, 'a'}},       /* PUBLISH */
    {0x32, 5, {0, 1, 'a', 0, 1}}, /* of QoS 1 */
    {0x34, 5, {0, 1, 'a', 0, 1}}, /* of QoS 2 */
    {0x40, 3, {0, 1, 0}},         /* PUBACK */
    {0x50, 3, {0, 1, 0}},         /* PUBREC */
    {0x62, 3, {0, 1, 0}},         /* PUBREL */
    {0x70, 3, {0, 1, 0}},         /* PUBCOMP */
    {0x90, 2, {0, 1}},            /* SUBACK */
    {0xb0, 2, {0, 1}},            /* UNSUBACK */
    {0xe0, 1, {0}},               /* DISCONNECT */
    {0xf0, 1, {0x18}},            /* AUTH */
};
#define KINDS (sizeof kinds / sizeof kinds[0])
#define TRIALS (KINDS * PROPERTIES + NOISE_TRIALS)

/* ---- the broker: a process, which ends with the test's ---- */

static size_t add(unsigned char *out, size_t length, const void *more, size_t count)
{
    memcpy(out + length, more, count);
    return length + count;
}

/* One packet with one property, with room for the longest value. */
static size_t with_property(unsigned char *out, size_t kind, unsigned char property)
{
    const unsigned char value[] = {property, 0, 1, 'x', 0, 1, 'y'};
    size_t length = kinds[kind].type == 0x20 ? 0 : add(out, 0, yes, sizeof yes);

    out[length++] = kinds[kind].type;
    out[length++] = (unsigned char)(kinds[kind].length + 1 + sizeof value);
    length = add(out, length, kinds[kind].before, kinds[kind].length);
    out[length++] = sizeof value;
    return add(out, length, value, sizeof value);
}

static size_t noise(unsigned char *out, random_state *seed)
{
    size_t length = random_bits(seed) % 4 == 0 ? 0 : add(out, 0, yes, sizeof yes);

    for (int i = 0; i < NOISE_PACKETS; i++) {
        const size_t count = random_bits(seed) % (PACKET_MAX - 2);
        const bool is_whole = random_bits(seed) % 8 != 0;

        out[length++] = (unsigned char)random_bits(seed);
        out[length++] = (unsigned char)(is_whole ? count : random_bits(seed) % 256);
        for (size_t k = 0; k < count; k++)
            out[length++] = (unsigned char)(random_bits(seed) % (random_bits(seed) % 2 ? 256 : 44));
    }
    return length;
}

/* The known killer of libmosquitto 2.0.11, once with a property that it does not know, is the first trial's. */
static size_t make_trial(size_t trial, unsigned char *out, random_state *seed)
{
    static const unsigned char killer[] = {0x20, 5, 0, 0, 2, 0x7f, 0};

    if (trial == 0)
        return add(out, 0, killer, sizeof killer);
    trial--;
    return trial < KINDS * PROPERTIES ? with_property(out, trial / PROPERTIES, (unsigned char)(trial % PROPERTIES))
                                      : noise(out, seed);
}

static void serve(int listening)
{
    unsigned char bytes[8 + NOISE_PACKETS * PACKET_MAX], ignored[4096];
    random_state seed = {random_seed(20261126)};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t trial = 0;; trial++) {
        const int there = accept(listening, NULL, NULL);
        const size_t length = trial <= TRIALS ? make_trial(trial, bytes, &seed) : add(bytes, 0, yes, sizeof yes);

        if (there < 0 || read(there, ignored, sizeof ignored) <= 0)
            _exit(1);
        if (send(there, bytes, length, MSG_NOSIGNAL) < 0)
            _exit(1);
        if (trial <= TRIALS)
            shutdown(there, SHUT_WR);
        while (read(there, ignored, sizeof ignored) > 0)
            continue;
        close(there);
    }
}

static pid_t start_broker(int *out_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pid_t broker;

    assert_int_equal(bind(listening, (const struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    *out_port = ntohs(address.sin_port);
    broker = fork();
    assert_true(broker >= 0);
    if (broker == 0)
        serve(listening);
    close(listening);
    return broker;
}

/* ---- clashd's end ---- */

typedef struct told {
    size_t warnings, crashes, connections, acknowledged, received;
} told;

static void on_log(void *context, log_level level, const char *message)
{
    told *t = context;

    t->warnings += level <= LOG_LEVEL_WARNING;
    t->crashes += strstr(message, "crashed") != NULL;
}

static void on_ready(void *context, bool is_new)
{
    ((told *)context)->connections += is_new;
}

static void on_acknowledged(void *context, int mid)
{
    (void)mid;
    ((told *)context)->acknowledged++;
}

static void on_lost(void *context)
{
    (void)context;
}

static void on_received(void *context, const char *topic, bool is_kept, const char *payload, size_t length)
{
    (void)is_kept;
    assert_true(strlen(topic) <= MQTT_FRAME_TOPIC_MAX);
    assert_int_equal(payload[length], '\0');
    ((told *)context)->received++;
}

static void run_until(uv_loop_t *loop, const size_t *count, size_t before)
{
    const uint64_t end = uv_hrtime() + UINT64_C(60000000000);

    while (*count == before) {
        assert_true(uv_hrtime() < end);
        uv_run(loop, UV_RUN_ONCE);
    }
}

static void on_tick(uv_timer_t *timer)
{
    (void)timer;
}

static void whatever_a_broker_sends(void **state)
{
    static mqtt_filters filters;
    told t = {0};
    uv_loop_t loop;
    uv_timer_t ticks; /* as clashd's own handles, which keep its loop running */
    mqtt_link_settings settings = {.loop = &loop,
                                   .log = {.context = &t, .write = on_log},
                                   .filters = &filters,
                                   .context = &t,
                                   .ready = on_ready,
                                   .acknowledged = on_acknowledged,
                                   .lost = on_lost,
                                   .received = on_received};
    pid_t broker = start_broker(&settings.target.port);
    mqtt_link *link;

    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    uv_timer_init(&loop, &ticks);
    uv_timer_start(&ticks, on_tick, 100, 100);
    assert_true(mqtt_filters_make("hall", "anna", NULL, 0, &filters));
    snprintf(settings.target.host, sizeof settings.target.host, "127.0.0.1");
    snprintf(settings.target.will_topic, sizeof settings.target.will_topic, "clashd/hall/anna/online");
    for (size_t trial = 0; trial <= TRIALS; trial++) {
        link = mqtt_link_open(&settings);
        assert_non_null(link);
        run_until(&loop, &t.warnings, t.warnings);
        mqtt_link_close(link);
    }
    print_message("%zu of %zu brokers ended the process that talked to them; %zu messages came\n", t.crashes,
                  (size_t)TRIALS + 1, t.received);
    link = mqtt_link_open(&settings);
    run_until(&loop, &t.connections, t.connections);
    assert_true(mqtt_link_is_connected(link));
    mqtt_link_close(link);
    uv_close((uv_handle_t *)&ticks, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_false(mqtt_helper_is_going());
    assert_int_equal(uv_loop_close(&loop), 0);
    kill(broker, SIGKILL);
    waitpid(broker, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_a_broker_sends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
