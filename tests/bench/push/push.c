/* How long one push-out takes in the scenes of support/push_scenes.h: median, 9 of 10, 99 of 100, the longest of all, in
 * microseconds of processor time, and nanoseconds for a unit of work (push_out.h). See ../README.md. */
#include <stdio.h>
#include <time.h>

#include <clash/obstacles.h>

#include "support/push.h"
#include "support/push_scenes.h"

enum { CASES = 1000, TRIES = 3, FAR_ONES = 1000 };

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/** The shortest of a few times. */
static double measure(const push_scene *s, clash_push_result *out_result, double *out_work)
{
    double least = HUGE_VAL;

    for (int i = 0; i < TRIES; i++) {
        const double from = now_us();
        uint32_t work = UINT32_MAX - 1;
        clash_pose out;

        *out_result = push_pose_for(s->parts, s->part_count, &s->pose, s->obstacles, s->count, 1.0f, &work, &out);
        least = fmin(least, now_us() - from);
        *out_work = (double)(UINT32_MAX - 1 - work);
    }
    return least;
}

static void measure_scenes(push_scene_kind kind)
{
    static double times[CASES];
    static push_scene s;
    double all_us = 0, all_work = 0;
    size_t count = 0, moved = 0;

    for (uint64_t i = 0; i < CASES; i++) {
        random_state r = {20261122 + (uint64_t)kind + (i << 8)};
        clash_push_result result;
        double us, work;

        push_scene_make(&s, kind, &r);
        us = measure(&s, &result, &work);
        push_scene_finish(&s);
        if (result == CLASH_PUSH_FREE)
            continue;
        times[count++] = us;
        all_us += us;
        all_work += work;
        moved += result == CLASH_PUSH_MOVED;
    }
    qsort(times, count, sizeof *times, compare);
    printf("| %s | %zu of %zu | %.1f | %.1f | %.1f | %.1f | %.0f |\n", push_scene_names[kind], moved, count,
           times[count / 2], times[count * 9 / 10], times[count * 99 / 100], times[count - 1],
           all_us / all_work * 1000);
}

/** What a box costs that is 100 m away, with or without a place that the blade came from. */
static void measure_far(const clash_pose *from)
{
    static const clash_capsule blade = {{0, 0, 0}, {0, 0, -1}, 0.02f};
    static clash_obstacle boxes[FAR_ONES];
    clash_push_input in = clash_push_input_default();
    clash_push_output out;
    double least = HUGE_VAL;

    for (int i = 0; i < FAR_ONES; i++) {
        const int row = i / 30;

        boxes[i].shape =
            (clash_shape){.kind = CLASH_SHAPE_BOX, .as.box = {{0, 0, 0}, {0, 0, 0, 1}, {0.5f, 0.5f, 0.5f}}};
        boxes[i].pose = (clash_pose){{0, 0.6f, 0, 0.8f}, {100 + (float)(i % 30), 0, (float)row}};
    }
    in.capsules = &blade;
    in.capsule_count = 1;
    in.obstacles = boxes;
    in.obstacle_count = FAR_ONES;
    in.from = from;
    for (int i = 0; i < CASES; i++) {
        const double start = now_us();

        clash_push_out(&in, &out);
        least = fmin(least, now_us() - start);
    }
    printf("%s: %.1f ns for each of %d boxes 100 m away\n", from ? "with from" : "without from",
           least * 1000 / FAR_ONES, FAR_ONES);
}

/** One blade at a random place among `count` boxes of 1 m, by the list and by the set: push-out, ray, overlaps. */
static void measure_set(int count)
{
    static clash_obstacle boxes[10000], near[64];
    static clash_obstacle_touch touches[64];
    const double room = 3 * cbrt(count);
    const clash_layers layers = {false, 0, 0};
    const clash_capsule blade = {{0, 0, 0}, {0, 0, -1}, 0.02f};
    clash_obstacle_set *set = clash_obstacle_set_create();
    double us[2][3] = {{0}, {0}};
    random_state r = {2026};
    uint32_t handles[64];

    for (int i = 0; set && i < count; i++) {
        boxes[i].shape =
            (clash_shape){.kind = CLASH_SHAPE_BOX, .as.box = {{0, 0, 0}, {0, 0, 0, 1}, {0.5f, 0.5f, 0.5f}}};
        boxes[i].pose = (clash_pose){random_turn(&r, 6.28), random_box(&r, room)};
        clash_obstacle_set_add(set, &boxes[i], layers);
    }
    for (int i = 0; set && i < CASES; i++) {
        const clash_vec3 way = random_direction(&r);
        clash_push_input in =
            push_input(&blade, 1, &(clash_pose){{0, 0, 0, 1}, random_box(&r, room)}, boxes, (size_t)count, 0.5f);
        double most = 1e6, at[7];
        clash_push_output out;
        clash_overlap overlap;
        clash_ray_hit hit;
        size_t touched;

        at[0] = now_us();
        clash_push_out(&in, &out);
        at[1] = now_us();
        for (int k = 0; k < count; k++)
            if (clash_ray_shape(in.pose.position, way, most, &boxes[k].shape, &boxes[k].pose, &hit) == 1)
                most = hit.parameter;
        at[2] = now_us();
        for (int k = 0; k < count; k++)
            clash_overlap_of(&blade, &in.pose, &boxes[k], &overlap);
        at[3] = now_us();
        in.obstacle_count = clash_obstacle_set_near(set, &in, layers, near, handles, 64);
        in.obstacles = near;
        clash_push_out(&in, &out);
        at[4] = now_us();
        clash_obstacle_set_ray(set, in.pose.position, way, 1e6, layers, &hit, handles);
        at[5] = now_us();
        clash_obstacle_set_overlaps(set, &blade, &in.pose, layers, touches, 64, &touched);
        at[6] = now_us();
        for (int k = 0; k < 6; k++)
            us[k / 3][k % 3] += (at[k + 1] - at[k]) / CASES;
    }
    printf("| %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", count, us[0][0], us[1][0], us[0][1], us[1][1],
           us[0][2], us[1][2]);
    clash_obstacle_set_destroy(set);
}

int main(void)
{
    const clash_pose from = {{0, 0, 0, 1}, {0.1f, 0, 0}};

    printf("| scene | moved | median us | 9 of 10 below | 99 of 100 | longest | ns a unit |\n"
           "| :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int kind = 0; kind < PUSH_SCENES; kind++)
        measure_scenes((push_scene_kind)kind);
    measure_far(NULL);
    measure_far(&from);
    printf("\n| boxes | push-out, list | set | ray, list | set | overlaps, list | set |\n"
           "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int count = 100; count <= 10000; count *= 10)
        measure_set(count);
    return 0;
}
