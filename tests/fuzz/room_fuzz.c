/* Bytes from other players of a room. What of it is understood, written out again, is understood as the same, and its schema accepts it.
 * All of it goes to a room, line after line: what that tells others is accepted by the schemas, and the blades and samples that it hands on
 * are within the bounds that PROTOCOL.md, Several players, names. A line: what it is ('0' to '4' of room_message_kind, '+' and '-' come
 * and go, 'c' a contact with the newest blade), who it is from, after what time, the text. */
#include <math.h>
#include <stdbool.h>

#include "fuzz/fuzz.h"
#include "protocol/messages/parse.h"
#include "protocol/schema_check/schema.h"
#include "sources/peer/room.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

enum { DEVICES = 64, LINE = 128 * 1024 };

static const char *const schemas[ROOM_MESSAGE_KINDS] = {"room/peer", "room/samples", "room/clock_ask",
                                                        "room/clock_answer", "room/contact"};

/* What the room has handed on. */
typedef struct world {
    bool is_referee;
    int64_t now_ns;
    char devices[DEVICES][POSE_DEVICE_NAME_MAX];
    const void *owners[DEVICES];
    size_t device_count;
    char blade[CLASH_BLADE_NAME_MAX]; /* the newest one */
    const void *owner;                /* of it */
    uint64_t contacts;
} world;

static char written[2][LINE];

static void check_line(room_message_kind kind, const char *line, size_t length)
{
    failure error = {0};
    cJSON *value = parse_line(line, length, &error);

    FUZZ_CHECK(length > 0 && value);
    if (protocol_schema_validate(protocol_schema_get(schemas[kind]), value, &error) != 0) {
        fprintf(stderr, "%s: %s\n%.*s\n", schemas[kind], error.text, (int)length, line);
        abort();
    }
    cJSON_Delete(value);
}

/* ---- one message ---- */

static size_t write_message(char *out, size_t size, const room_message *m)
{
    switch (m->kind) {
    case ROOM_MESSAGE_PEER:
        return room_encode_peer(out, size, &m->peer);
    case ROOM_MESSAGE_SAMPLES:
        return room_encode_samples(out, size, &m->samples);
    case ROOM_MESSAGE_CLOCK_ASK:
        return room_encode_clock_ask(out, size, &m->clock);
    case ROOM_MESSAGE_CLOCK_ANSWER:
        return room_encode_clock_answer(out, size, &m->clock);
    default:
        return room_encode_contact(out, size, &m->contact);
    }
}

static void check_message(room_message_kind kind, const char *text, size_t length)
{
    static room_message m, again;
    failure error = {0};
    size_t lengths[2];

    if (room_parse(kind, text, length, &m, &error) != 0) {
        FUZZ_CHECK(error.text[0] && memchr(error.text, '\0', sizeof error.text));
        return;
    }
    FUZZ_CHECK(m.kind == kind);
    lengths[0] = write_message(written[0], LINE, &m);
    FUZZ_CHECK(lengths[0] > 0 && written[0][lengths[0] - 1] == '\n');
    check_line(kind, written[0], lengths[0] - 1);
    FUZZ_CHECK(room_parse(kind, written[0], lengths[0] - 1, &again, &error) == 0);
    lengths[1] = write_message(written[1], LINE, &again);
    FUZZ_CHECK(lengths[0] == lengths[1] && memcmp(written[0], written[1], lengths[0]) == 0);
    for (size_t size = 0; size < lengths[0]; size += 1 + lengths[0] / 8)
        FUZZ_CHECK(write_message(written[1], size, &m) == 0);
}

/* ---- what a room asks of the rest of clashd ---- */

static bool on_publish(void *context, room_message_kind kind, const char *to, const char *line, size_t length)
{
    (void)context;
    FUZZ_CHECK(kind < ROOM_MESSAGE_KINDS && (!to || to[0]));
    if (length > 0) /* else it takes back what is retained */
        check_line(kind, line, length);
    return true;
}

static size_t on_own_blades(void *context, clash_blade_definition *out, size_t most)
{
    (void)context, (void)most;
    *out = (clash_blade_definition){.name = "saber",
                                    .device = "/user/hand/right",
                                    .properties = {.shape = {.tip = {0.0f, 0.0f, -1.0f}, .radius = 0.02f}}};
    return 1;
}

static void on_contact(void *context, protocol_contact_settings *out)
{
    (void)context;
    *out = (protocol_contact_settings){.full_intensity_speed = 10.0f, .max_gap_ms = 100.0f};
}

static int on_define(void *context, const void *owner, int64_t time_ns, const clash_blade *blade,
                     protocol_error *out_error)
{
    world *w = context;

    (void)time_ns;
    FUZZ_CHECK(owner && blade->properties.is_peer == !w->is_referee);
    FUZZ_CHECK(strchr(blade->name, '/') && strlen(blade->name) < CLASH_BLADE_NAME_MAX);
    FUZZ_CHECK(strncmp(blade->device, "peer/", 5) == 0 && strlen(blade->device) < POSE_DEVICE_NAME_MAX);
    FUZZ_CHECK(isfinite(blade->properties.shape.radius) && blade->properties.shape.radius >= 0.0f);
    snprintf(w->blade, sizeof w->blade, "%s", blade->name);
    w->owner = owner;
    for (size_t i = 0; i < w->device_count; i++)
        if (strcmp(w->devices[i], blade->device) == 0)
            return 0;
    if (w->device_count == DEVICES) { /* as a pipeline that has no room for another one */
        *out_error = (protocol_error){.code = PROTOCOL_ERROR_LIMIT, .message = "too many devices"};
        return -1;
    }
    w->owners[w->device_count] = owner;
    snprintf(w->devices[w->device_count++], sizeof w->devices[0], "%s", blade->device);
    return 0;
}

static void on_remove(void *context, const void *owner, int64_t time_ns, const char *blade)
{
    world *w = context;

    (void)owner, (void)time_ns;
    if (strcmp(w->blade, blade) == 0)
        w->blade[0] = '\0';
}

static void on_gone(void *context, const void *owner, int64_t time_ns)
{
    world *w = context;

    (void)time_ns;
    if (owner == w->owner)
        w->blade[0] = '\0';
}

static uint32_t on_device(void *context, const void *owner, const char *name)
{
    const world *w = context;

    for (uint32_t i = 0; i < w->device_count; i++)
        if (w->owners[i] == owner && strcmp(w->devices[i], name) == 0)
            return i;
    return UINT32_MAX;
}

static void on_frame(void *context, const void *owner, const pose_frame *frame, int64_t arrived_ns)
{
    const world *w = context;

    FUZZ_CHECK(owner && frame->count <= POSE_FRAME_SAMPLES_MAX && arrived_ns <= w->now_ns);
    /* 100 ms ahead and 2 s behind, and by what its clock, which is straight between knots, may round. */
    FUZZ_CHECK(frame->time_ns <= w->now_ns + 101 * MS && frame->time_ns >= w->now_ns - 60 * SECOND);
    for (uint32_t i = 0; i < frame->count; i++) {
        const pose_sample *s = &frame->samples[i];
        const clash_quat q = s->pose.orientation;

        FUZZ_CHECK(s->device < w->device_count);
        if (!(s->flags & POSE_VALID))
            continue;
        FUZZ_CHECK(isfinite(s->pose.position.x) && isfinite(s->pose.position.y) && isfinite(s->pose.position.z));
        FUZZ_CHECK(fabsf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < 1e-3f);
    }
}

static void on_lost(void *context, const void *owner, int64_t time_ns)
{
    (void)context, (void)owner, (void)time_ns;
}

static void on_settled(void *context)
{
    (void)context;
}

static void on_flush_in(void *context, uint64_t ms)
{
    (void)context, (void)ms;
}

/* ---- what happens in it ---- */

static room_message_kind kind_of(uint8_t what)
{
    return (room_message_kind)((uint8_t)(what - '0') % ROOM_MESSAGE_KINDS);
}

static const char *name_of(void *context, uint32_t device)
{
    (void)context, (void)device;
    return "/user/hand/right";
}

static void share(room *r, const world *w)
{
    const device_names names = {NULL, name_of};
    const pose_frame frame = {
        .time_ns = w->now_ns, .count = 1, .samples = {{0, POSE_VALID | POSE_TRACKED, {.orientation = {.w = 1.0f}}}}};

    room_on_frame(r, &frame, &names, 0, w->now_ns);
    room_flush(r, w->now_ns);
}

static void touch(room *r, world *w)
{
    clash_event event = {
        .kind = CLASH_EVENT_CLASH, .id = ++w->contacts, .time_ns = w->now_ns, .blades = {"saber", w->blade}};
    const void *const owners[2] = {NULL, w->owner};

    if (!w->blade[0])
        return;
    room_note_event(r, &event, owners, 0, w->now_ns);
    if (!room_judge_event(r, &event))
        room_give_up(r, event.id);
    FUZZ_CHECK(room_judge_event(r, &event));
}

static void take(room *r, world *w, uint8_t what, const char *player, const char *text, size_t length)
{
    if (what == 'c')
        touch(r, w);
    else if (what == '+' || what == '-')
        room_online(r, player, what == '+', w->now_ns);
    else
        room_take(r, player, kind_of(what), text, length, w->now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const players[] = {"anna", "cleo", "zoe\xc3\xa4"};
    const room_settings settings = {.player = "ben",
                                    .session = "bbbb",
                                    .shares = true,
                                    .is_referee = size % 2 == 1,
                                    .room_from_stage = {.orientation = {.w = 1.0f}},
                                    .agree_ns = 100 * MS};
    static world w;
    const room_user user = {.context = &w,
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
    fuzz_input in = {data, size};
    static char text[LINE];
    room *r;

    w = (world){.now_ns = 100 * SECOND, .is_referee = settings.is_referee};
    r = room_create(&settings, &user);
    FUZZ_CHECK(r);
    room_join(r, true, w.now_ns);
    for (int i = 0; in.size > 0 && i < 200; i++) {
        const uint8_t what = fuzz_byte(&in), who = fuzz_byte(&in), after = fuzz_byte(&in);
        const uint8_t *end = in.size > 0 ? memchr(in.data, '\n', in.size) : NULL;
        const int64_t steps = after & 63;
        size_t length = end ? (size_t)(end - in.data) : in.size;

        length = length < sizeof text - 1 ? length : sizeof text - 1;
        fuzz_take(&in, text, length);
        text[length] = '\0'; /* as whoever hands it over does */
        w.now_ns += steps * steps * steps * MS / 64;
        if (what != 'c' && what != '+' && what != '-')
            check_message(kind_of(what), text, length);
        take(r, &w, what, players[who % 3], text, length);
        share(r, &w);
        room_tick(r, w.now_ns);
        room_decide(r, w.now_ns);
        if (end)
            fuzz_byte(&in);
    }
    room_destroy(r, w.now_ns);
    return 0;
}
