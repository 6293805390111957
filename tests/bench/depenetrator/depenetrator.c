/* What resolved_poses cost: of 1 to 64 blades in a ball, a floor and rough ground, all asked for in each frame, with the work
 * that a frame has; and how many of them have no place, or are not looked for to the end. See ../README.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <clash/mesh.h>

#include "pipeline/depenetrator.h"

enum { BLADES = 64, FRAMES = 300, SIDE = 201 };

typedef struct scene {
    const char *name;
    double apart, height; /* of rows of eight blades, m */
    clash_shape in;
} scene;

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void ignore_event(void *context, const clash_event *event)
{
    (void)context;
    (void)event;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/** Out of memory ends it. */
static pipeline *make_pipeline(const scene *s, uint32_t count)
{
    const pipeline_settings settings = {.full_intensity_speed = 10.0f, .hold_rate_hz = 30.0f, .max_gap_ns = 100000000};
    pipeline_target target = {.name = "in", .is_static = true, .pose = {.orientation = {0, 0, 0, 1}}, .shape = s->in};
    pipeline *p = pipeline_create(&settings, ignore_event, NULL);

    if (!p || pipeline_add_target(p, &target))
        exit(1);
    for (uint32_t i = 0; i < count; i++) {
        pipeline_blade blade = {.device = i, .properties.shape = {{0, 0, 0}, {0, 0.2f, -0.9f}, 0.02f}};
        char name[32];

        snprintf(name, sizeof name, "npc/%u", i);
        snprintf(blade.name, sizeof blade.name, "blade %u", i);
        if (pipeline_device(p, name) != i || pipeline_add_blade(p, &blade))
            exit(1);
    }
    return p;
}

/** In a rows of eight, a little further on in each frame. */
static void move(const scene *s, int frame, uint32_t count, pose_sample *out_samples)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = i / 8, place = i % 8;
        const clash_vec3 at = {(float)(0.12 * place + 1.0 + 0.002 * frame), (float)(s->height + 0.05 * (i % 3)),
                               (float)(s->apart * row + 1.0 + 0.001 * frame)};

        out_samples[i] = (pose_sample){i, POSE_VALID | POSE_TRACKED, {{0, 0, 0, 1}, at}};
    }
}

static void measure(const scene *s, uint32_t count)
{
    pipeline *p = make_pipeline(s, count);
    depenetrator *r = depenetrator_create(p, DEPENETRATOR_WORK);
    const pose_resolver port = depenetrator_port(r);
    double times[FRAMES], work[FRAMES], seen[POSE_RESOLUTION_SPENT + 1] = {0};

    for (int f = 0; f < FRAMES; f++) {
        const int64_t time_ns = INT64_C(11000000) * f;
        const uint64_t before = depenetrator_get_counters(r).work;
        pose_sample samples[BLADES];
        pose_resolved resolved[BLADES];

        move(s, f, count, samples);
        times[f] = -now_us();
        port.frame(port.context, time_ns);
        port.poses(port.context, time_ns, samples, count, resolved);
        times[f] += now_us();
        work[f] = (double)(depenetrator_get_counters(r).work - before);
        for (uint32_t i = 0; i < count; i++)
            seen[resolved[i].result] += 1.0 / FRAMES;
    }
    qsort(times, FRAMES, sizeof *times, compare);
    qsort(work, FRAMES, sizeof *work, compare);
    printf("| %s | %u | %.0f | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f | %.2f |\n", s->name, count, times[FRAMES / 2],
           times[FRAMES * 99 / 100], work[FRAMES / 2], work[FRAMES - 1], seen[POSE_RESOLUTION_FREE],
           seen[POSE_RESOLUTION_MOVED], seen[POSE_RESOLUTION_STUCK], seen[POSE_RESOLUTION_SPENT]);
    depenetrator_destroy(r);
    pipeline_destroy(p);
}

static clash_terrain *make_ground(double height)
{
    static float heights[SIDE * SIDE];

    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = (float)(height * (i * 7919 % 101) / 100.0);
    return clash_terrain_create(heights, SIDE, SIDE, 0.05f, 0.05f);
}

int main(void)
{
    static const uint32_t counts[] = {1, 8, 16, 64};
    const clash_shape ball = {CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 10}}};
    const clash_shape slab = {CLASH_SHAPE_BOX, {.box = {{0, -1, 0}, {0, 0, 0, 1}, {20, 1, 20}}}};
    const clash_shape spikes = {CLASH_SHAPE_TERRAIN, {.terrain = make_ground(0.3)}};
    const clash_shape bumps = {CLASH_SHAPE_TERRAIN, {.terrain = make_ground(0.05)}};
    const scene scenes[] = {
        {"deep in a ball of 10 m", 1.0, 0, ball},
        {"in a floor", 1.0, -0.1, slab},
        {"in ground with bumps of 0.05 m", 1.0, -0.1, bumps},
        {"in ground with spikes of 0.3 m", 1.0, 0, spikes},
        {"the same, across each other", 0.12, 0, spikes},
    };

    printf("| blades | | median us | 99 of 100 | work | at most | free | moved | no place | not looked for |\n"
           "| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
            measure(&scenes[i], counts[k]);
    return 0;
}
