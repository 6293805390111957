/* since_release_ns: how long two blades had been apart, whatever parted them; and the table behind it, which forgets the
 * pairs that parted first. */
#include "pipeline/release_times.h"
#include "support/scene.h"

#define RADIUS 0.01f

static const clash_capsule along_z = {{0, 0, 0}, {0, 0, -1}, RADIUS}, along_x = {{-0.5f, 0, 0}, {0.5f, 0, 0}, RADIUS};

static void add(scene *s, const char *name, uint32_t device, clash_capsule shape)
{
    pipeline_blade blade = scene_blade(name, device, shape);

    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

static scene *crossed(float min_closing_speed)
{
    pipeline_settings settings = scene_settings();
    scene *s;

    settings.min_closing_speed = min_closing_speed;
    s = scene_create(&settings);
    add(s, "A", 0, along_z);
    add(s, "B", 1, along_x);
    return s;
}

/** B is 10 ms at each of these heights. */
static int64_t move(scene *s, int64_t time_ns, const double *heights, size_t count)
{
    for (size_t i = 0; i < count; i++, time_ns += 10 * SCENE_MS)
        scene_push_both(s, time_ns, scene_at(0, 0, 0), scene_at(0, heights[i], -0.5));
    return time_ns;
}

static const clash_event *last(const scene *s, clash_event_kind kind)
{
    return scene_find(s, kind, scene_count(s, kind) - 1);
}

/** The last clash says how long it had been since the last release. */
static void assert_since(const scene *s, size_t clashes)
{
    const clash_event *clash = last(s, CLASH_EVENT_CLASH);
    const clash_event *release = scene_find(s, CLASH_EVENT_RELEASE, clashes - 2);

    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), clashes);
    assert_true(clash->as.clash.has_since_release);
    assert_int_equal(clash->as.clash.since_release_ns, clash->time_ns - release->time_ns);
}

static void the_first_one_does_not_say(void **state)
{
    static const double strokes[] = {0.1, 0.1, 0, 0.1, 0.1, 0, 0.1, 0.1};
    scene *s = crossed(0);

    (void)state;
    move(s, 0, strokes, 3);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_false(last(s, CLASH_EVENT_CLASH)->as.clash.has_since_release);
    assert_int_equal(last(s, CLASH_EVENT_CLASH)->as.clash.since_release_ns, 0);
    scene_destroy(s);
    s = crossed(0);
    move(s, 0, strokes, 8);
    assert_since(s, 2);
    assert_in_range(last(s, CLASH_EVENT_CLASH)->as.clash.since_release_ns, 20 * SCENE_MS, 30 * SCENE_MS);
    scene_destroy(s);
}

static void whatever_parted_them(void **state)
{
    static const double touch[] = {0.1, 0}, part[] = {0, 0.1};
    scene *s = crossed(0);
    int64_t now = move(s, 0, touch, 2);

    (void)state;
    now = move(s, now + 500 * SCENE_MS, touch, 2); /* a gap */
    assert_int_equal(last(s, CLASH_EVENT_RELEASE)->as.release.reason, CLASH_RELEASE_TRACK_CUT);
    assert_since(s, 2);
    assert_in_range(last(s, CLASH_EVENT_CLASH)->as.clash.since_release_ns, 500 * SCENE_MS, 520 * SCENE_MS);
    pipeline_remove_blade(s->pipeline, "A"); /* and it is the pair's second one from now on */
    assert_int_equal(last(s, CLASH_EVENT_RELEASE)->as.release.reason, CLASH_RELEASE_REMOVED);
    add(s, "A", 0, along_z);
    now = move(s, now, part, 1);
    assert_string_equal(s->events[s->count - 1].blades[0], "B");
    assert_since(s, 3);
    assert_int_equal(last(s, CLASH_EVENT_CLASH)->as.clash.since_release_ns, 0); /* it was never seen apart */
    move(s, now, part, 2);
    assert_int_equal(last(s, CLASH_EVENT_RELEASE)->as.release.reason, CLASH_RELEASE_APART);
    pipeline_space_changed(s->pipeline, now + 20 * SCENE_MS);
    move(s, now + 30 * SCENE_MS, touch, 2);
    assert_since(s, 4);
    scene_destroy(s);
}

/* What was not told was not there; another pair's is another's. */
static void only_what_was_told(void **state)
{
    static const double slow[] = {0.02, 0.019, 0.03, 0.03}, fast[] = {0.1, -0.1, 0.1};
    scene *s = crossed(1.0f);
    int64_t now = move(s, 0, slow, 4);

    (void)state;
    assert_int_equal(scene_counters(s)->contacts, 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 0);
    now = move(s, now, fast, 2);
    assert_false(last(s, CLASH_EVENT_CLASH)->as.clash.has_since_release);
    add(s, "C", 1, along_x);
    move(s, now, fast + 2, 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 3);
    for (size_t i = 1; i < 3; i++) {
        const clash_event *clash = scene_find(s, CLASH_EVENT_CLASH, i);

        assert_int_equal(clash->as.clash.has_since_release, i == 1); /* A and B come first */
    }
    scene_destroy(s);
}

/* A device that goes and comes again may have times that are before. */
static void it_is_never_negative(void **state)
{
    static const double touch[] = {0.1, 0};
    scene *s = crossed(0);

    (void)state;
    move(s, 1000 * SCENE_MS, touch, 2);
    pipeline_remove_device(s->pipeline, 0);
    pipeline_remove_device(s->pipeline, 1);
    assert_int_equal(pipeline_device(s->pipeline, "b"), 1);
    assert_int_equal(pipeline_device(s->pipeline, "a"), 0);
    add(s, "B", 1, along_x);
    add(s, "A", 0, along_z);
    move(s, 500 * SCENE_MS, touch, 2);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 2);
    assert_true(last(s, CLASH_EVENT_CLASH)->as.clash.has_since_release);
    assert_int_equal(last(s, CLASH_EVENT_CLASH)->as.clash.since_release_ns, 0);
    scene_destroy(s);
}

/** Pair i as a pair of names; odd ones the other way round. */
static void name_pair(int i, char out_names[2][PIPELINE_BLADE_NAME_MAX], bool turned)
{
    snprintf(out_names[turned], PIPELINE_BLADE_NAME_MAX, "blade %d", i / 300);
    snprintf(out_names[!turned], PIPELINE_BLADE_NAME_MAX, "other blade %d", i % 300);
}

static bool knows(const release_times *p, int i, bool turned, int64_t expected_ns)
{
    char names[2][PIPELINE_BLADE_NAME_MAX];
    const release_time *last;

    name_pair(i, names, turned);
    last = release_times_find(p, (const char *const[2]){names[0], names[1]});
    return last && last->time_ns == expected_ns;
}

static void note(release_times *p, int i, bool turned, int64_t time_ns)
{
    char names[2][PIPELINE_BLADE_NAME_MAX];

    name_pair(i, names, turned);
    release_times_note(p, (const char *const[2]){names[0], names[1]}, time_ns, false);
}

static void who_parted_first_is_forgotten(void **state)
{
    release_times p;

    (void)state;
    release_times_init(&p);
    for (int i = 0; i < PIPELINE_RELEASES_MAX; i++)
        note(&p, i, i % 2, i);
    for (int i = 0; i < PIPELINE_RELEASES_MAX; i++)
        assert_true(knows(&p, i, i % 3 == 0, i));
    for (int i = 0; i < 100; i += 2) /* these part again, and so are no longer the first */
        note(&p, i, true, 1000000 + i);
    for (int i = 0; i < 50; i++)
        note(&p, PIPELINE_RELEASES_MAX + i, false, 2000000 + i);
    assert_int_equal(p.count, PIPELINE_RELEASES_MAX);
    for (int i = 0; i < 100; i++)
        assert_int_equal(knows(&p, i, false, i % 2 ? i : 1000000 + i), i % 2 == 0);
    for (int i = 100; i < PIPELINE_RELEASES_MAX; i++)
        assert_true(knows(&p, i, false, i));
    for (int i = 0; i < 50; i++)
        assert_true(knows(&p, PIPELINE_RELEASES_MAX + i, true, 2000000 + i));
    for (int i = 0; i < 3 * PIPELINE_RELEASES_MAX; i++)
        note(&p, 100000 + i, false, i);
    assert_false(knows(&p, 100, false, 100));
    assert_true(knows(&p, 100000 + 2 * PIPELINE_RELEASES_MAX, false, INT64_C(2) * PIPELINE_RELEASES_MAX));
    assert_false(knows(&p, 100000 + 2 * PIPELINE_RELEASES_MAX - 1, false, 2 * PIPELINE_RELEASES_MAX - 1));
    release_times_finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_one_does_not_say),
        cmocka_unit_test(whatever_parted_them),
        cmocka_unit_test(only_what_was_told),
        cmocka_unit_test(it_is_never_negative),
        cmocka_unit_test(who_parted_first_is_forgotten),
    };

    return SCENE_RUN(tests);
}
