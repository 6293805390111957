/* What plays clashd for the API layer: it greets whoever connects, gives it the feed, and reads its frames. */
#ifndef TESTS_LAYER_GUEST_H
#define TESTS_LAYER_GUEST_H

#include "support/layer_chain.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 60000

static const char greeting[] =
    "{\"type\":\"hello\",\"protocol\":1,\"version\":\"0.7.0\",\"session\":\"s\",\"time_ns\":0,\"epoch_monotonic_ns\":"
    "\"0\","
    "\"epoch_unix_ns\":\"0\",\"space\":\"none\",\"axes\":\"openxr\",\"blades\":[],\"targets\":[],\"devices\":[],"
    "\"capabilities\":[\"feed\"]}\n";
static const char ok[] = "{\"type\":\"ok\",\"id\":\"feed\"}\n";

/** What plays clashd: the connection, and what of a line has come. */
typedef struct guest {
    struct sockaddr_un address;
    int listening, fd;
    size_t length;
    char bytes[4096];
} guest;

static inline guest expect_guest(void)
{
    guest g = {.address = {.sun_family = AF_UNIX}, .fd = -1};

    snprintf(g.address.sun_path, sizeof g.address.sun_path, "%s/layer_guest.%d.sock", TEST_BUILD, (int)getpid());
    unlink(g.address.sun_path);
    g.listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(g.listening, (const struct sockaddr *)&g.address, sizeof g.address), 0);
    assert_int_equal(listen(g.listening, 1), 0);
    setenv("CLASHD_SOCKET", g.address.sun_path, 1);
    return g;
}

/** The next line that is there now, into the guest's bytes; false: none is. */
static inline bool take_line(guest *g)
{
    for (;;) {
        char byte;

        if (recv(g->fd, &byte, 1, MSG_DONTWAIT) != 1)
            return false;
        assert_true(g->length < sizeof g->bytes - 1);
        g->bytes[g->length++] = byte;
        if (byte != '\n')
            continue;
        g->bytes[g->length] = '\0';
        g->length = 0;
        return true;
    }
}

/** The display time of the frame that is now: the stand-in for a runtime puts a period on top of it. */
static inline XrTime now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (XrTime)at.tv_sec * 1000000000 + at.tv_nsec;
}

static inline void play(playing *p)
{
    p->frame.predictedDisplayTime = now();
    play_frame(p, 0);
}

/** Frames until the layer has been greeted, has asked for its feed and has it, and its thread has nothing more to do. */
static inline playing begin_fed(guest *g)
{
    playing p = begin(make_instance());
    struct pollfd waits = {.fd = g->listening, .events = POLLIN};
    bool is_fed = false;

    assert_int_equal(poll(&waits, 1, WAIT_MS), 1);
    g->fd = accept(g->listening, NULL, NULL);
    assert_true(g->fd >= 0);
    assert_int_equal(write(g->fd, greeting, sizeof greeting - 1), sizeof greeting - 1);
    waits.fd = g->fd;
    for (int in_a_row = 0, frames = 0; in_a_row < 5; frames++) {
        assert_true(frames < WAIT_MS);
        play(&p);
        poll(&waits, 1, 1);
        for (in_a_row = is_fed ? in_a_row : 0; take_line(g); in_a_row += is_fed)
            if (strstr(g->bytes, "{\"type\":\"feed\"") && !is_fed) {
                assert_int_equal(write(g->fd, ok, sizeof ok - 1), sizeof ok - 1);
                is_fed = true;
            }
    }
    return p;
}

static inline void end_guest(guest *g)
{
    close(g->fd);
    close(g->listening);
    unlink(g->address.sun_path);
    setenv("CLASHD_SOCKET", "/nowhere/clashd.sock", 1);
}

static inline void end_fed(playing *p, guest *g)
{
    assert_int_equal(FIND(p->instance, xrDestroyInstance)(p->instance), XR_SUCCESS);
    created = 0;
    end_guest(g);
}

#endif
