/* Blades made of several capsules in the pipeline: which part an event names and what is said of it, one contact however
 * many parts touch, and where it begins and ends, against the same capsules as blades of their own. */
#include <math.h>

#include "support/scene.h"
#include "support/swings.h"
#include "support/swords.h"

#define STEP_NS (8 * SCENE_MS)
#define STEP 0.015625 /* m, 1/64: 1.953125 m/s */
#define RADIUS 0.009765625f

static const clash_capsule stick = {{0, 0, 0}, {0, 0, -1}, RADIUS};
static const clash_vec3 down = {0, -1, 0};

#define assert_near(actual, expected) assert_true(fabs((double)(actual) - (double)(expected)) < 1e-5)

/* A blade of three pieces, 0.25, 0.25 and 0.5 m long, that bends up at its end, and a guard across it. */
static clash_sword make_sabre(void)
{
    const clash_vec3 curve[] = {{0, 0, 0}, {0, 0, -0.25f}, {0, 0, -0.5f}, {0, 0.3f, -0.9f}};
    const clash_vec3 guard[] = {{-0.125f, 0, -0.0625f}, {0.125f, 0, -0.0625f}};
    clash_sword sword = {0};
    clash_sword_part *blade = sword_add(&sword, "blade", curve, 4, RADIUS);

    blade->has_edge = true;
    blade->edge = down;
    sword_add(&sword, "guard", guard, 2, 2 * RADIUS);
    return sword;
}

static void add_sword(scene *s, const char *name, uint32_t device, const clash_sword *sword)
{
    pipeline_blade blade = scene_blade(name, device, stick);

    blade.sword = sword;
    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

static void add_stick(scene *s, const char *name, uint32_t device, clash_vec3 base, clash_vec3 tip)
{
    pipeline_blade blade = scene_blade(name, device, (clash_capsule){base, tip, RADIUS});

    blade.properties.has_edge = true;
    blade.properties.edge = down;
    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

/** Device 1 falls from `height` by `steps` steps, at x and z; device 0 stays. */
static void fall(scene *s, double height, int steps, double x, double z)
{
    for (int i = 0; i <= steps; i++)
        scene_push_both(s, i * STEP_NS, scene_at(0, 0, 0), scene_at(x, height - i * STEP, z));
}

static void the_part_that_is_hit_is_named(void **state)
{
    const struct {
        const char *part;
        double x, z, along;
        float touch; /* height of the axis that comes down */
        bool has_edge;
    } cases[] = {
        {"guard", 0.1, -0.0625, 0.9, 3 * RADIUS, false},
        {"blade", 0, -0.375, 0.375, 2 * RADIUS, true}, /* by length, of all pieces */
        {"blade", 0, -0.125, 0.125, 2 * RADIUS, true},
    };
    pipeline_settings settings = scene_settings();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clash_sword sabre = make_sabre();
        scene *s = scene_create(&settings);
        const clash_event *clash;

        add_sword(s, "sabre", 0, &sabre);
        memset(&sabre, 0, sizeof sabre); /* it was copied */
        /* Along the guard, or across the blade, 2 cm wide: it touches nothing else. */
        if (i == 0)
            add_stick(s, "stick", 1, (clash_vec3){0, 0, -0.01f}, (clash_vec3){0, 0, 0.01f});
        else
            add_stick(s, "stick", 1, (clash_vec3){-0.01f, 0, 0}, (clash_vec3){0.01f, 0, 0});
        fall(s, 0.5, 40, cases[i].x, cases[i].z);
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
        clash = scene_find(s, CLASH_EVENT_CLASH, 0);
        assert_string_equal(s->events[2].parts[0], cases[i].part); /* after the devices' two */
        assert_null(clash->as.clash.parts[1]);
        assert_near(clash->as.clash.contact.distance, cases[i].touch);
        assert_near((double)(clash->time_ns) * 1e-9, (0.5 - (double)cases[i].touch) / (STEP / 0.008));
        /* The blade's third piece is as long as the other two, 0.5 m: half of all. */
        assert_near(clash->as.clash.contact.along[0], cases[i].along);
        assert_int_equal(clash->as.clash.has_edge[0], cases[i].has_edge);
        assert_true(clash->as.clash.has_edge[1]);
        assert_near(clash->as.clash.edge_alignment[0], cases[i].has_edge ? -1 : 0);
        assert_near(clash->as.clash.edge_alignment[1], 1);
        assert_near(clash->as.clash.closing_speed, STEP / 0.008);
        scene_destroy(s);
    }
}

/* A stick that lies across slides from the guard's end up the blade and off its tip, in contact all the time. */
static void parts_hand_a_contact_over(void **state)
{
    pipeline_settings settings = scene_settings();
    clash_sword sabre = make_sabre();
    bool seen[2] = {false, false};
    const clash_event *clash, *release;
    scene *s;

    (void)state;
    settings.hold_rate_hz = 125.0f;
    s = scene_create(&settings);
    add_sword(s, "sabre", 0, &sabre);
    add_stick(s, "stick", 1, (clash_vec3){-0.5f, 0, 0}, (clash_vec3){0.5f, 0, 0});
    for (int i = 0; i <= 80; i++)
        scene_push_both(s, i * STEP_NS, scene_at(0, 0, 0), scene_at(0, 0, 0.25 - i * STEP));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
    clash = scene_find(s, CLASH_EVENT_CLASH, 0);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_near((double)clash->time_ns * 1e-9, (0.25 - 2 * (double)RADIUS) / (STEP / 0.008));
    assert_int_equal(release->as.release.reason, CLASH_RELEASE_APART);
    assert_true(release->time_ns > 300 * SCENE_MS);
    assert_near(release->as.release.min_distance, 0);
    for (size_t i = 0; i < s->count; i++) {
        seen[0] = seen[0] || (s->events[i].event.kind == CLASH_EVENT_HOLD && !strcmp(s->events[i].parts[0], "blade"));
        seen[1] = seen[1] || (s->events[i].event.kind == CLASH_EVENT_HOLD && !strcmp(s->events[i].parts[0], "guard"));
    }
    assert_true(seen[0] && seen[1]);
    scene_destroy(s);
}

/* ---- swings ---- */

typedef struct stretch {
    int64_t from_ns, to_ns;
} stretch;

typedef struct stretches {
    stretch all[SCENE_EVENTS_MAX];
    size_t count;
} stretches;

static int compare_stretches(const void *a, const void *b)
{
    int64_t x = ((const stretch *)a)->from_ns, y = ((const stretch *)b)->from_ns;

    return (x > y) - (x < y);
}

/* When the two devices' blades are in contact, whichever they are; what follows within `join_ns` is the same. */
static void when_in_contact(const scene *s, int64_t join_ns, stretches *out)
{
    size_t found = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->events[i].event.kind == CLASH_EVENT_RELEASE)
            out->all[found++] =
                (stretch){s->events[i].event.time_ns - s->events[i].event.duration_ns, s->events[i].event.time_ns};
    qsort(out->all, found, sizeof out->all[0], compare_stretches);
    out->count = 0;
    for (size_t i = 0; i < found; i++) {
        stretch *last = out->count > 0 ? &out->all[out->count - 1] : NULL;

        if (last && out->all[i].from_ns <= last->to_ns + join_ns)
            last->to_ns = out->all[i].to_ns > last->to_ns ? out->all[i].to_ns : last->to_ns;
        else
            out->all[out->count++] = out->all[i];
    }
}

static void add_pieces(scene *s, uint32_t device, const clash_sword *sword)
{
    for (uint32_t i = 0; i < sword->capsule_count; i++) {
        char name[32];
        pipeline_blade blade;

        snprintf(name, sizeof name, "%u of %u", i, device);
        blade = scene_blade(name, device, sword->capsules[i]);
        assert_null(pipeline_add_blade(s->pipeline, &blade));
    }
}

/* Both devices' samples in order of time, each at its own. */
static void feed(scene *s, const swings *w)
{
    size_t next[2] = {0, 0};

    while (next[0] < w->counts[0] || next[1] < w->counts[1]) {
        int side = next[0] == w->counts[0] ||
                   (next[1] < w->counts[1] && w->samples[1][next[1]].time_ns < w->samples[0][next[0]].time_ns);
        const dense_sample *sample = &w->samples[side][next[side]++];

        scene_push(s, sample->time_ns, (uint32_t)side, SCENE_GOOD, sample->pose);
    }
    for (uint32_t device = 0; device < 2; device++)
        pipeline_lost(s->pipeline, device, INT64_C(10000000000), CLASH_TRACKING_LOST);
}

/* With next to no hysteresis two swords are in contact exactly while any two of their capsules are. */
static void a_sword_touches_where_its_capsules_do(void **state)
{
    pipeline_settings settings = scene_settings();
    static stretches together, apart;
    static swings w;
    size_t total = 0;

    (void)state;
    settings.release_margin = 0.0f;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        random_state r = {seed};
        clash_sword swords[2] = {random_sword(&r, 1.0, 0.03), random_sword(&r, 0.8, 0.03)};
        scene *whole = scene_create(&settings), *pieces = scene_create(&settings);

        swings_make(&w, seed);
        for (uint32_t device = 0; device < 2; device++) {
            add_sword(whole, device ? "B" : "A", device, &swords[device]);
            add_pieces(pieces, device, &swords[device]);
        }
        feed(whole, &w);
        feed(pieces, &w);
        /* Within the hysteresis of 1 um the one has no gap where the others have. */
        when_in_contact(pieces, 20000, &apart);
        when_in_contact(whole, 20000, &together);
        assert_int_equal(together.count, apart.count);
        for (size_t i = 0; i < together.count; i++) {
            assert_in_range(together.all[i].from_ns + 1000 - apart.all[i].from_ns, 0, 2000);
            assert_in_range(together.all[i].to_ns + 100000 - apart.all[i].to_ns, 0, 200000);
        }
        assert_int_equal(scene_count(whole, CLASH_EVENT_CLASH), scene_count(whole, CLASH_EVENT_RELEASE));
        total += together.count;
        scene_destroy(whole);
        scene_destroy(pieces);
    }
    print_message("%zu contacts\n", total);
    assert_true(total > 20);
}

static void what_is_no_sword_is_refused(void **state)
{
    pipeline_settings settings = scene_settings();
    clash_sword sabre = make_sabre();
    pipeline_blade blade = scene_blade("sabre", 0, stick);
    scene *s = scene_create(&settings);

    (void)state;
    blade.sword = &sabre;
    sabre.capsule_count = 0;
    assert_string_equal(pipeline_add_blade(s->pipeline, &blade), "it has no capsule, or too many");
    sabre.capsule_count = CLASH_PARTS_MAX + 1;
    assert_string_equal(pipeline_add_blade(s->pipeline, &blade), "it has no capsule, or too many");
    assert_int_equal(pipeline_blade_count(s->pipeline), 0);
    sabre = make_sabre();
    for (int i = 0; i < 3; i++) {
        assert_null(pipeline_add_blade(s->pipeline, &blade));
        assert_string_equal(pipeline_blade_at(s->pipeline, 0)->sword->parts[1].name, "guard");
        assert_int_equal(pipeline_remove_blade(s->pipeline, "sabre"), 0);
    }
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_part_that_is_hit_is_named),
        cmocka_unit_test(parts_hand_a_contact_over),
        cmocka_unit_test(a_sword_touches_where_its_capsules_do),
        cmocka_unit_test(what_is_no_sword_is_refused),
    };

    return SCENE_RUN(tests);
}
