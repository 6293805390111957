/* The process that talks to an MQTT broker, in clashd's place: whatever a broker sends, only this process can come to harm. Its standard
 * input is the socket to clashd (mqtt_wire.h). It writes to that waiting, so while clashd does not read, this does not read from the
 * broker either; and it reads without, and only what the broker takes at once. */
#include "broker_link.h"

#include <clash/base.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define PURPOSE MQTT_HELPER_NAME ": clashd starts this program, with a socket as its standard input"
#define MESSAGES 0 /* the descriptor */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
/* Of the address space: far above what any message needs. */
#define MEMORY_MAX ((rlim_t)1 << 30)
/* After so long without a frame of clashd's the process ends, so that the broker publishes the will: this player is gone. */
#define SILENT_MS 15000
#define COUNTS_MS 1000

typedef struct flying {
    int mid, id;
} flying;

/* The one link of the process, and what is known of its messages. */
static struct {
    mqtt_reader reader;
    uv_poll_t poll;
    uv_timer_t timer;
    broker_link *link;
    mqtt_opening opening;
    uint64_t heard_ms;
    flying *flying; /* messages of QoS 1: what libmosquitto and what clashd call them */
    size_t flying_count, flying_size;
    int32_t taken; /* since the last report */
    bool is_reading;
} own;

_Noreturn static void end(int code)
{
    _exit(code); /* without a word to the broker: it then publishes the will */
}

/* ---- to clashd ---- */

static void tell(mqtt_frame frame, const char *topic, const char *payload)
{
    if (own.link)
        frame.counts = broker_link_count(own.link);
    if (mqtt_frame_send(MESSAGES, &frame, topic, payload, true) < 0)
        end(0); /* clashd is gone */
}

static void on_log(void *context, log_level level, const char *message)
{
    (void)context;
    tell((mqtt_frame){.kind = MQTT_FRAME_LOG, .number = (int32_t)level, .payload_length = (uint32_t)strlen(message)},
         NULL, message);
}

static void tell_taken(void)
{
    const int32_t taken = own.taken;

    own.taken = 0;
    if (taken > 0)
        tell((mqtt_frame){.kind = MQTT_FRAME_TAKEN, .number = taken}, NULL, NULL);
}

static void take_frames(void);

static void on_ready(void *context, bool is_new)
{
    (void)context;
    if (is_new)
        tell((mqtt_frame){.kind = MQTT_FRAME_CONNECTED}, NULL, NULL);
    take_frames();
}

static void on_lost(void *context)
{
    (void)context;
    own.flying_count = 0;
    tell((mqtt_frame){.kind = MQTT_FRAME_LOST}, NULL, NULL);
    take_frames();
}

static void on_acknowledged(void *context, int mid)
{
    (void)context;
    for (size_t i = 0; i < own.flying_count; i++) {
        const int id = own.flying[i].id;

        if (own.flying[i].mid != mid)
            continue;
        own.flying[i] = own.flying[--own.flying_count];
        tell((mqtt_frame){.kind = MQTT_FRAME_ACKNOWLEDGED, .number = id}, NULL, NULL);
        return;
    }
}

static void on_received(void *context, const char *topic, bool is_kept, const char *payload, size_t length)
{
    const size_t topic_length = strlen(topic);

    (void)context;
    if (topic_length <= MQTT_FRAME_TOPIC_MAX && length <= MQTT_FRAME_PAYLOAD_MAX)
        tell((mqtt_frame){.kind = MQTT_FRAME_RECEIVED,
                          .topic_length = (uint32_t)topic_length,
                          .payload_length = (uint32_t)length,
                          .flag = is_kept},
             topic, payload);
}

/* ---- from clashd ---- */

static void open_link(const mqtt_frame *frame, const char *payload)
{
    const broker_link_settings settings = {.loop = uv_default_loop(),
                                           .target = own.opening.target,
                                           .log = {.write = on_log},
                                           .filters = own.opening.has_filters ? &own.opening.filters : NULL,
                                           .ready = on_ready,
                                           .acknowledged = on_acknowledged,
                                           .lost = on_lost,
                                           .received = on_received};
    broker_link_settings wanted = settings;

    if (own.link || frame->payload_length != sizeof own.opening)
        end(2);
    memcpy(&own.opening, payload, sizeof own.opening);
    if (strncmp(own.opening.version, CLASH_VERSION_STRING, sizeof own.opening.version) != 0) {
        on_log(NULL, LOG_LEVEL_WARNING, MQTT_HELPER_NAME " is of version " CLASH_VERSION_STRING ", and clashd is not");
        end(3);
    }
    wanted.target = own.opening.target;
    wanted.filters = own.opening.has_filters ? &own.opening.filters : NULL;
    own.link = broker_link_open(&wanted);
    if (!own.link)
        end(4);
}

/* Note what clashd calls it. Return false when out of memory. */
static bool note_flying(int mid, int id)
{
    if (own.flying_count == own.flying_size) {
        const size_t size = own.flying_size ? 2 * own.flying_size : 64;
        flying *grown = reallocarray(own.flying, size, sizeof *grown);

        if (!grown)
            return false;
        own.flying = grown;
        own.flying_size = size;
    }
    own.flying[own.flying_count++] = (flying){mid, id};
    return true;
}

static void publish(const mqtt_frame *frame, const char *topic, const char *payload)
{
    const mqtt_way way = {.qos = frame->qos, .retain = frame->retain};
    bool never = false;
    int mid = 0;

    own.taken++;
    if (!broker_link_is_connected(own.link))
        return; /* MQTT_FRAME_LOST is on its way to clashd */
    if (broker_link_publish(own.link, topic, &way, payload, frame->payload_length, &mid, &never)) {
        if (way.qos > 0 && !note_flying(mid, frame->number))
            end(4);
    } else if (never && way.qos > 0) {
        tell((mqtt_frame){.kind = MQTT_FRAME_ACKNOWLEDGED, .number = frame->number}, NULL, NULL);
    }
}

static void on_link_is_left(uv_handle_t *handle)
{
    (void)handle;
}

/* The loop ends when the broker has heard of it. */
static void leave(void)
{
    if (!own.link)
        end(0);
    broker_link_close(own.link);
    own.link = NULL;
    own.is_reading = false;
    uv_close((uv_handle_t *)&own.poll, on_link_is_left);
    uv_close((uv_handle_t *)&own.timer, on_link_is_left);
}

static void take_frame(const mqtt_frame *frame, const char *topic, const char *payload)
{
    own.heard_ms = uv_now(uv_default_loop());
    switch ((mqtt_frame_kind)frame->kind) {
    case MQTT_FRAME_OPEN:
        open_link(frame, payload);
        break;
    case MQTT_FRAME_PUBLISH:
        if (!own.link)
            end(2);
        publish(frame, topic, payload);
        break;
    case MQTT_FRAME_CLOSE:
        leave();
        break;
    default:
        break;
    }
}

/* Messages wait in the socket while the broker does not take what it was sent. */
static bool has_to_wait(const mqtt_frame *frame)
{
    return frame->kind == MQTT_FRAME_PUBLISH && own.link && broker_link_is_connected(own.link) &&
           !broker_link_is_ready(own.link);
}

static void on_poll(uv_poll_t *poll, int status, int events);

static void take_frames(void)
{
    static bool is_within;
    const char *topic, *payload;
    mqtt_frame frame;
    int result = 0;

    if (is_within) /* libmosquitto has called from within a publish */
        return;
    is_within = true;
    for (;;) {
        while (own.is_reading && (result = mqtt_reader_next(&own.reader, &frame, &topic, &payload)) == 1 &&
               !has_to_wait(&frame)) {
            take_frame(&frame, topic, payload);
            mqtt_reader_drop(&own.reader);
        }
        if (result < 0)
            end(2);
        if (!own.is_reading || result == 1)
            break;
        result = mqtt_reader_fill(&own.reader, MESSAGES);
        if (result < 0)
            end(0); /* clashd is gone */
        if (result == 0)
            break;
    }
    is_within = false;
    if (!own.is_reading)
        return;
    tell_taken();
    if (result == 1)
        uv_poll_stop(&own.poll);
    else
        uv_poll_start(&own.poll, UV_READABLE, on_poll);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)poll, (void)events;
    if (status < 0)
        end(0);
    take_frames();
}

static void on_timer(uv_timer_t *timer)
{
    static mqtt_link_counts reported;
    mqtt_link_counts now;

    (void)timer;
    take_frames(); /* also what waited for the broker */
    if (!own.is_reading)
        return;
    if (uv_now(uv_default_loop()) - own.heard_ms >= SILENT_MS)
        end(5);
    if (!own.link)
        return;
    now = broker_link_count(own.link);
    if (memcmp(&now, &reported, sizeof now) != 0)
        tell((mqtt_frame){.kind = MQTT_FRAME_COUNTS}, NULL, NULL);
    reported = now;
}

static void set_limits(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* with a password in it */
#ifndef IS_SANITIZED                                /* a sanitizer needs more memory than there is */
    setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY_MAX, MEMORY_MAX});
#endif
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
    uv_loop_t *loop = uv_default_loop();

    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        puts(MQTT_HELPER_NAME " " CLASH_VERSION_STRING);
        return 0;
    }
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        puts(PURPOSE);
        return 0;
    }
    set_limits();
    if (argc > 1 || mqtt_reader_open(&own.reader) != 0 || uv_poll_init(loop, &own.poll, MESSAGES) != 0) {
        fputs(PURPOSE "\n", stderr);
        return 2;
    }
    own.is_reading = true;
    own.heard_ms = uv_now(loop);
    uv_timer_init(loop, &own.timer);
    uv_timer_start(&own.timer, on_timer, COUNTS_MS, COUNTS_MS);
    uv_poll_start(&own.poll, UV_READABLE, on_poll);
    uv_run(loop, UV_RUN_DEFAULT);
    return 0;
}
