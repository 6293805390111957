/* See osc_sender.h. */
#include "osc_sender.h"

#include "mesh/worker.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct lookup {
    osc_sender *sender; /* for the loop's thread alone */
    osc_receiver receiver;
    int flags, error;
    struct addrinfo *found; /* NULL: nothing */
} lookup;

struct osc_sender {
    osc_sender_settings settings;
    char text[160];
    osc_receiver receiver;
    uv_udp_t *socket; /* connected; NULL: there is none */
    worker *looking;  /* NULL: nobody looks its name up now */
    uv_timer_t retry;
    uint64_t filled_ms;
    double tokens;
    bool has_said, has_said_refused;
};

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static void free_sender(uv_handle_t *retry)
{
    free(retry->data);
}

static void free_lookup(void *context)
{
    lookup *l = context;

    if (l->found)
        freeaddrinfo(l->found);
    free(l);
}

/* Look the name up on another thread; a number needs no look-up. */
static void look_up(void *context)
{
    lookup *l = context;
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV | l->flags};

    l->error = getaddrinfo(l->receiver.host, l->receiver.port, &hints, &l->found);
    l->found = l->error == 0 ? l->found : NULL;
}

/* Log each trouble once: it may last for days. */
static void say(osc_sender *s, const char *why)
{
    if (!s->has_said)
        LOG_WARNING(&s->settings.log, "%s: %s: %s: tried again every %d s", s->settings.key, s->text, why,
                    OSC_RETRY_MS / 1000);
    s->has_said = true;
}

static int open_socket(osc_sender *s, const struct sockaddr *to)
{
    uv_udp_t *udp = malloc(sizeof *udp);
    int error = udp ? uv_udp_init_ex(s->settings.loop, udp, to->sa_family) : UV_ENOMEM;

    if (error != 0) {
        free(udp);
        return error;
    }
    if (to->sa_family == AF_INET)
        uv_udp_set_broadcast(udp, 1); /* a desk's whole network may be meant */
    error = uv_udp_connect(udp, to);
    if (error == 0)
        s->socket = udp;
    else
        uv_close((uv_handle_t *)udp, free_handle);
    return error;
}

static void on_retry(uv_timer_t *timer);

static void take_found(osc_sender *s, const lookup *l)
{
    int error = UV_EAI_NONAME;

    if (l->error != 0)
        say(s, gai_strerror(l->error));
    for (const struct addrinfo *a = l->found; a && !s->socket; a = a->ai_next)
        error = open_socket(s, a->ai_addr);
    if (!s->socket) {
        if (l->error == 0)
            say(s, uv_strerror(error));
        uv_timer_start(&s->retry, on_retry, OSC_RETRY_MS, 0);
        return;
    }
    if (s->has_said)
        LOG_INFO(&s->settings.log, "%s: %s: found", s->settings.key, s->text);
    s->has_said = false;
    s->settings.found(s->settings.context);
}

static void on_looked_up(void *context)
{
    lookup *l = context;

    l->sender->looking = NULL;
    take_found(l->sender, l);
    free_lookup(l);
}

static void find(osc_sender *s)
{
    lookup *l = calloc(1, sizeof *l);
    const worker_job job = {.context = l, .work = look_up, .done = on_looked_up, .drop = free_lookup};

    if (l) {
        l->sender = s;
        l->receiver = s->receiver;
        s->looking = worker_start(s->settings.loop, &job);
    }
    if (s->looking)
        return;
    free(l);
    say(s, "out of memory");
    uv_timer_start(&s->retry, on_retry, OSC_RETRY_MS, 0);
}

/* Connect a number at once, so that the first message can go. */
static bool find_number(osc_sender *s)
{
    lookup l = {.sender = s, .receiver = s->receiver, .flags = AI_NUMERICHOST};
    bool is_number;

    look_up(&l);
    is_number = l.found != NULL;
    if (is_number) {
        take_found(s, &l);
        freeaddrinfo(l.found);
    }
    return is_number;
}

static void on_retry(uv_timer_t *timer)
{
    osc_sender *s = timer->data;

    if (!find_number(s))
        find(s);
}

osc_sender *osc_sender_create(const osc_sender_settings *settings)
{
    osc_sender *s = calloc(1, sizeof *s);
    failure ignored = {0};

    if (!s)
        return NULL;
    s->settings = *settings;
    snprintf(s->text, sizeof s->text, "%s", settings->text);
    s->tokens = settings->rate_hz > 1.0 ? settings->rate_hz : 1.0;
    s->filled_ms = uv_now(settings->loop);
    if (osc_receiver_parse(settings->text, &s->receiver, &ignored) != 0 ||
        uv_timer_init(settings->loop, &s->retry) != 0) {
        free(s);
        return NULL;
    }
    s->retry.data = s;
    uv_unref((uv_handle_t *)&s->retry);
    if (!find_number(s))
        find(s);
    return s;
}

void osc_sender_close(osc_sender *s)
{
    if (s->looking)
        worker_abandon(s->looking);
    if (s->socket)
        uv_close((uv_handle_t *)s->socket, free_handle);
    uv_close((uv_handle_t *)&s->retry, free_sender);
}

bool osc_sender_is_found(const osc_sender *s)
{
    return s->socket != NULL;
}

bool osc_sender_take(osc_sender *s)
{
    const uint64_t now_ms = uv_now(s->settings.loop);
    const double most = s->settings.rate_hz > 1.0 ? s->settings.rate_hz : 1.0;

    s->tokens += (double)(now_ms - s->filled_ms) * s->settings.rate_hz / 1000.0;
    s->tokens = s->tokens < most ? s->tokens : most;
    s->filled_ms = now_ms;
    if (s->tokens < 1.0)
        return false;
    s->tokens -= 1.0;
    return true;
}

/* Try again: this error is about the message before, which nobody took. */
static int send_past_refusal(osc_sender *s, const uv_buf_t *buffer)
{
    int result = uv_udp_try_send(s->socket, buffer, 1, NULL);

    if (result != UV_ECONNREFUSED)
        return result;
    s->settings.counts->refused++;
    if (!s->has_said_refused)
        LOG_WARNING(&s->settings.log, "%s: %s: nobody listens there", s->settings.key, s->text);
    s->has_said_refused = true;
    return uv_udp_try_send(s->socket, buffer, 1, NULL);
}

bool osc_sender_send(osc_sender *s, const char *bytes, size_t length)
{
    uv_buf_t buffer = {.base = (char *)(uintptr_t)bytes, .len = length};
    const int result = s->socket ? send_past_refusal(s, &buffer) : UV_EAI_NONAME;

    if (result >= 0) {
        s->settings.counts->sent++;
        return true;
    }
    s->settings.counts->lost++;
    /* Connect anew: after a change of the network the route may be another one. */
    if (s->socket && (result == UV_ENETUNREACH || result == UV_EHOSTUNREACH || result == UV_ENETDOWN ||
                      result == UV_EADDRNOTAVAIL)) {
        say(s, uv_strerror(result));
        uv_close((uv_handle_t *)s->socket, free_handle);
        s->socket = NULL;
        uv_timer_start(&s->retry, on_retry, OSC_RETRY_MS, 0);
    }
    return false;
}
