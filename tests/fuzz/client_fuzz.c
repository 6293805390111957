/* What the C client makes of a clashd's bytes, over WebSocket from the answer to the upgrade on, or as lines. However the
 * bytes arrive, it is told the same; what it is told are strings that end, and numbers that are finite; what it answers are
 * whole frames with a mask, and none after a close. The first byte says lines or not, the second how the bytes are cut. */
#include <math.h>

#include "fuzz/fuzz.h"
#include "protocol/clients/c/client_private.h"
#include "support/bits.h"

enum { STREAM_MAX = 32768, MESSAGE_MAX = 4096, CONTROL_MAX = 127 };

/** To the key of the RFC's example: the answers of the corpus. */
static const char accepted[] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/** All that a client was told, in order. */
typedef struct told {
    uint64_t hash;
    size_t count;
} told;

static void add(told *t, const void *bytes, size_t length)
{
    t->hash = bits_hash(t->hash, bytes, length);
    t->count++;
}

static void add_text(told *t, const char *text)
{
    FUZZ_CHECK(text);
    add(t, text, strlen(text));
}

static void add_vec3(told *t, clash_vec3 v)
{
    FUZZ_CHECK(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
    add(t, &v, sizeof v);
}

static void on_hello(void *context, const clash_client_hello *hello)
{
    add_text(context, hello->version);
    add_text(context, hello->session);
    add_text(context, hello->space);
    for (size_t i = 0; i < hello->capability_count; i++)
        add_text(context, hello->capabilities[i]);
    for (size_t i = 0; i < hello->blade_count; i++) {
        const clash_blade *blade = &hello->blades[i];

        add_text(context, blade->name);
        add_text(context, blade->device);
        add_vec3(context, blade->properties.shape.base);
        FUZZ_CHECK(!blade->sword || blade->sword->capsule_count <= CLASH_PARTS_MAX);
        for (uint32_t k = 0; blade->sword && k < blade->sword->capsule_count; k++)
            add_vec3(context, blade->sword->capsules[k].tip);
    }
    for (size_t i = 0; i < hello->target_count; i++) {
        const clash_client_target *target = &hello->targets[i];

        add_text(context, target->name);
        add_vec3(context, target->pose.position);
        add_vec3(context, target->box.half);
        FUZZ_CHECK(target->kind <= CLASH_SHAPE_TERRAIN && isfinite(target->sphere.radius));
    }
}

static void add_event(told *t, const clash_event *event)
{
    add(t, &event->seq, sizeof event->seq);
    add(t, &event->time_ns, sizeof event->time_ns);
}

static void on_contact(void *context, const clash_event *event)
{
    const clash_event_clash *clash = &event->as.clash;

    add_event(context, event);
    for (int i = 0; i < 2; i++) {
        add_text(context, event->blades[i]);
        add_vec3(context, clash->contact.points[i]);
        if (clash->parts[i])
            add_text(context, clash->parts[i]);
    }
    add_vec3(context, clash->contact.midpoint);
    add_vec3(context, clash->surface_normal);
    FUZZ_CHECK(isfinite(clash->closing_speed) && isfinite(clash->intensity));
}

static void on_release(void *context, const clash_event *event)
{
    add_event(context, event);
    add_text(context, event->blades[1]);
    add(context, &event->as.release.reason, sizeof event->as.release.reason);
}

static void on_tracking(void *context, const clash_event *event)
{
    add_event(context, event);
    add_text(context, event->as.tracking.device);
}

static void on_space(void *context, const clash_event *event)
{
    add_event(context, event);
}

static void on_poses(void *context, int64_t time_ns, const clash_client_pose *poses, size_t count)
{
    add(context, &time_ns, sizeof time_ns);
    for (size_t i = 0; i < count; i++) {
        add_text(context, poses[i].device);
        add_vec3(context, poses[i].pose.position);
        add_vec3(context, poses[i].resolved.pose.position);
    }
}

static void on_lagged(void *context, const clash_client_lagged *lagged)
{
    add(context, lagged, sizeof *lagged);
}

static void on_reply(void *context, const clash_client_reply *reply)
{
    add_text(context, reply->id);
    add_text(context, reply->code);
    add_text(context, reply->message);
}

/* ---- lines ---- */

/** A client without a socket; 0 stands for one, which nothing here touches. */
static clash_client make_client(told *t)
{
    return (clash_client){.fd = 0,
                          .listener = {.context = t,
                                       .hello = on_hello,
                                       .clash = on_contact,
                                       .hold = on_contact,
                                       .release = on_release,
                                       .tracking = on_tracking,
                                       .space_changed = on_space,
                                       .poses = on_poses,
                                       .lagged = on_lagged,
                                       .ok = on_reply,
                                       .error = on_reply}};
}

static told push_lines(const char *bytes, size_t size, size_t step)
{
    told t = {.hash = BITS_HASH_EMPTY};
    clash_client client = make_client(&t);

    if (client_stream_begin(&client, NULL, NULL) != 0)
        exit(3);
    for (size_t at = 0; at < size; at += step)
        FUZZ_CHECK(client_stream_take(&client, bytes + at, size - at < step ? size - at : step) == 0);
    client_stream_end(&client);
    return t;
}

/* ---- the upgrade and the frames ---- */

typedef struct framed {
    told told;
    clash_client client;
    size_t skip; /* bytes of a frame of ours that are yet to come */
    bool closed; /* we have sent a close */
} framed;

static bool on_message(void *context, const char *text, size_t length)
{
    framed *f = context;

    FUZZ_CHECK(length <= MESSAGE_MAX);
    client_take_line(&f->client, text, length);
    return true;
}

static bool on_dropped(void *context, const char *why)
{
    add_text(&((framed *)context)->told, why);
    return true;
}

/* Header and payload may come apart. */
static bool on_send(void *context, const void *bytes, size_t length)
{
    const uint8_t *at = bytes, *end = at + length;
    framed *f = context;

    while (at < end) {
        size_t rest = (size_t)(end - at) < f->skip ? (size_t)(end - at) : f->skip;

        at += rest;
        f->skip -= rest;
        if (at == end)
            break;
        FUZZ_CHECK(!f->closed && end - at >= 6 && (at[0] == 0x88 || at[0] == 0x8a) && at[1] >= 0x80 && at[1] <= 0xfd);
        f->closed = at[0] == 0x88;
        f->skip = at[1] & 0x7fu;
        at += 6;
    }
    return true;
}

/** Whether the connection stands, and what was told of it. Zeros complete a control frame whose end is missing: whether
 *  libwslay sees before that end that a close's reason is no UTF-8 depends on the cut. */
static bool push_frames(const char *input, size_t input_size, size_t step, told *out)
{
    static char bytes[STREAM_MAX + CONTROL_MAX];
    const size_t size = input_size + CONTROL_MAX;
    framed f = {.told = {.hash = BITS_HASH_EMPTY}};
    const client_frames_listener listener = {
        .context = &f, .message = on_message, .dropped = on_dropped, .send = on_send};
    client_frames *frames = client_frames_create(MESSAGE_MAX, &listener);
    const char *why = NULL;

    if (!frames)
        exit(3);
    memset(bytes, 0, size);
    memcpy(bytes, input, input_size);
    f.client = make_client(&f.told);
    for (size_t at = 0; !why && at < size; at += step)
        why = client_frames_push(frames, bytes + at, size - at < step ? size - at : step);
    FUZZ_CHECK((why != NULL) == f.closed && f.skip == 0);
    client_frames_destroy(frames);
    *out = f.told;
    return !why;
}

/** How many bytes the answer has; 0 where it is no yes. */
static size_t push_upgrade(const char *bytes, size_t size, size_t step, client_upgrade_verdict *out_verdict)
{
    static client_upgrade u;
    char why[512] = "";
    size_t used, total = 0;

    u.length = 0;
    memcpy(u.accept, accepted, sizeof accepted);
    *out_verdict = CLIENT_UPGRADE_MORE;
    for (size_t at = 0; at < size && *out_verdict == CLIENT_UPGRADE_MORE; at += step) {
        size_t part = size - at < step ? size - at : step;

        *out_verdict = client_upgrade_take(&u, bytes + at, part, &used, why, sizeof why);
        FUZZ_CHECK(used <= part && u.length <= CLIENT_ANSWER_MAX);
        total += used;
    }
    if (*out_verdict == CLIENT_UPGRADE_MORE)
        client_upgrade_end(&u, why, sizeof why);
    FUZZ_CHECK(memchr(why, '\0', sizeof why) && (*out_verdict == CLIENT_UPGRADE_DONE || why[0]));
    for (const char *at = why; *out_verdict != CLIENT_UPGRADE_DONE && *at; at++)
        FUZZ_CHECK(*at >= ' ' && *at <= '~');
    return *out_verdict == CLIENT_UPGRADE_DONE ? total : 0;
}

static void check_upgraded(const char *bytes, size_t size, size_t step)
{
    client_upgrade_verdict whole, pieces;
    size_t length = push_upgrade(bytes, size, STREAM_MAX, &whole);
    told told_whole, told_pieces;
    bool stands;

    FUZZ_CHECK(push_upgrade(bytes, size, step, &pieces) == length);
    FUZZ_CHECK((whole == CLIENT_UPGRADE_DONE) == (pieces == CLIENT_UPGRADE_DONE));
    if (whole != CLIENT_UPGRADE_DONE)
        return;
    FUZZ_CHECK(memmem(bytes, length, accepted, sizeof accepted - 1));
    stands = push_frames(bytes + length, size - length, STREAM_MAX, &told_whole);
    FUZZ_CHECK(push_frames(bytes + length, size - length, step, &told_pieces) == stands);
    FUZZ_CHECK(told_whole.hash == told_pieces.hash && told_whole.count == told_pieces.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const bool lines = (fuzz_byte(&in) & 1) != 0;
    const size_t step = 1 + (size_t)fuzz_byte(&in);
    const char *bytes = (const char *)in.data;

    if (in.size > STREAM_MAX)
        return 0;
    if (!lines) {
        check_upgraded(bytes, in.size, step);
        return 0;
    }
    told whole = push_lines(bytes, in.size, STREAM_MAX), pieces = push_lines(bytes, in.size, step);
    FUZZ_CHECK(whole.hash == pieces.hash && whole.count == pieces.count);
    return 0;
}
