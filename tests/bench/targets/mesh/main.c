/* Blades swept against meshes of ever more triangles: time a frame, and how it grows, beside Bullet on the same frames. What
 * libclash says is held against exhaustive search in tests/property/mesh_property_test.c; it is what Bullet's answers are
 * compared with here. Prints a table; no test. */
#include "bench.h"

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

static clash_body frames[FRAMES];
static answers ours, bullets;
static double sorted[FRAMES];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sweep_ours(const clash_mesh *mesh)
{
    const clash_pose unit = {{0, 0, 0, 1}, {0, 0, 0}};
    const clash_span whole = {0, 1};
    const clash_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {unit, unit}};

    ours.count = FRAMES;
    for (size_t i = 0; i < FRAMES; i++) {
        clash_surface_contact s = {.contact = {.fraction = 1}};
        double start = now();

        ours.states[i] = (unsigned char)clash_sweep_target(&frames[i], whole, &target, whole, 0, &s);
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
static void print_times(const char *who, const char *which, const answers *a, int state)
{
    size_t count = 0;

    for (size_t i = 0; i < a->count; i++)
        if (state < 0 || ours.states[i] == state)
            sorted[count++] = 1e6 * a->took[i];
    if (count == 0)
        return;
    qsort(sorted, count, sizeof *sorted, compare);
    printf("  %-8s %-22s %7zu %9.2f %9.2f %9.2f %10.1f\n", who, which, count, sorted[count / 2], sorted[count * 9 / 10],
           sorted[count * 99 / 100], sorted[count - 1]);
}

static void print_all(const char *who, const answers *a)
{
    print_times(who, "all frames", a, -1);
    print_times(who, "apart", a, CLASH_SWEEP_APART);
    print_times(who, "contact begins", a, CLASH_SWEEP_HIT);
    print_times(who, "in contact", a, CLASH_SWEEP_OVERLAP);
}

static void print_misses(void)
{
    long hits = 0, missed = 0, invented = 0, apart = 0, late = 0;

    for (size_t i = 0; i < bullets.count; i++) {
        bool found = bullets.states[i] == CLASH_SWEEP_HIT;

        hits += ours.states[i] == CLASH_SWEEP_HIT;
        missed += ours.states[i] == CLASH_SWEEP_HIT && !found;
        late += ours.states[i] == CLASH_SWEEP_HIT && found && fabs(bullets.fractions[i] - ours.fractions[i]) > 0.1;
        apart += ours.states[i] == CLASH_SWEEP_APART;
        invented += ours.states[i] == CLASH_SWEEP_APART && found;
    }
    printf(
        "  Bullet misses %ld of %ld beginning contacts, is off by more than a tenth of a frame in %ld, and reports %ld "
        "in %ld frames without one\n",
        missed, hits, late, invented, apart);
}

static int run(uint32_t triangles)
{
    bench_mesh mesh = bench_ball(triangles);
    double start = now(), built;
    clash_mesh *made;
    bullet_mesh *bullet;

    if (!mesh.vertices || !mesh.triangles)
        return -1;
    made = clash_mesh_create(mesh.vertices, mesh.vertex_count, (const uint32_t(*)[3])mesh.triangles, mesh.count);
    if (!made)
        return -1;
    built = now() - start;
    start = now();
    bullet = bullet_mesh_create(&mesh);
    printf("%u triangles: built in %.3f s, by Bullet in %.3f s; microseconds a frame\n", mesh.count, built,
           now() - start);
    printf("  %-8s %-22s %7s %9s %9s %9s %10s\n", "", "", "frames", "median", "p90", "p99", "most");
    sweep_ours(made);
    sweep_bullet(bullet);
    fflush(stdout);
    print_all("libclash", &ours);
    print_all("Bullet", &bullets);
    print_misses();
    bullet_mesh_destroy(bullet);
    clash_mesh_destroy(made);
    bench_ball_free(&mesh);
    return 0;
}

int main(void)
{
    static const uint32_t sizes[] = {1700, 17000, 170000, 1700000};

    bench_swings(frames, FRAMES);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (run(sizes[i]) < 0) {
            fputs("mesh_bench: out of memory\n", stderr);
            return 1;
        }
    }
    return 0;
}
