/* Switches between all feeds of two hands that move to and fro past posts. Both are at x(t) whoever samples them, so
 * every contact is known beforehand and can be compared. Half of the posts are static targets, the others blades on a
 * client's device, which is sampled more slowly and comes later. */
#ifndef CLASHD_TESTS_FEED_COURSE_H
#define CLASHD_TESTS_FEED_COURSE_H

#include "scene/feeds.h"
#include "scene/push.h"
#include "support/fresh.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define EPOCH_NS INT64_C(5000000000)
#define HANDS 2
#define POSTS 8
#define HALF_PERIOD_NS (1000 * MS) /* from -1 m to 1 m */
#define SPEED 2.0                  /* m/s */
#define REACH 0.02                 /* m: two radii */
#define RELEASE 0.005
#define TOLERANCE_NS INT64_C(3000)
#define FOUND_MAX 40000
#define CUTS_MAX 20000
#define TIMEOUT_NS (250 * MS)

typedef struct found {
    int hand, post;
    int64_t time_ns;
    bool is_explained;
} found;

typedef struct cut {
    int64_t from_ns, to_ns; /* the same if the new one began only later, or one fell silent for a while */
} cut;

typedef struct course {
    pipeline *pipeline;
    event_sink sinks;
    scene scene;
    push *push;
    uint32_t hands[HANDS];
    int64_t last_ns[HANDS]; /* of what was delivered */
    int64_t began_ns[8][8]; /* by source: first samples, of the last few times that it came */
    uint64_t began[8];      /* .. how many there are */
    size_t found_count, cut_counts[HANDS];
    found found[FOUND_MAX];
    cut cuts[HANDS][CUTS_MAX];
    uint64_t spaces, switches[HANDS];
} course;

static const char *const course_hands[HANDS] = {"/user/hand/left", "/user/hand/right"};

static inline double course_x(int hand, int64_t time_ns)
{
    const int64_t at = (time_ns + hand * (333 * MS)) % (2 * HALF_PERIOD_NS);
    const double way = SPEED * (double)(at < HALF_PERIOD_NS ? at : 2 * HALF_PERIOD_NS - at) * 1e-9;

    return way - 1.0;
}

static inline double course_post_x(int post)
{
    return -0.7 + 0.2 * post;
}

/* It spins about its own axis, so that the spin touches nothing. */
static inline clash_pose course_pose(int hand, int64_t time_ns)
{
    const double half = 1.5 * (double)(time_ns % (1000000 * MS)) * 1e-9;

    return (clash_pose){{0, 0, (float)sin(half), (float)cos(half)},
                        {(float)course_x(hand, time_ns), 0, 5.0f * (float)hand}};
}

/* ---- what is told ---- */

/* "post0.3" */
static inline void course_read_post(const char *name, found *out)
{
    char *end;

    out->hand = (int)strtol(name + strlen("post"), &end, 10);
    assert_true(*end == '.');
    out->post = (int)strtol(end + 1, &end, 10);
    assert_true(*end == '\0');
}

static inline void course_on_event(void *context, const clash_event *event)
{
    course *c = context;
    found *f = &c->found[c->found_count];

    c->spaces += event->kind == CLASH_EVENT_SPACE_CHANGED;
    if (event->kind != CLASH_EVENT_CLASH)
        return;
    assert_true(c->found_count++ < FOUND_MAX);
    *f = (found){.time_ns = event->time_ns - EPOCH_NS};
    for (int i = 0; i < 2; i++) /* "hand0", "post0.3" */
        if (event->blades[i][0] == 'p')
            course_read_post(event->blades[i], f);
}

/* Return whether a feed began at that time: it has nothing from before, or from too long before. */
static inline bool course_is_beginning(const course *c, int64_t time_ns)
{
    bool is_beginning = false;

    for (size_t source = 0; source < 8; source++)
        for (size_t i = 0; i < 8 && i < c->began[source]; i++)
            is_beginning |= time_ns == c->began_ns[source][i];
    return is_beginning;
}

static inline void course_note_cut(course *c, int hand, int64_t time_ns, bool is_other)
{
    const bool is_beginning = course_is_beginning(c, time_ns);

    c->switches[hand] += is_other;
    if (is_other && time_ns != c->last_ns[hand] && !is_beginning)
        fail_msg("%s: another goes on at %lld, the one before ended at %lld", course_hands[hand], (long long)time_ns,
                 (long long)c->last_ns[hand]);
    if (!is_other && !is_beginning)
        return;
    assert_true(c->cut_counts[hand] < CUTS_MAX);
    c->cuts[hand][c->cut_counts[hand]++] = (cut){c->last_ns[hand], time_ns};
}

static inline void course_on_frame(void *context, const pose_frame *frame)
{
    const int64_t time_ns = frame->time_ns - EPOCH_NS;
    course *c = context;

    for (uint32_t i = 0; i < frame->count; i++)
        for (int hand = 0; hand < HANDS; hand++) {
            if (frame->samples[i].device != c->hands[hand])
                continue;
            course_note_cut(c, hand, time_ns, (frame->samples[i].flags & POSE_OTHER_FEED) != 0);
            c->last_ns[hand] = time_ns;
        }
}

/* ---- the course ---- */

static const int course_game = 1, course_layer = 2, course_wall = 3;

static inline void course_ask(course *c, const int *client, const protocol_request *r, int64_t now_ns)
{
    protocol_error error = {0};

    if (push_request(c->push, client, r, now_ns, &error) != 0)
        fail_msg("refused at %lld: %s", (long long)now_ns, error.message);
}

static inline void course_add_posts(course *c, int hand)
{
    const clash_capsule axis = {{0, -1, 0}, {0, 1, 0}, 0.01f};
    protocol_error error;
    failure reason = {0};
    char name[32];

    for (int post = 0; post < POSTS; post++) {
        const clash_vec3 place = {(float)course_post_x(post), 0, 5.0f * (float)hand - 0.5f};

        snprintf(name, sizeof name, "post%d.%d", hand, post);
        if (post % 2 == 0) {
            clash_target_definition still = {.pose = {{0, 0, 0, 1}, place}, .kind = CLASH_SHAPE_CAPSULE};

            snprintf(still.name, sizeof still.name, "%s", name);
            still.as.capsule = axis;
            assert_int_equal(
                scene_define_target(&c->scene, scene_settings, 0, scene_target_make(&still, fresh(&reason)), &error),
                0);
        } else {
            protocol_request r = {.type = PROTOCOL_REQUEST_BLADE, .blade.properties.shape = axis};

            snprintf(r.blade.name, sizeof r.blade.name, "%s", name);
            snprintf(r.blade.device, sizeof r.blade.device, "wall");
            r.blade.properties.shape.base = (clash_vec3){place.x, -1, place.z};
            r.blade.properties.shape.tip = (clash_vec3){place.x, 1, place.z};
            course_ask(c, &course_wall, &r, 0);
        }
    }
}

static inline course *course_create(int64_t max_gap_ns)
{
    const pipeline_settings settings = {.release_margin = (float)RELEASE,
                                        .full_intensity_speed = 10.0f,
                                        .max_gap_ns = max_gap_ns,
                                        .gap_by_rate = true,
                                        .require_tracked = true};
    course *c = calloc(1, sizeof *c);

    assert_non_null(c);
    c->sinks = (event_sink){.context = c, .event = course_on_event, .frame = course_on_frame};
    assert_int_equal(scene_open(&c->scene, &settings, &c->sinks, (logger){0}), 0);
    c->pipeline = c->scene.pipeline;
    c->scene.own = CLASH_SOURCE_OPENXR;
    c->push = push_create(&(push_settings){.scene = &c->scene, .epoch_ns = EPOCH_NS, .timeout_ns = TIMEOUT_NS});
    for (int hand = 0; hand < HANDS; hand++) {
        pipeline_blade blade = {.properties.shape = {{0, 0, 0}, {0, 0, -1}, 0.01f}, .owner = scene_settings};

        c->hands[hand] = blade.device = scene_source_device(&c->scene, course_hands[hand]);
        snprintf(blade.name, sizeof blade.name, "hand%d", hand);
        assert_null(pipeline_add_blade(c->pipeline, &blade));
        course_add_posts(c, hand);
    }
    return c;
}

static inline void course_destroy(course *c)
{
    push_destroy(c->push);
    scene_close(&c->scene);
    free(c);
}

/* ---- the judge ---- */

/* Judge one pass by a post, from when the two begin to touch until they are certainly apart. */
static inline void course_judge_pass(course *c, int hand, int post, int64_t from_ns, int64_t to_ns)
{
    const int64_t apart_ns = (int64_t)(RELEASE / SPEED * 1e9);
    bool is_known = true, has_begun = false;
    long expected = 1, count = 0;

    for (size_t i = 0; i < c->cut_counts[hand]; i++) {
        const cut *one = &c->cuts[hand][i];

        if (one->to_ns < from_ns - TOLERANCE_NS || one->from_ns > to_ns + apart_ns + TOLERANCE_NS)
            continue;
        if (one->from_ns != one->to_ns || llabs(one->to_ns - from_ns) <= TOLERANCE_NS ||
            one->to_ns >= to_ns - TOLERANCE_NS)
            is_known = false;
        else
            expected++;
    }
    for (size_t i = 0; i < c->found_count; i++) {
        found *f = &c->found[i];
        bool is_at_cut = false;

        if (f->hand != hand || f->post != post || f->time_ns < from_ns - TOLERANCE_NS ||
            f->time_ns > to_ns + TOLERANCE_NS)
            continue;
        for (size_t k = 0; k < c->cut_counts[hand]; k++)
            is_at_cut |= llabs(c->cuts[hand][k].to_ns - f->time_ns) <= TOLERANCE_NS;
        has_begun |= llabs(f->time_ns - from_ns) <= TOLERANCE_NS;
        f->is_explained = is_at_cut || llabs(f->time_ns - from_ns) <= TOLERANCE_NS;
        count++;
    }
    if (is_known && (!has_begun || count != expected))
        fail_msg("hand %d past post %d from %lld to %lld: %ld clashes, %ld expected, %s", hand, post,
                 (long long)from_ns, (long long)to_ns, count, expected,
                 has_begun ? "the first one is there" : "the first one is missing");
}

/* Judge everything between the two times, and that nothing comes after. Return how many passes there were. */
static inline long course_judge(course *c, int64_t begin_ns, int64_t end_ns)
{
    long passes = 0;

    for (int hand = 0; hand < HANDS; hand++)
        for (int64_t turn = -hand * (333 * MS); turn < end_ns; turn += HALF_PERIOD_NS)
            for (int post = 0; post < POSTS; post++) {
                const bool is_back = ((turn + hand * (333 * MS)) / HALF_PERIOD_NS) % 2 != 0;
                const double way = is_back ? 1.0 - course_post_x(post) : course_post_x(post) + 1.0;
                const int64_t from_ns = turn + (int64_t)((way - REACH) / SPEED * 1e9);
                const int64_t to_ns = turn + (int64_t)((way + REACH) / SPEED * 1e9);

                if (from_ns < begin_ns || to_ns > end_ns)
                    continue;
                course_judge_pass(c, hand, post, from_ns, to_ns);
                passes++;
            }
    for (size_t i = 0; i < c->found_count; i++)
        if (!c->found[i].is_explained && c->found[i].time_ns > begin_ns && c->found[i].time_ns < end_ns)
            fail_msg("hand %d: a clash with post %d at %lld is invented", c->found[i].hand, c->found[i].post,
                     (long long)c->found[i].time_ns);
    return passes;
}

#endif
