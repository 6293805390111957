/* Two machines with a room each, which hand each other their messages; a clock runs that the test turns. */
#ifndef CLASHD_TESTS_ROOM_PAIR_H
#define CLASHD_TESTS_ROOM_PAIR_H

#include "sources/peer/room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define MAIL_MAX 4096
#define TAKEN_MAX 4096

typedef struct letter {
    room_message_kind kind;
    char to[ROOM_PLAYER_MAX];
    char text[4096];
    size_t length;
} letter;

typedef struct taken {
    char device[POSE_DEVICE_NAME_MAX];
    int64_t time_ns;
    float x;
    bool is_valid;
} taken;

/** One player's machine, as far as its room sees it. */
typedef struct machine {
    char name[ROOM_PLAYER_MAX];
    room *room;
    int64_t epoch_ns; /* its session's time is the test's less this */
    letter *mail;     /* that it has sent and nobody has fetched */
    size_t mail_count;
    clash_blade_definition blades[4];
    size_t blade_count;
    char devices[8][POSE_DEVICE_NAME_MAX]; /* of others, by id */
    char defined[16][CLASH_BLADE_NAME_MAX];
    size_t device_count, defined_count;
    const void *owner; /* of these */
    size_t gone, lost;
    taken *taken;
    size_t taken_count;
} machine;

static inline bool on_publish(void *context, room_message_kind kind, const char *to, const char *line, size_t length)
{
    machine *m = context;
    letter *one = &m->mail[m->mail_count++];

    assert_true(m->mail_count < MAIL_MAX && length < sizeof one->text);
    one->kind = kind;
    snprintf(one->to, sizeof one->to, "%s", to ? to : "");
    memcpy(one->text, line, length);
    one->length = length;
    return true;
}

static inline size_t on_own_blades(void *context, clash_blade_definition *out, size_t most)
{
    const machine *m = context;

    assert_true(m->blade_count <= most);
    memcpy(out, m->blades, m->blade_count * sizeof *out);
    return m->blade_count;
}

static inline void on_contact(void *context, protocol_contact_settings *out)
{
    (void)context;
    *out = (protocol_contact_settings){.full_intensity_speed = 10.0f, .max_gap_ms = 100.0f};
}

static inline int on_define(void *context, const void *owner, int64_t time_ns, const clash_blade *blade,
                            protocol_error *error)
{
    machine *m = context;
    size_t i = 0;

    (void)time_ns, (void)error;
    m->owner = owner;
    while (i < m->device_count && strcmp(m->devices[i], blade->device) != 0)
        i++;
    if (i == m->device_count)
        snprintf(m->devices[m->device_count++], sizeof m->devices[0], "%s", blade->device);
    snprintf(m->defined[m->defined_count++], sizeof m->defined[0], "%s", blade->name);
    assert_true(blade->properties.is_peer);
    return 0;
}

static inline void on_remove(void *context, const void *owner, int64_t time_ns, const char *blade)
{
    machine *m = context;

    (void)owner, (void)time_ns;
    snprintf(m->defined[m->defined_count++], sizeof m->defined[0], "-%.60s", blade);
}

static inline void on_gone(void *context, const void *owner, int64_t time_ns)
{
    machine *m = context;

    (void)owner, (void)time_ns;
    m->gone++;
    m->device_count = 0;
}

static inline uint32_t on_device(void *context, const void *owner, const char *name)
{
    const machine *m = context;

    (void)owner;
    for (uint32_t i = 0; i < m->device_count; i++)
        if (strcmp(m->devices[i], name) == 0)
            return i;
    return UINT32_MAX;
}

static inline void on_frame(void *context, const void *owner, const pose_frame *frame, int64_t arrived_ns)
{
    machine *m = context;

    (void)owner, (void)arrived_ns;
    for (uint32_t i = 0; i < frame->count; i++) {
        taken *one = &m->taken[m->taken_count++];

        assert_true(m->taken_count < TAKEN_MAX);
        snprintf(one->device, sizeof one->device, "%s", m->devices[frame->samples[i].device]);
        one->time_ns = frame->time_ns;
        one->x = frame->samples[i].pose.position.x;
        one->is_valid = (frame->samples[i].flags & POSE_VALID) != 0;
    }
}

static inline void on_lost(void *context, const void *owner, int64_t time_ns)
{
    (void)owner, (void)time_ns;
    ((machine *)context)->lost++;
}

static inline void on_settled(void *context)
{
    (void)context;
}

static inline void on_flush_in(void *context, uint64_t ms)
{
    (void)context, (void)ms;
}

static inline clash_blade_definition blade_named(const char *name, const char *device)
{
    clash_blade_definition blade = {.properties = {.shape = {.tip = {0.0f, 0.0f, -1.0f}, .radius = 0.02f}}};

    snprintf(blade.name, sizeof blade.name, "%s", name);
    snprintf(blade.device, sizeof blade.device, "%s", device);
    return blade;
}

static inline void machine_open(machine *m, const char *name, const char *session, int64_t epoch_ns, int64_t now_ns,
                                int64_t agree_ns)
{
    const room_user user = {.context = m,
                            .publish = on_publish,
                            .own_blades = on_own_blades,
                            .contact = on_contact,
                            .define = on_define,
                            .remove = on_remove,
                            .gone = on_gone,
                            .device = on_device,
                            .frame = on_frame,
                            .lost = on_lost,
                            .settled = on_settled,
                            .flush_in = on_flush_in};
    const room_settings settings = {.player = name,
                                    .session = session,
                                    .shares = true,
                                    .room_from_stage = {.orientation = {.w = 1.0f}},
                                    .agree_ns = agree_ns};

    *m = (machine){.epoch_ns = epoch_ns};
    snprintf(m->name, sizeof m->name, "%s", name);
    m->mail = calloc(MAIL_MAX, sizeof *m->mail);
    m->taken = calloc(TAKEN_MAX, sizeof *m->taken);
    m->blades[m->blade_count++] = blade_named("saber", "/user/hand/right");
    m->room = room_create(&settings, &user);
    assert_non_null(m->room);
    room_join(m->room, true, now_ns - epoch_ns);
}

static inline void machine_close(machine *m, int64_t now_ns)
{
    room_destroy(m->room, now_ns - m->epoch_ns);
    free(m->mail);
    free(m->taken);
}

static inline void pass(const machine *from, const letter *one, machine *to, int64_t now_ns)
{
    if (one->to[0] && strcmp(one->to, to->name) != 0)
        return;
    room_take(to->room, from->name, one->kind, one->text, one->length, now_ns - to->epoch_ns);
}

/** Hand over all that there is, both ways, until there is no more. */
static inline void exchange(machine *a, machine *b, int64_t now_ns)
{
    for (size_t i = 0; i < a->mail_count; i++)
        pass(a, &a->mail[i], b, now_ns);
    a->mail_count = 0;
    for (size_t i = 0; i < b->mail_count; i++)
        pass(b, &b->mail[i], a, now_ns);
    b->mail_count = 0;
    for (size_t i = 0; i < a->mail_count; i++)
        pass(a, &a->mail[i], b, now_ns);
    a->mail_count = 0;
}

static inline const char *name_of(void *context, uint32_t device)
{
    (void)context, (void)device;
    return "/user/hand/right";
}

static inline void share(machine *m, int64_t now_ns, float x)
{
    const device_names names = {NULL, name_of};
    const pose_frame frame = {
        .time_ns = now_ns,
        .count = 1,
        .samples = {{0, POSE_VALID | POSE_TRACKED, {.orientation = {.w = 1.0f}, .position = {x, 0.0f, 0.0f}}}}};

    room_on_frame(m->room, &frame, &names, m->epoch_ns, now_ns - m->epoch_ns);
    room_flush(m->room, now_ns - m->epoch_ns);
}

/** Two players who know each other and the room's time; how long each waits for what the other one finds. */
static inline int64_t meet_who_agree(machine *a, machine *b, int64_t a_ns, int64_t b_ns)
{
    int64_t now_ns = 100 * SECOND;

    machine_open(a, "anna", "aaaa", 0, now_ns, a_ns);
    machine_open(b, "ben", "bbbb", 50 * SECOND, now_ns, b_ns);
    room_online(a->room, "ben", true, now_ns - a->epoch_ns);
    room_online(b->room, "anna", true, now_ns - b->epoch_ns);
    for (int i = 0; i < 80; i++, now_ns += 50 * MS) {
        room_tick(a->room, now_ns - a->epoch_ns);
        room_tick(b->room, now_ns - b->epoch_ns);
        exchange(a, b, now_ns);
    }
    assert_true(room_clock_is_known(room_clock_of(a->room)) && room_clock_is_known(room_clock_of(b->room)));
    assert_string_equal(room_clock_of(b->room)->id, "aaaa");
    assert_true(room_clock_of(a->room)->is_reference);
    return now_ns;
}

static inline int64_t meet(machine *a, machine *b)
{
    return meet_who_agree(a, b, 0, 0);
}

static inline uint64_t counter(const machine *m, int64_t now_ns, const char *name)
{
    static counter_list list;

    list.count = 0;
    room_list_counters(m->room, now_ns - m->epoch_ns, &list);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.rows[i].name, name) == 0)
            return list.rows[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

#endif
