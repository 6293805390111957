/* What only the pipeline knows is how long a motion lasts. The same swings over a shorter or longer time give the same
 * contacts, geometry and all, with every speed scaled: by powers of two to the last bit. And the speeds themselves are
 * those of the true motion, by finite differences in double of poses and distances that share no code with libclash.
 * A failure prints its seed; CLASHD_SEED runs that one alone. */
#include "support/bits.h"
#include "support/swings_seeds.h"

#define CASES 40
/* Of the pair's fastest scale: 16 ms, so that every scale has whole nanoseconds. */
#define HOLD_RATE_HZ 62.5f

struct bench {
    swings swings, slower;
};

/** Time runs `scale` times as long, and all that is said of times and speeds with it. */
static scene *run(const swings *s, int scale, float hold_rate_hz)
{
    pipeline_settings settings = {.release_margin = 0.004f,
                                  .hold_rate_hz = hold_rate_hz / (float)scale,
                                  .full_intensity_speed = 10.0f / (float)scale,
                                  .max_gap_ns = 100 * SCENE_MS * scale,
                                  .require_tracked = true,
                                  .every_pair = scene_every_pair};
    scene *result = scene_create(&settings);

    for (uint32_t i = 0; i < 2; i++) {
        pipeline_blade blade = scene_blade(i ? "B" : "A", i, s->shapes[i]);

        blade.properties.has_edge = true;
        blade.properties.edge = (clash_vec3){0, -1, 0};
        assert_null(pipeline_add_blade(result->pipeline, &blade));
    }
    swings_feed(s, result, SWINGS_BY_TIME, current_seed);
    return result;
}

static void slow_down(const swings *from, swings *to, int scale)
{
    *to = *from;
    for (int device = 0; device < 2; device++)
        for (size_t i = 0; i < to->counts[device]; i++)
            to->samples[device][i].time_ns *= scale;
}

/** Whether a is `scale` times b, to the last bit: scale is a power of two. */
static bool is_scaled(float a, float b, int scale)
{
    return bits_float_same(a, b * (float)scale);
}

static void check_speeds(const clash_event_clash *fast, const clash_event_clash *slow, int scale)
{
    for (int i = 0; i < 2; i++) {
        CHECK(is_scaled(fast->velocities[i].x, slow->velocities[i].x, scale));
        CHECK(is_scaled(fast->velocities[i].y, slow->velocities[i].y, scale));
        CHECK(is_scaled(fast->velocities[i].z, slow->velocities[i].z, scale));
        /* Below 0.1 mm/s, at any scale, a blade is said not to move at all. */
        CHECK(is_scaled(fast->edge_alignment[i], slow->edge_alignment[i], 1) ||
              slow->closing_speed + slow->slide_speed < 1e-3f);
    }
    CHECK(is_scaled(fast->closing_speed, slow->closing_speed, scale));
    CHECK(is_scaled(fast->slide_speed, slow->slide_speed, scale));
    CHECK(is_scaled(fast->intensity, slow->intensity, 1));
    CHECK(is_scaled(fast->crossing_angle, slow->crossing_angle, 1));
}

/** To within so many nanoseconds of the faster one: times are rounded to one. */
static bool is_scaled_time(int64_t slow_ns, int64_t fast_ns, int scale, int slack_ns)
{
    return llabs((long long)(slow_ns - fast_ns * scale)) <= (long long)scale * slack_ns;
}

static void check_event(const clash_event *fast, const clash_event *slow, int scale)
{
    CHECK(fast->kind == slow->kind && fast->id == slow->id);
    CHECK(is_scaled_time(slow->time_ns, fast->time_ns, scale, 1));
    CHECK(is_scaled_time(slow->duration_ns, fast->duration_ns, scale, 2));
    if (fast->kind == CLASH_EVENT_CLASH) {
        CHECK(scene_contact_same(&fast->as.clash.contact, &slow->as.clash.contact));
        check_speeds(&fast->as.clash, &slow->as.clash, scale);
    } else if (fast->kind == CLASH_EVENT_RELEASE) {
        CHECK(is_scaled(fast->as.release.min_distance, slow->as.release.min_distance, 1));
        CHECK(is_scaled(fast->as.release.peak_closing_speed, slow->as.release.peak_closing_speed, scale));
        CHECK(fast->as.release.reason == slow->as.release.reason);
    }
}

static size_t a_duration_scales_speeds_and_nothing_else(bench *b)
{
    scene *fast = run(&b->swings, 1, 0.0f);
    size_t contacts = scene_count(fast, CLASH_EVENT_CLASH);

    for (int scale = 2; scale <= 64; scale *= 4) {
        scene *slow;

        slow_down(&b->swings, &b->slower, scale);
        slow = run(&b->slower, scale, 0.0f);
        CHECK(slow->count == fast->count);
        for (size_t i = 0; i < fast->count; i++)
            check_event(&fast->events[i].event, &slow->events[i].event, scale);
        scene_destroy(slow);
    }
    scene_destroy(fast);
    return contacts;
}

static bool near(clash_vec3 a, clash_vec3 b, double scale, double slack)
{
    return fabs(a.x - scale * b.x) <= slack && fabs(a.y - scale * b.y) <= slack && fabs(a.z - scale * b.z) <= slack;
}

/* A hold comes a whole number of periods after a start that was rounded to a nanosecond, so not at the very same place. */
static void check_hold(const clash_event_clash *fast, const clash_event_clash *slow, int scale)
{
    double speed = fabs((double)fast->closing_speed) + (double)fast->slide_speed + 1;

    CHECK(near(fast->contact.midpoint, slow->contact.midpoint, 1, 1e-5) ||
          fast->crossing_angle < 0.02f); /* nearly parallel, the closest points jump */
    CHECK(fabs((double)(fast->contact.distance - slow->contact.distance)) <= 1e-6);
    for (int i = 0; i < 2; i++)
        CHECK(near(fast->velocities[i], slow->velocities[i], scale, 1e-3 * speed) || fast->crossing_angle < 0.02f);
}

static size_t holds_scale_as_well(bench *b)
{
    scene *fast = run(&b->swings, 1, HOLD_RATE_HZ), *slow;
    size_t holds = 0;

    slow_down(&b->swings, &b->slower, 2);
    slow = run(&b->slower, 2, HOLD_RATE_HZ);
    CHECK(slow->count == fast->count);
    for (size_t i = 0; i < fast->count; i++) {
        const clash_event *x = &fast->events[i].event, *y = &slow->events[i].event;

        CHECK(x->kind == y->kind && is_scaled_time(y->time_ns, x->time_ns, 2, 1));
        if (x->kind != CLASH_EVENT_HOLD)
            continue;
        check_hold(&x->as.clash, &y->as.clash, 2);
        holds++;
    }
    scene_destroy(fast);
    scene_destroy(slow);
    return holds;
}

/** The motions of both devices around one time, as exact functions of the seconds since then. */
typedef struct moment {
    clash_body bodies[2];
    double at[2], per_second[2]; /* fraction of each motion at that time, and how fast it grows */
} moment;

/** At a sample one motion ends and another begins: an event at the very start of its interval (fraction 0) is of the later. */
static moment moment_of(const swings *s, int64_t time_ns, bool of_later)
{
    moment m;

    for (int device = 0; device < 2; device++) {
        const dense_sample *samples = s->samples[device];
        size_t i = 0;

        while (i + 2 < s->counts[device] && samples[i + 1].time_ns < time_ns + (of_later ? 1 : 0))
            i++;
        m.bodies[device] = (clash_body){s->shapes[device], {samples[i].pose, samples[i + 1].pose}};
        m.per_second[device] = 1e9 / (double)(samples[i + 1].time_ns - samples[i].time_ns);
        m.at[device] = (double)(time_ns - samples[i].time_ns) * 1e-9 * m.per_second[device];
    }
    return m;
}

/** Where the material point that is at `point` then is so many seconds later. */
static ref_vec point_at(const moment *m, int device, ref_vec point, double seconds)
{
    const clash_motion *motion = &m->bodies[device].motion;
    ref_quat then, q;
    ref_vec origin, p;

    ref_pose_at(motion, m->at[device], &then, &origin);
    ref_pose_at(motion, m->at[device] + seconds * m->per_second[device], &q, &p);
    then.v = (ref_vec){-then.v.x, -then.v.y, -then.v.z};
    return ref_mad(p, ref_turn(q, ref_turn(then, ref_mad(point, origin, -1))), 1);
}

/** Differences of fourth order over 10 microseconds: exact to 1e-9 m/s. */
static ref_vec velocity_of(const moment *m, int device, ref_vec point)
{
    const double h = 1e-5;
    ref_vec outer = ref_mad(point_at(m, device, point, -2 * h), point_at(m, device, point, 2 * h), -1);
    ref_vec inner = ref_mad(point_at(m, device, point, h), point_at(m, device, point, -h), -1);
    ref_vec sum = ref_mad(outer, inner, 8);

    return (ref_vec){sum.x / (12 * h), sum.y / (12 * h), sum.z / (12 * h)};
}

static double distance_at(const moment *m, double seconds)
{
    ref_vec a0, a1, b0, b1;

    ref_axis_at(&m->bodies[0], m->at[0] + seconds * m->per_second[0], &a0, &a1);
    ref_axis_at(&m->bodies[1], m->at[1] + seconds * m->per_second[1], &b0, &b1);
    return ref_segments(a0, a1, b0, b1);
}

/** How fast the distance falls, m/s. False where it has a kink: another pair of points becomes the closest. */
static bool approach_of(const moment *m, double *out_speed)
{
    const double h = 1e-7;
    double here = distance_at(m, 0), before = distance_at(m, -h), after = distance_at(m, h);
    double earlier = (before - here) / h, later = (here - after) / h;

    *out_speed = (before - after) / (2 * h);
    return fabs(earlier - later) <= 1e-3;
}

static bool is_near(ref_vec a, clash_vec3 b, double slack)
{
    return ref_length(ref_mad(a, ref_of(b), -1)) <= slack;
}

/* Slack: the points are floats, a micrometre from where they should be at the most, on blades that turn at 30 rad/s and
 * less; the time is rounded to a nanosecond; the speeds are floats. */
static bool check_mechanics(const swings *s, const clash_event *event)
{
    const clash_event_clash *c = &event->as.clash;
    moment m = moment_of(s, event->time_ns, c->contact.fraction == 0);
    ref_vec v[2], against, normal = ref_of(c->contact.normal);
    double speed, closing, slack, approach;

    for (int i = 0; i < 2; i++)
        v[i] = velocity_of(&m, i, ref_of(c->contact.points[i]));
    against = ref_mad(v[0], v[1], -1);
    speed = ref_length(v[0]) + ref_length(v[1]);
    closing = ref_dot(against, normal);
    slack = 2e-5 + 2e-6 * speed;
    for (int i = 0; i < 2; i++)
        CHECK(is_near(v[i], c->velocities[i], slack));
    CHECK(fabs(closing - (double)c->closing_speed) <= slack);
    CHECK(fabs(ref_length(ref_mad(against, normal, -closing)) - (double)c->slide_speed) <= slack);
    if (!approach_of(&m, &approach))
        return false;
    CHECK(fabs(approach - (double)c->closing_speed) <= 1e-3 + 2e-6 * speed);
    return true;
}

static size_t speeds_are_those_of_the_motion(bench *b)
{
    scene *s = run(&b->swings, 1, 500.0f);
    size_t looked_at = 0, smooth = 0;

    for (size_t i = 0; i < s->count; i++) {
        const clash_event *event = &s->events[i].event;

        if (event->kind != CLASH_EVENT_CLASH && event->kind != CLASH_EVENT_HOLD)
            continue;
        smooth += check_mechanics(&b->swings, event);
        looked_at++;
    }
    CHECK(4 * smooth >= 3 * looked_at);
    scene_destroy(s);
    return looked_at;
}

static bench tried;

static void test_durations(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, a_duration_scales_speeds_and_nothing_else);
}

static void test_holds(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, holds_scale_as_well);
}

static void test_speeds(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, speeds_are_those_of_the_motion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_speeds),
    };

    return SCENE_RUN(tests);
}
