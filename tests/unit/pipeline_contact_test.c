/* Contacts against closed forms: time, place, speeds, angles and edges of a clash, holds and release, on scenes whose
 * answers are known by hand. Blade B falls at SPEED from 1/2 m onto blade A; lengths are binary fractions, so that the
 * poses are exact in float and times come out to the nanosecond. */
#include <math.h>

#include "support/scene.h"

#define STEP_NS (8 * SCENE_MS)
#define STEP 0.015625 /* m, 1/64 */
#define SPEED 1.953125
#define RADIUS 0.009765625f /* 5/512 m each */
#define HEIGHT 0.5
#define START_NS (246 * SCENE_MS)   /* (HEIGHT - 10/512) / SPEED */
#define RELEASE_NS (268 * SCENE_MS) /* (HEIGHT + 10/512 + 2/512) / SPEED */

#define QUARTER 1.5707963267948966

#define assert_within(actual, expected, slack) check_within((actual), (expected), (slack), __LINE__)
#define assert_near(actual, expected) assert_within(actual, expected, 2e-6)

static const clash_vec3 down = {0, -1, 0};
static const clash_capsule along_z = {{0, 0, 0}, {0, 0, -1}, RADIUS};
static const clash_capsule along_x = {{-0.5f, 0, 0}, {0.5f, 0, 0}, RADIUS};

static void check_within(double actual, double expected, double slack, int line)
{
    if (!(fabs(actual - expected) <= slack))
        fail_msg("line %d: %.9g is not within %g of %.9g", line, actual, slack, expected);
}

static void assert_vec3(clash_vec3 v, double x, double y, double z)
{
    assert_near(v.x, x);
    assert_near(v.y, y);
    assert_near(v.z, z);
}

static void assert_time(int64_t actual_ns, int64_t expected_ns)
{
    /* The sweep answers to within 1 nm: half a nanosecond at SPEED, and it may round to the next. */
    if (llabs(actual_ns - expected_ns) > 1)
        fail_msg("%lld ns is not %lld", (long long)actual_ns, (long long)expected_ns);
}

static void add_edged(scene *s, const char *name, uint32_t device, clash_capsule shape, clash_vec3 edge)
{
    pipeline_blade blade = scene_blade(name, device, shape);

    blade.properties.has_edge = edge.x != 0.0f || edge.y != 0.0f || edge.z != 0.0f;
    blade.properties.edge = edge;
    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

/** B falls through A in 8 ms steps, from STEP to step; `sideways` is the common or own movement along x, m/s. */
static void fall(scene *s, int steps, double both_sideways, double own_sideways)
{
    for (int i = 0; i <= steps; i++) {
        double t = i * 0.008;
        double own = own_sideways * (t - 0.246); /* 0 at the touch */

        scene_push_both(s, i * STEP_NS, scene_at(both_sideways * t, 0, 0),
                        scene_at(both_sideways * t + own, HEIGHT - i * STEP, -0.5));
    }
}

static void a_right_angled_fall(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    const clash_event *clash, *release;
    const clash_event_clash *c;

    (void)state;
    add_edged(s, "A", 0, along_z, down);
    add_edged(s, "B", 1, along_x, down);
    fall(s, 64, 0, 0);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    clash = scene_find(s, CLASH_EVENT_CLASH, 0);
    c = &clash->as.clash;
    assert_time(clash->time_ns, START_NS);
    assert_int_equal(clash->duration_ns, 0);
    assert_near(c->contact.fraction, 0.75); /* 246 ms lies between 240 and 248 */
    assert_near(c->contact.distance, 2 * RADIUS);
    assert_vec3(c->contact.midpoint, 0, RADIUS, -0.5);
    assert_vec3(c->contact.points[0], 0, 0, -0.5);
    assert_vec3(c->contact.points[1], 0, 2 * RADIUS, -0.5);
    assert_vec3(c->contact.normal, 0, 1, 0);
    assert_near(c->contact.along[0], 0.5);
    assert_near(c->contact.along[1], 0.5);
    assert_vec3(c->velocities[0], 0, 0, 0);
    assert_vec3(c->velocities[1], 0, -SPEED, 0);
    assert_near(c->closing_speed, SPEED);
    assert_near(clash->start_closing_speed, SPEED);
    assert_near(c->slide_speed, 0);
    assert_near(c->crossing_angle, 1.5707963268);
    assert_true(c->has_edge[0] && c->has_edge[1]);
    assert_near(c->edge_alignment[0], -1); /* A is hit on its back */
    assert_near(c->edge_alignment[1], 1);
    assert_near(c->intensity, SPEED / 10.0);
    assert_true(c->tracked);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_time(release->time_ns, RELEASE_NS);
    assert_int_equal(release->duration_ns, release->time_ns - clash->time_ns);
    assert_int_equal(release->id, clash->id);
    assert_int_equal(release->as.release.reason, CLASH_RELEASE_APART);
    assert_within(release->as.release.min_distance, 0.0, 1e-5);
    assert_near(release->as.release.peak_closing_speed, SPEED);
    assert_near(release->start_closing_speed, SPEED);
    scene_destroy(s);
}

/* The margin counts like a radius: 8/512 m more than above is 8 ms earlier; without an edge there is no alignment. */
static void a_margin(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s;

    (void)state;
    settings.margin = 0.015625f;
    settings.release_margin = 0.0f;
    settings.full_intensity_speed = 1.0f;
    s = scene_create(&settings);
    add_edged(s, "A", 0, along_z, (clash_vec3){0, 0, 0});
    add_edged(s, "B", 1, along_x, down);
    fall(s, 64, 0, 0);
    assert_time(scene_find(s, CLASH_EVENT_CLASH, 0)->time_ns, START_NS - 8 * SCENE_MS);
    assert_false(scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash.has_edge[0]);
    assert_near(scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash.edge_alignment[0], 0);
    assert_near(scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash.intensity, 1);
    /* Down to -18/512: with no hysteresis set the least there is, 1 um. */
    assert_true(llabs(scene_find(s, CLASH_EVENT_RELEASE, 0)->time_ns - 274000512) <= 2);
    scene_destroy(s);
}

/* B lies at 60 degrees to A and slides along x at 3/2 of its fall f: across B's axis it moves by (3/8, -1, 3/8 sqrt 3) f,
 * whose length is 5/4 f, so its edge leads by a cosine of 4/5; A sees (-3/2, 1) f at its back. */
static void a_sliding_fall_at_sixty_degrees(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        pipeline_settings settings = scene_settings();
        scene *s = scene_create(&settings);
        float half = turned ? -0.5f : 0.5f;
        clash_vec3 tip = {half * 0.8660254f, 0, -half * 0.5f}, base = {-tip.x, 0, -tip.z};
        const clash_event_clash *c;

        add_edged(s, "A", 0, along_z, down);
        add_edged(s, "B", 1, (clash_capsule){base, tip, RADIUS}, down);
        fall(s, 64, 0, 1.5 * SPEED);
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        assert_true(llabs(scene_find(s, CLASH_EVENT_CLASH, 0)->time_ns - START_NS) <= 50);
        c = &scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash;
        assert_vec3(c->contact.midpoint, 0, RADIUS, -0.5);
        assert_within(c->velocities[1].x, 1.5 * SPEED, 1e-4); /* x is rounded to float, 60 nm in 8 ms */
        assert_near(c->velocities[1].y, -SPEED);
        assert_near(c->closing_speed, SPEED);
        assert_within(c->slide_speed, 1.5 * SPEED, 1e-4);
        assert_near(c->crossing_angle, 1.0471975512);
        assert_within(c->edge_alignment[1], 0.8, 2e-5);
        assert_within(c->edge_alignment[0], -1.0 / sqrt(3.25), 2e-5);
        scene_destroy(s);
    }
}

/* Both drift along x at 1 m/s, sampled at different rates: each velocity comes from its own motion's duration. B turns
 * about the vertical by 2 mrad a millisecond, and lies as it does at the time of the touch, not of a sample. */
static void two_rates(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    const clash_event *clash;

    (void)state;
    add_edged(s, "A", 0, along_z, down);
    add_edged(s, "B", 1, along_x, down);
    for (int ms = 0; ms <= 512; ms++) {
        if (ms % 7 == 0)
            scene_push(s, ms * SCENE_MS, 0, SCENE_GOOD, scene_at(ms * 0.001, 0, 0));
        if (ms % 8 == 0) {
            clash_pose pose = scene_at(ms * 0.001, HEIGHT - ms * STEP / 8, -0.5);

            pose.orientation = (clash_quat){0, (float)sin(ms * 0.001), 0, (float)cos(ms * 0.001)};
            scene_push(s, ms * SCENE_MS, 1, SCENE_GOOD, pose);
        }
    }
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    clash = scene_find(s, CLASH_EVENT_CLASH, 0);
    assert_time(clash->time_ns, START_NS);
    assert_near(clash->as.clash.contact.fraction, 1.0 / 3.0); /* the piece is 245..248 ms */
    assert_within(clash->as.clash.velocities[0].x, 1.0, 2e-5);
    assert_within(clash->as.clash.velocities[1].x, 1.0, 2e-5);
    assert_near(clash->as.clash.velocities[1].y, -SPEED);
    assert_near(clash->as.clash.closing_speed, SPEED);
    assert_within(clash->as.clash.slide_speed, 0.0, 4e-5);
    assert_near(clash->as.clash.crossing_angle, QUARTER - 0.492);
    assert_time(scene_find(s, CLASH_EVENT_RELEASE, 0)->time_ns, RELEASE_NS);
    scene_destroy(s);
}

/** The line's device at `ms` of a quarter turn in 100 ms, spelt in both ways. */
static clash_pose quarter_turn(int ms)
{
    double half = QUARTER * ms / 200;
    float sign = ms % 20 ? -1.0f : 1.0f;

    return (clash_pose){{0, sign * (float)sin(half), 0, sign * (float)cos(half)}, {0, 0, 0}};
}

/** A line of no radius and a ball of radius 1/8, 3/4 m from the line's base at half the turn. */
static scene *ball_scene(const pipeline_settings *settings)
{
    const float side = -0.53033009f; /* 3/4 sqrt 1/2 */
    scene *s = scene_create(settings);
    clash_vec3 centre = {side, 0, side};

    add_edged(s, "line", 0, (clash_capsule){{0, 0, 0}, {0, 0, -1}, 0}, (clash_vec3){-2, 0, 0.5f});
    add_edged(s, "ball", 1, (clash_capsule){centre, centre, 0.125f}, (clash_vec3){0, 3, 0});
    return s;
}

/* When the line hits the ball it is its tangent: asin(1/6) before its centre, sqrt(9/16 - 1/64) m from the base. The two
 * devices are sampled at different times, so the contact lies at different fractions of piece and motion. */
static void a_turning_blade_hits_a_ball(void **state)
{
    const double rate = QUARTER / 0.1, angle = QUARTER / 2 - asin(1.0 / 6.0), reach = sqrt(9.0 / 16 - 1.0 / 64);
    pipeline_settings settings = scene_settings();
    scene *s = ball_scene(&settings);
    const clash_event *clash;
    const clash_event_clash *c;

    (void)state;
    for (int ms = 0; ms <= 105; ms++) {
        if (ms % 10 == 0)
            scene_push(s, ms * SCENE_MS, 0, SCENE_GOOD, quarter_turn(ms));
        if (ms % 7 == 0)
            scene_push(s, ms * SCENE_MS, 1, SCENE_GOOD, scene_at(0, 0, 0));
    }
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    clash = scene_find(s, CLASH_EVENT_CLASH, 0);
    c = &clash->as.clash;
    assert_true(fabs((double)clash->time_ns - angle / rate * 1e9) < 20.0);
    assert_near(c->contact.along[0], reach);
    assert_near(c->contact.along[1], 0);
    assert_vec3(c->contact.points[0], -reach * sin(angle), 0, -reach * cos(angle));
    assert_vec3(c->contact.normal, -cos(angle), 0, sin(angle));
    assert_within(c->closing_speed, rate * reach, 1e-4);
    assert_within(c->velocities[0].x, -rate * reach * cos(angle), 1e-4);
    assert_within(c->velocities[0].z, rate * reach * sin(angle), 1e-4);
    assert_within(c->slide_speed, 0.0, 1e-4);
    assert_within(c->crossing_angle, 0.0, 0.0);
    assert_near(c->edge_alignment[0], 1); /* what the edge has along the axis does not count */
    assert_within(c->edge_alignment[1], 0.0, 1e-6);
    assert_near(c->intensity, 1);
    scene_destroy(s);
}

/* In a turn the closing speed can grow after the touch, where no sample is: turn * reach at the touch, turn * 3/4 m at the
 * centre, and at a hold at 7/10 of the way there nearly so. After the centre it is negative. */
static void the_peak_may_be_at_a_hold(void **state)
{
    const double rate = QUARTER / 0.1, way = asin(1.0 / 6.0);
    pipeline_settings settings = scene_settings();
    const clash_event *release;
    scene *s;

    (void)state;
    settings.hold_rate_hz = (float)(rate / (0.7 * way));
    s = ball_scene(&settings);
    scene_push_both(s, 0, quarter_turn(0), scene_at(0, 0, 0));
    scene_push_both(s, 100 * SCENE_MS, quarter_turn(100), scene_at(0, 0, 0));
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_within(release->start_closing_speed, rate * 0.75 * cos(way), 1e-4);
    assert_within(release->as.release.peak_closing_speed, rate * 0.75 * cos(0.3 * way), 1e-4);
    scene_destroy(s);
}

/* At 1e8 m/s a nanometre is no time: the touch is at 4.77 ns of the 9. */
static void times_are_rounded(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    add_edged(s, "A", 0, along_z, down);
    add_edged(s, "B", 1, along_x, down);
    scene_push_both(s, 0, scene_at(0, 0, 0), scene_at(0, 0.53 + 2 * RADIUS, -0.5));
    scene_push_both(s, 9, scene_at(0, 0, 0), scene_at(0, -0.47 + 2 * RADIUS, -0.5));
    assert_int_equal(scene_find(s, CLASH_EVENT_CLASH, 0)->time_ns, 5);
    scene_destroy(s);
}

/* Along its own axis a blade moves, but not across it: its edge has no part in that. */
static void a_thrust_has_no_edge(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    const clash_event_clash *c;

    (void)state;
    add_edged(s, "A", 0, along_z, down);
    add_edged(s, "B", 1, (clash_capsule){{0, 0.5f, -0.5f}, {0, 0, -0.5f}, RADIUS}, (clash_vec3){1, 0, 0});
    for (int i = 0; i <= 64; i++)
        scene_push_both(s, i * STEP_NS, scene_at(0, 0, 0), scene_at(0, HEIGHT - i * STEP, 0));
    c = &scene_find(s, CLASH_EVENT_CLASH, 0)->as.clash;
    assert_true(c->has_edge[1]);
    assert_within(c->edge_alignment[1], 0.0, 0.0);
    assert_near(c->edge_alignment[0], -1);
    assert_near(c->crossing_angle, 1.5707963268);
    assert_near(c->contact.along[1], 1);
    scene_destroy(s);
}

/** B at the five heights, in 1/512 m, 8 ms apart. The blades touch at 10 and part at 12. */
static scene *heights_scene(const double heights[5])
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    add_edged(s, "A", 0, along_z, down);
    add_edged(s, "B", 1, along_x, down);
    for (int i = 0; i < 5; i++)
        scene_push_both(s, i * STEP_NS, scene_at(0, 0, 0), scene_at(0, heights[i] / 512, -0.5));
    return s;
}

static void least_distance_and_peak(void **state)
{
    const double braked[5] = {32, 9, 4, 8, 40}, faster[5] = {32, 12, 9, 1, 33}, twice[5] = {100, -100, -50, 50, 60};
    scene *s = heights_scene(braked);
    const clash_event *release = scene_find(s, CLASH_EVENT_RELEASE, 0);

    (void)state;
    assert_time(release->time_ns, 25 * SCENE_MS); /* 24 ms + 8 ms * (12 - 8) / (40 - 8) */
    assert_int_equal(release->as.release.reason, CLASH_RELEASE_APART);
    assert_within(release->as.release.min_distance, 4.0 / 512, 1e-5);
    assert_near(release->start_closing_speed, 23.0 / 512 / 0.008);
    assert_near(release->as.release.peak_closing_speed, 23.0 / 512 / 0.008);
    scene_destroy(s);

    s = heights_scene(faster);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_within(release->as.release.min_distance, 1.0 / 512, 1e-5);
    assert_near(release->start_closing_speed, 3.0 / 512 / 0.008);
    assert_near(release->as.release.peak_closing_speed, 8.0 / 512 / 0.008);
    scene_destroy(s);

    /* Both contacts lie between two samples, and the second one's peak is its own. */
    s = heights_scene(twice);
    assert_within(scene_find(s, CLASH_EVENT_RELEASE, 0)->as.release.peak_closing_speed, 200.0 / 512 / 0.008, 1e-4);
    assert_within(scene_find(s, CLASH_EVENT_RELEASE, 1)->as.release.peak_closing_speed, 100.0 / 512 / 0.008, 1e-4);
    scene_destroy(s);
}

/* The track ends in the middle of a contact: least distance and time are those of what was swept. */
static void a_cut_contact(void **state)
{
    const double heights[5] = {32, 16, 9, 5, 7};
    scene *s = heights_scene(heights);
    const clash_event *release;

    (void)state;
    pipeline_lost(s->pipeline, 0, 33 * SCENE_MS, CLASH_TRACKING_INACTIVE);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_int_equal(release->time_ns, 32 * SCENE_MS);
    assert_int_equal(release->as.release.reason, CLASH_RELEASE_TRACK_CUT);
    assert_within(release->as.release.min_distance, 5.0 / 512, 1e-5);
    assert_int_equal(release->duration_ns, 32 * SCENE_MS - scene_find(s, CLASH_EVENT_CLASH, 0)->time_ns);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_angled_fall),
        cmocka_unit_test(a_margin),
        cmocka_unit_test(a_sliding_fall_at_sixty_degrees),
        cmocka_unit_test(two_rates),
        cmocka_unit_test(a_turning_blade_hits_a_ball),
        cmocka_unit_test(the_peak_may_be_at_a_hold),
        cmocka_unit_test(times_are_rounded),
        cmocka_unit_test(a_thrust_has_no_edge),
        cmocka_unit_test(least_distance_and_peak),
        cmocka_unit_test(a_cut_contact),
    };

    return SCENE_RUN(tests);
}
