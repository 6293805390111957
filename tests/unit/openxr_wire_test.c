/* Messages of the process with the runtime: whole ones pass, and whatever its library has written over them does not. */
#include "sources/openxr/helper_wire.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static xr_message whole(xr_message message)
{
    message.magic = XR_WIRE_MAGIC;
    message.size = (uint16_t)xr_message_size(&message);
    return message;
}

static bool passes(const xr_message *message)
{
    return xr_message_check(message, message->size);
}

static xr_message frame(void)
{
    return whole((xr_message){
        .kind = XR_MESSAGE_ENTRY,
        .as.entry = {
            .kind = RING_FRAME,
            .time_ns = 5,
            .as.frame = {.count = 2, .samples = {{.device = 0, .flags = POSE_VALID}, {.device = 1, .flags = 3}}}}});
}

static void whole_messages_arrive(void **state)
{
    xr_message sent[] = {
        frame(),
        {.kind = XR_MESSAGE_ENTRY, .as.entry = {.kind = RING_LOST, .as.lost = {1, CLASH_TRACKING_JUMPED}}},
        {.kind = XR_MESSAGE_ENTRY, .as.entry = {.kind = RING_SPACE_CHANGED, .time_ns = -1}},
        {.kind = XR_MESSAGE_ENTRY, .as.entry = {.kind = RING_RUNTIME, .as.runtime = {true, 7, "name", "detail"}}},
        {.kind = XR_MESSAGE_ENTRY, .as.entry = {.kind = RING_CONTROLLER, .as.controller = {1, "/interaction"}}},
        {.kind = XR_MESSAGE_LOG, .as.log = {LOG_LEVEL_DEBUG, "text"}},
        {.kind = XR_MESSAGE_LOG, .as.log = {LOG_LEVEL_ERROR, ""}},
        {.kind = XR_MESSAGE_STATE, .as.state = {XR_THREAD_ENDED, 9, 0}},
    };
    const xr_message from_its_place = frame();
    xr_message got;
    int pair[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        assert_true(xr_message_send(pair[0], &sent[i]));
        assert_int_equal(recv(pair[1], &got, sizeof got, 0), sent[i].size);
        assert_true(passes(&got));
        assert_memory_equal(&got, &sent[i], sent[i].size);
        assert_int_equal(sent[i].size % alignof(xr_message), 0);
    }
    assert_true(xr_entry_send(pair[0], &from_its_place.as.entry));
    assert_int_equal(recv(pair[1], &got, sizeof got, 0), from_its_place.size);
    assert_true(passes(&got));
    assert_memory_equal(&got, &from_its_place, from_its_place.size);
    close(pair[0]);
    close(pair[1]);
}

#define REFUSED(what)                \
    do {                             \
        xr_message m = frame();      \
        ring_entry *r = &m.as.entry; \
        (void)r;                     \
        what;                        \
        assert_false(passes(&m));    \
    } while (0)

static void what_is_out_of_range_is_refused(void **state)
{
    (void)state;
    REFUSED(m.magic++);
    REFUSED(m.size--);
    REFUSED(m.size++);
    REFUSED(m.size = 0);
    REFUSED(m.kind = XR_MESSAGE_KINDS);
    REFUSED(r->as.frame.count = RING_SAMPLES_MAX + 1);
    REFUSED(r->as.frame.samples[1].device = XR_DEVICES);
    REFUSED(r->as.frame.samples[0].flags = POSE_TELEPORT);
    REFUSED(r->time_ns = INT64_MAX);
    REFUSED(r->time_ns = INT64_MIN);
    REFUSED(memset(&r->gap, 2, 1));
    REFUSED(memset(&r->kind, 0xff, sizeof r->kind));
    REFUSED(r->kind = RING_LOST; r->as.lost.device = XR_DEVICES);
    REFUSED(r->kind = RING_LOST; r->as.lost.device = 0; memset(&r->as.lost.reason, 0xff, sizeof r->as.lost.reason));
    REFUSED(r->kind = RING_RUNTIME; memset(&r->as.runtime, 'x', sizeof r->as.runtime));
    REFUSED(r->kind = RING_RUNTIME; memset(&r->as, 0, sizeof r->as); memset(&r->as.runtime.running, 2, 1));
    REFUSED(r->kind = RING_CONTROLLER; r->as.controller.device = 0;
            memset(r->as.controller.profile, 'x', RING_TEXT_MAX));
    REFUSED(m = whole((xr_message){.kind = XR_MESSAGE_STATE, .as.state.thread = XR_THREAD_STATES}));
    REFUSED(m = whole((xr_message){.kind = XR_MESSAGE_STATE, .as.state.thread = -1}));
    REFUSED(m = whole((xr_message){.kind = XR_MESSAGE_STATE, .as.state.clock_error_ns = -1}));
    REFUSED(m = whole((xr_message){.kind = XR_MESSAGE_LOG, .as.log = {4, "level"}}));
    REFUSED(m = whole((xr_message){.kind = XR_MESSAGE_LOG, .as.log = {-1, "level"}}));
    REFUSED(m = whole((xr_message){.kind = XR_MESSAGE_LOG, .as.log = {0, "no end"}}); m.size--);
}

/* Whatever passes is safe to use, which sanitizers look at here. */
static void random_bytes_do_no_harm(void **state)
{
    random_state random = {1};
    size_t passed = 0;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        xr_message m = frame();
        unsigned char *bytes = (unsigned char *)&m;
        const size_t at = (size_t)random_below(&random, 3 * 8), length = 1 + (size_t)random_below(&random, 4);

        for (size_t k = 0; k < length; k++)
            bytes[(i % 2 ? 0 : offsetof(xr_message, as)) + at + k] = (unsigned char)random_below(&random, 256);
        if (!xr_message_check(&m, sizeof m.as.entry + offsetof(xr_message, as)))
            continue;
        passed++;
        assert_true(m.kind != XR_MESSAGE_ENTRY || m.as.entry.kind <= RING_CONTROLLER);
        assert_true(m.as.entry.kind != RING_FRAME || m.as.entry.as.frame.count <= RING_SAMPLES_MAX);
    }
    assert_true(passed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_messages_arrive),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(random_bytes_do_no_harm),
    };

    return cmocka_run_group_tests_name("openxr wire", tests, NULL, NULL);
}
