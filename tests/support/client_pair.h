/* A C client at one end of a socket pair, the test at the other, and a note of everything the client was told. */
#ifndef TESTS_CLIENT_PAIR_H
#define TESTS_CLIENT_PAIR_H

#include <clash/client.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define HELLO                                                                                                     \
    "{\"type\":\"hello\",\"protocol\":1,\"version\":\"9.8.7\",\"session\":\"5e55\",\"time_ns\":250,"              \
    "\"epoch_monotonic_ns\":\"1000\",\"epoch_unix_ns\":\"1795230559428234479\",\"space\":\"stage\",\"axes\":"     \
    "\"openxr\","                                                                                                 \
    "\"blades\":[{\"name\":\"left\",\"device\":\"/user/hand/left\",\"base\":[0,0,-0.5],\"tip\":[0,0,-1],"         \
    "\"radius\":0.25,\"edge\":[0,-1,0]},{\"name\":\"npc\",\"device\":\"npc/7\",\"base\":[0,0,0],\"tip\":[0,1,0]," \
    "\"radius\":0.5}],\"units\":{},\"capabilities\":[\"subscribe\",\"poses\"],\"new\":{\"a\":[1]}}\n"

#define CLASH_LINE                                                                                            \
    "{\"type\":\"clash\",\"seq\":3,\"time_ns\":5,\"id\":1,\"blades\":[\"a\",\"b\"],\"midpoint\":[0,0,0],"     \
    "\"distance\":0,\"points\":[[0,0,0],[0,0,0]],\"normal\":[0,0,1],\"along\":[0,1],\"velocities\":[[0,0,0]," \
    "[0,0,0]],\"closing_speed\":1,\"slide_speed\":0,\"crossing_angle\":0,\"intensity\":0,\"fraction\":0,"     \
    "\"tracked\":true}\n"

typedef struct told {
    clash_client *client;
    int peer; /* the test's end */
    unsigned hellos, clashes, holds, releases, trackings, spaces, poses, lagged, oks, errors, disconnects;
    clash_event event; /* the last; its strings are copied below */
    char names[2][64];
    clash_client_hello hello;
    char capability[32], device[64];
    clash_blade blades[2];
    clash_sword swords[2]; /* of the blades that have one */
    char parts[2][CLASH_PART_NAME_MAX];
    clash_client_target targets[5]; /* of hello; names not kept */
    bool has_resolved;
    clash_client_resolved resolved[2]; /* of the last clash or hold */
    clash_client_pose pose;
    int64_t poses_time_ns;
    clash_client_lagged lag;
    unsigned pulses;
    clash_client_haptic pulse; /* the last; its device is in `device` */
    int64_t seq;               /* of the last ok */
    char id[64], code[64], message[256], reason[256];
    bool close_on_clash, subscribe_on_hello;
    char line[256];     /* the last; "": none */
    const char *wanted; /* lines with this in them are handled by the callback */
} told;

static inline void note(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
}

static inline void told_hello(void *context, const clash_client_hello *hello)
{
    told *t = context;

    t->hellos++;
    t->hello = *hello;
    for (size_t i = 0; i < hello->blade_count && i < 2; i++) {
        t->blades[i] = hello->blades[i];
        if (hello->blades[i].sword)
            t->swords[i] = *hello->blades[i].sword;
        note(t->names[i], sizeof t->names[i], hello->blades[i].name);
    }
    for (size_t i = 0; i < hello->target_count && i < 5; i++)
        t->targets[i] = hello->targets[i];
    if (hello->capability_count > 1)
        note(t->capability, sizeof t->capability, hello->capabilities[1]);
    if (t->subscribe_on_hello)
        assert_int_equal(clash_client_subscribe(t->client, "s", NULL), 0);
}

static inline void keep_event(told *t, const clash_event *event)
{
    bool has_parts = event->kind == CLASH_EVENT_CLASH || event->kind == CLASH_EVENT_HOLD;
    const clash_client_resolved *resolved = clash_client_resolved_poses(t->client);

    t->event = *event;
    t->has_resolved = resolved != NULL;
    for (int i = 0; resolved && i < 2; i++)
        t->resolved[i] = resolved[i];
    for (int i = 0; i < 2; i++) {
        note(t->names[i], sizeof t->names[i], event->blades[i] ? event->blades[i] : "");
        note(t->parts[i], sizeof t->parts[i], has_parts && event->as.clash.parts[i] ? event->as.clash.parts[i] : "");
    }
}

static inline void told_clash(void *context, const clash_event *event)
{
    told *t = context;

    t->clashes++;
    keep_event(t, event);
    if (t->close_on_clash)
        clash_client_close(t->client);
}

static inline void told_hold(void *context, const clash_event *event)
{
    ((told *)context)->holds++;
    keep_event(context, event);
}

static inline void told_release(void *context, const clash_event *event)
{
    ((told *)context)->releases++;
    keep_event(context, event);
}

static inline void told_tracking(void *context, const clash_event *event)
{
    told *t = context;

    t->trackings++;
    keep_event(t, event);
    note(t->device, sizeof t->device, event->as.tracking.device);
}

static inline void told_space(void *context, const clash_event *event)
{
    ((told *)context)->spaces++;
    keep_event(context, event);
}

static inline void told_poses(void *context, int64_t time_ns, const clash_client_pose *poses, size_t count)
{
    told *t = context;

    t->poses++;
    t->poses_time_ns = time_ns;
    if (count > 0) {
        t->pose = poses[count - 1];
        note(t->device, sizeof t->device, poses[count - 1].device);
    }
}

static inline void told_lagged(void *context, const clash_client_lagged *lagged)
{
    ((told *)context)->lagged++;
    ((told *)context)->lag = *lagged;
}

static inline void told_ok(void *context, const clash_client_reply *reply)
{
    told *t = context;

    t->oks++;
    t->seq = reply->seq;
    note(t->id, sizeof t->id, reply->id);
}

static inline void told_error(void *context, const clash_client_reply *reply)
{
    told *t = context;

    t->errors++;
    note(t->id, sizeof t->id, reply->id);
    note(t->code, sizeof t->code, reply->code);
    note(t->message, sizeof t->message, reply->message);
}

static inline void told_disconnect(void *context, const char *reason)
{
    told *t = context;

    t->disconnects++;
    note(t->reason, sizeof t->reason, reason);
}

static inline void told_haptic(void *context, const clash_client_haptic *haptic)
{
    told *t = context;

    t->pulses++;
    t->pulse = *haptic;
    note(t->device, sizeof t->device, haptic->device);
}

static inline bool told_line(void *context, const char *line, size_t length)
{
    told *t = context;

    assert_int_equal(strlen(line), length);
    note(t->line, sizeof t->line, line);
    return t->wanted && strstr(line, t->wanted);
}

static inline clash_client_listener told_listener(told *t)
{
    return (clash_client_listener){.context = t,
                                   .hello = told_hello,
                                   .clash = told_clash,
                                   .hold = told_hold,
                                   .release = told_release,
                                   .tracking = told_tracking,
                                   .space_changed = told_space,
                                   .poses = told_poses,
                                   .lagged = told_lagged,
                                   .ok = told_ok,
                                   .error = told_error,
                                   .disconnect = told_disconnect,
                                   .line = told_line,
                                   .haptic = told_haptic};
}

/** Give the client a new connection; the test's end of the last one is closed. */
static inline void pair_connect(told *t)
{
    int ends[2];

    if (t->peer >= 0)
        close(t->peer);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(clash_client_adopt(t->client, ends[0]), 0);
    t->peer = ends[1];
}

static inline int pair_setup(void **state)
{
    told *t = calloc(1, sizeof *t);
    clash_client_listener listener = told_listener(t);

    t->peer = -1;
    t->client = clash_client_create(&listener);
    assert_non_null(t->client);
    pair_connect(t);
    *state = t;
    return 0;
}

static inline int pair_teardown(void **state)
{
    told *t = *state;

    clash_client_destroy(t->client);
    if (t->peer >= 0)
        close(t->peer);
    free(t);
    return 0;
}

/** Send bytes as clashd, and let the client take all of them. */
static inline void pair_send_bytes(told *t, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t part = length < 32768 ? length : 32768;

        assert_int_equal(write(t->peer, bytes, part), (ssize_t)part);
        bytes += part;
        length -= part;
        clash_client_dispatch(t->client);
    }
}

static inline void pair_send(told *t, const char *text)
{
    pair_send_bytes(t, text, strlen(text));
}

/** Return what the client has sent and nobody has read yet. */
static inline const char *pair_receive(told *t, char *out, size_t size)
{
    ssize_t length = recv(t->peer, out, size - 1, MSG_DONTWAIT);

    out[length > 0 ? length : 0] = '\0';
    return out;
}

#endif
