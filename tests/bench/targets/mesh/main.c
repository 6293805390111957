/* Blades swept against meshes of ever more triangles: time a frame, and how it grows, beside Bullet on the same frames. What
 * libclash says is held against exhaustive search in tests/property/mesh_property_test.c; it is what Bullet's answers are
 * compared with here. Prints tables in Markdown; no test. */
#include "bench.h"
#include "support/impact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FRAMES = 20000 };
/* Bullet is given as many of the first frames as it takes this long for, s. */
#define BULLET_TIME 8.0

/** What one contender said of each frame, and what it took. */
typedef struct answers {
    unsigned char states[FRAMES]; /* clash_sweep_result; of Bullet apart or hit */
    double fractions[FRAMES], took[FRAMES];
    size_t count; /* of the frames it got to */
} answers;

/** Of Bullet, held against ours. */
typedef struct mistakes {
    size_t frames;
    long hits, missed, late, apart, invented;
} mistakes;

static clash_body frames[FRAMES];
static answers ours, bullets;
static double sorted[FRAMES];

/** The thread's own processor time, s: what else the machine does is not counted. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sweep_ours(const clash_mesh *mesh)
{
    const clash_pose unit = {{0, 0, 0, 1}, {0, 0, 0}};
    const clash_span whole = {0, 1};
    const impact_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {unit, unit}};

    ours.count = FRAMES;
    for (size_t i = 0; i < FRAMES; i++) {
        clash_toi_output s = {.contact = {.fraction = 1}};
        double start = now();

        ours.states[i] = (unsigned char)impact_sweep_target(&frames[i], whole, &target, whole, 0, &s);
        ours.took[i] = now() - start;
        ours.fractions[i] = s.contact.fraction;
    }
}

static void sweep_bullet(bullet_mesh *bullet)
{
    double until = now() + BULLET_TIME;

    bullets.count = 0;
    for (size_t i = 0; i < FRAMES && now() < until; i++) {
        double start = now();
        bool hit = bullet_mesh_sweep(bullet, &frames[i], &bullets.fractions[i]);

        bullets.took[i] = now() - start;
        bullets.states[i] = hit ? CLASH_SWEEP_HIT : CLASH_SWEEP_APART;
        bullets.count++;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/** `state`: only frames in which we say so; -1: all. */
static void print_times(uint32_t triangles, const char *who, const char *which, const answers *a, int state)
{
    size_t count = 0;

    for (size_t i = 0; i < a->count; i++)
        if (state < 0 || ours.states[i] == state)
            sorted[count++] = 1e6 * a->took[i];
    if (count == 0)
        return;
    qsort(sorted, count, sizeof *sorted, compare);
    printf("| %u | %s | %s | %zu | %.2f | %.2f | %.2f | %.1f |\n", triangles, who, which, count, sorted[count / 2],
           sorted[count * 9 / 10], sorted[count * 99 / 100], sorted[count - 1]);
}

static void print_all(uint32_t triangles, const char *who, const answers *a)
{
    print_times(triangles, who, "all", a, -1);
    print_times(triangles, who, "apart", a, CLASH_SWEEP_APART);
    print_times(triangles, who, "contact begins", a, CLASH_SWEEP_HIT);
    print_times(triangles, who, "in contact", a, CLASH_SWEEP_OVERLAP);
}

static mistakes mistakes_of_bullet(void)
{
    mistakes m = {.frames = bullets.count};

    for (size_t i = 0; i < bullets.count; i++) {
        bool found = bullets.states[i] == CLASH_SWEEP_HIT;

        m.hits += ours.states[i] == CLASH_SWEEP_HIT;
        m.missed += ours.states[i] == CLASH_SWEEP_HIT && !found;
        m.late += ours.states[i] == CLASH_SWEEP_HIT && found && fabs(bullets.fractions[i] - ours.fractions[i]) > 0.1;
        m.apart += ours.states[i] == CLASH_SWEEP_APART;
        m.invented += ours.states[i] == CLASH_SWEEP_APART && found;
    }
    return m;
}

/** All that was measured with one mesh, but for the times of frames, which are printed. */
typedef struct outcome {
    uint32_t triangles;
    double built, built_by_bullet;
    mistakes bullets;
} outcome;

static int run(uint32_t triangles, outcome *out)
{
    bench_mesh mesh = bench_ball(triangles);
    double start = now();
    clash_mesh *made;
    bullet_mesh *bullet;

    if (!mesh.vertices || !mesh.triangles)
        return -1;
    made = clash_mesh_create(mesh.vertices, mesh.vertex_count, (const uint32_t(*)[3])mesh.triangles, mesh.count);
    if (!made)
        return -1;
    *out = (outcome){.triangles = mesh.count, .built = now() - start};
    start = now();
    bullet = bullet_mesh_create(&mesh);
    out->built_by_bullet = now() - start;
    sweep_ours(made);
    sweep_bullet(bullet);
    out->bullets = mistakes_of_bullet();
    print_all(mesh.count, "libclash", &ours);
    print_all(mesh.count, "Bullet", &bullets);
    fflush(stdout);
    bullet_mesh_destroy(bullet);
    clash_mesh_destroy(made);
    bench_ball_free(&mesh);
    return 0;
}

static void print_outcomes(const outcome *o, size_t count)
{
    puts("\n| triangles | built in, s | by Bullet | frames that Bullet got to | contacts that begin | missed by Bullet "
         "| off by "
         "more than a tenth of a frame | frames without contact | invented by Bullet |");
    puts("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (size_t i = 0; i < count; i++) {
        const mistakes *m = &o[i].bullets;

        printf("| %u | %.3f | %.3f | %zu | %ld | %ld | %ld | %ld | %ld |\n", o[i].triangles, o[i].built,
               o[i].built_by_bullet, m->frames, m->hits, m->missed, m->late, m->apart, m->invented);
    }
}

int main(void)
{
    static const uint32_t sizes[] = {1700, 17000, 170000, 1700000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    outcome outcomes[SIZES];

    bench_swings(frames, FRAMES);
    puts("| triangles | | frames | how many | median, us | nine of ten below | 99 of 100 below | most |");
    puts("| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for (size_t i = 0; i < SIZES; i++) {
        if (run(sizes[i], &outcomes[i]) < 0) {
            fputs("mesh_bench: out of memory\n", stderr);
            return 1;
        }
    }
    print_outcomes(outcomes, SIZES);
    return 0;
}
