/* The walk: somebody wanders about a stage of some 17,000 triangles, and what a frame of it costs is printed.
 *
 *     walk [FRAMES [SEED]]
 */
#include <stdio.h>
#include <time.h>

#include "stage.h"
#include "wanderer.h"

#define FRAME_SECONDS (1.0f / 60.0f)

typedef struct tally {
    double *micros; /* of each frame */
    double walked;  /* m */
    long jumps, on_ground;
    float highest, lowest;
} tally;

/** Processor time: what others do on the machine does not count. */
static double now_micros(void)
{
    return (double)clock() * 1e6 / CLOCKS_PER_SEC;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void walk(const clash_obstacle *scene, long frames, uint64_t seed, tally *out)
{
    walker somebody = {.feet = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f}}};
    wanderer fingers = {.state = seed};

    for (long i = 0; i < frames; i++) {
        const walker before = somebody;
        const walker_wish wish = wanderer_next(&fingers);
        const double start = now_micros();

        walker_step(&somebody, wish, FRAME_SECONDS, scene, 1);
        out->micros[i] = now_micros() - start;
        out->walked += (double)clash_vec3_distance(before.feet.position, somebody.feet.position);
        out->jumps += before.on_ground && somebody.rise > 0.0f;
        out->on_ground += somebody.on_ground;
        out->highest = fmaxf(out->highest, somebody.feet.position.y);
        out->lowest = fminf(out->lowest, somebody.feet.position.y);
    }
}

static void report(const stage *s, tally *t, long frames)
{
    double sum = 0.0;

    for (long i = 0; i < frames; i++)
        sum += t->micros[i];
    qsort(t->micros, (size_t)frames, sizeof *t->micros, compare);
    printf("stage: %u triangles\n", (unsigned)s->triangle_count);
    printf("%ld frames, %.0f s: %.0f m walked, %ld jumps, %ld %% on the ground, between %.2f and %.2f m high\n", frames,
           (double)frames * (double)FRAME_SECONDS, t->walked, t->jumps, 100 * t->on_ground / frames, (double)t->lowest,
           (double)t->highest);
    printf("a frame: %.1f us on average, %.1f at the median, 99 of 100 below %.1f, the longest %.0f\n",
           sum / (double)frames, t->micros[frames / 2], t->micros[frames * 99 / 100], t->micros[frames - 1]);
}

int main(int argc, char **argv)
{
    const long frames = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    stage *s = stage_create();
    clash_mesh *mesh = s ? stage_mesh(s) : NULL;
    const clash_obstacle scene = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}}};
    tally t = {.micros = frames > 0 ? malloc((size_t)frames * sizeof *t.micros) : NULL};
    int code = 0;

    if (frames <= 0) {
        fprintf(stderr, "usage: walk [FRAMES [SEED]]\n");
        code = 2;
    } else if (!mesh || !t.micros) {
        fprintf(stderr, "walk: out of memory\n");
        code = 1;
    } else {
        walk(&scene, frames, seed, &t);
        report(s, &t, frames);
    }
    clash_mesh_destroy(mesh);
    free(t.micros);
    free(s);
    return code;
}
