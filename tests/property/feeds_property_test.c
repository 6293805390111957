/* Hand-overs between a game, the layer and clashd's own source, at random rates, some of them ahead of the clock: nothing that both
 * covered is lost and nothing is invented, each is one space_changed, and there are thousands of them. A failure prints its
 * seed; CLASHD_SEED runs it again, CLASHD_CASES asks for more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/feed_course.h"

#define COURSE_NS (60000 * MS)

/* Who samples the hands, and when it sends. */
typedef struct sampler {
    const int *client; /* NULL: the source */
    clash_feed_source source;
    int64_t period_ns, ahead_ns, late_ns; /* sends `late` after the sample's time, or that much earlier */
    int64_t sample_ns;                    /* of the next one */
    bool is_on, is_fed, has_begun;
    int64_t turn_ns; /* when it comes or goes next */
} sampler;

static uint64_t seed;

static int64_t ms_in(random_state *r, double low, double high)
{
    return (int64_t)(random_in(r, low, high) * 1e6);
}

static sampler make_sampler(random_state *r, const int *client, clash_feed_source source, double least_hz,
                            double most_hz)
{
    sampler s = {.client = client, .source = source, .is_on = !client, .turn_ns = ms_in(r, 50, 400)};

    s.period_ns = (int64_t)(1e9 / random_in(r, least_hz, most_hz));
    s.ahead_ns = client && random_below(r, 2) ? ms_in(r, 0, 45) : 0;
    s.late_ns = s.ahead_ns ? 0 : ms_in(r, 0, 15);
    s.sample_ns = ms_in(r, 0, 10);
    return s;
}

static int64_t due(const sampler *s)
{
    return s->sample_ns - s->ahead_ns + s->late_ns;
}

static void feed(course *c, const sampler *s, bool is_on, int64_t now_ns)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_FEED, .feed = {.source = s->source, .count = is_on ? HANDS : 0}};

    snprintf(r.feed.space, sizeof r.feed.space, "game");
    for (int hand = 0; hand < HANDS; hand++)
        snprintf(r.feed.devices[hand], PROTOCOL_NAME_MAX, "%s", course_hands[hand]);
    course_ask(c, s->client, &r, now_ns);
}

/* Comes, or goes in one of three ways: by a feed of nothing, with its connection, or without a word. */
static void turn(course *c, sampler *s, random_state *r, int64_t now_ns)
{
    s->turn_ns = now_ns + (s->is_on ? ms_in(r, 30, 500) : ms_in(r, 30, 400));
    s->is_on = !s->is_on;
    if (s->is_on) {
        s->has_begun = false;
        if (!s->is_fed)
            feed(c, s, true, now_ns);
        s->is_fed = true;
        return;
    }
    switch (random_below(r, 3)) {
    case 0:
        feed(c, s, false, now_ns);
        s->is_fed = false;
        break;
    case 1:
        while (push_client_goes(c->push, s->client, now_ns))
            continue;
        s->is_fed = false;
        break;
    default:
        break;
    }
}

static void send_own(course *c, int64_t time_ns)
{
    pose_frame frame = {.time_ns = EPOCH_NS + time_ns, .count = HANDS};

    for (int hand = 0; hand < HANDS; hand++)
        frame.samples[hand] = (pose_sample){
            .device = c->hands[hand], .flags = POSE_VALID | POSE_TRACKED, .pose = course_pose(hand, time_ns)};
    scene_frame(&c->scene, NULL, &frame, 0);
}

static void send_poses(course *c, sampler *s, int64_t now_ns)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_POSES, .poses = {.has_time = true, .time_ns = s->sample_ns}};

    for (int hand = 0; hand < HANDS; hand++) {
        protocol_own_pose *pose = &r.poses.poses[r.poses.count++];

        *pose = (protocol_own_pose){.pose = course_pose(hand, s->sample_ns), .tracked = true, .valid = true};
        snprintf(pose->device, sizeof pose->device, "%s", course_hands[hand]);
    }
    if (!s->has_begun) /* whatever it sent before is further away than samples are joined */
        c->began_ns[s->source][c->began[s->source]++ % 8] = s->sample_ns;
    s->has_begun = true;
    course_ask(c, s->client, &r, now_ns);
}

static void send_wall(course *c, int64_t time_ns, int64_t now_ns)
{
    protocol_request r = {.type = PROTOCOL_REQUEST_POSES, .poses = {.has_time = true, .time_ns = time_ns, .count = 1}};

    r.poses.poses[0] = (protocol_own_pose){.device = "wall", .pose.orientation.w = 1, .tracked = true, .valid = true};
    course_ask(c, &course_wall, &r, now_ns);
}

/* The next of all in order of time. */
static int64_t go_on(course *c, sampler samplers[3], sampler *wall, random_state *r)
{
    sampler *next = wall, *other = NULL;
    int64_t now_ns;

    for (int i = 0; i < 3; i++) {
        if (due(&samplers[i]) < due(next))
            next = &samplers[i];
        if (samplers[i].client && (!other || samplers[i].turn_ns < other->turn_ns))
            other = &samplers[i];
    }
    if (other->turn_ns < due(next)) {
        now_ns = other->turn_ns;
        turn(c, other, r, now_ns);
        return now_ns;
    }
    now_ns = due(next);
    push_check_silence(c->push, now_ns);
    if (next == wall)
        send_wall(c, next->sample_ns, now_ns);
    else if (!next->client)
        send_own(c, next->sample_ns);
    else if (next->is_on)
        send_poses(c, next, now_ns);
    next->sample_ns += next->period_ns;
    return now_ns;
}

static uint64_t run_course(uint64_t number, long *out_passes)
{
    random_state r = {seed + number * 1000003};
    sampler samplers[3] = {make_sampler(&r, NULL, CLASH_SOURCE_OPENXR, 70, 500),
                           make_sampler(&r, &course_layer, CLASH_SOURCE_LAYER, 60, 144),
                           make_sampler(&r, &course_game, CLASH_SOURCE_GAME, 20, 144)};
    sampler wall = make_sampler(&r, &course_wall, CLASH_SOURCE_NONE, 40, 60);
    course *c = course_create(100 * MS);
    int64_t now_ns = 0;
    uint64_t switches;

    wall.ahead_ns = 0;
    wall.late_ns = ms_in(&r, 0, 60);
    while (now_ns < COURSE_NS)
        now_ns = go_on(c, samplers, &wall, &r);
    *out_passes += course_judge(c, 300 * MS, COURSE_NS - 500 * MS);
    switches = c->switches[0];
    assert_int_equal(c->switches[0], c->switches[1]);
    assert_int_equal(c->spaces, switches); /* one for both hands */
    assert_int_equal(c->scene.feed_switches, HANDS * switches);
    assert_int_equal(pipeline_get_counters(c->pipeline)->overruns, 0);
    assert_int_equal(pipeline_get_counters(c->pipeline)->refused_late, 0);
    course_destroy(c);
    return switches;
}

static void nothing_is_lost_and_nothing_invented(void **state)
{
    const long courses = random_cases(50);
    uint64_t switches = 0;
    long passes = 0;

    (void)state;
    seed = random_seed(1);
    for (long i = 0; i < courses; i++) {
        print_message("CLASHD_SEED=%llu, course %ld\n", (unsigned long long)seed, i);
        switches += run_course((uint64_t)i, &passes);
    }
    print_message("%llu hand-overs of two hands, %ld times past a post\n", (unsigned long long)switches, passes);
    assert_true(switches > (uint64_t)random_enough(10000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_and_nothing_invented)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
