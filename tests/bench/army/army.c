/* How long a step takes with an army in a hall: blades moving at sword speeds through the pipeline, ninety steps a second,
 * one thread. Poses are made before the clock starts; everything from handing over the first frame of a step to its last
 * event is counted, in the thread's own processor time. Prints the growth with the number of blades and the share of
 * each stage. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pipeline/pipeline.h"
#include "support/random.h"
#include "support/swords.h"

#define RATE_HZ 90
#define WARM_UP_STEPS 45
#define HALL 50.0 /* m */
/* Blades a square metre in the second table, as 1,000 in the hall. */
#define DENSITY 0.4

/** Somebody who walks to and fro and swings: the hand goes round the shoulder, the blade beyond it. */
typedef struct fighter {
    clash_vec3 place; /* of the shoulder, m */
    double walk[2], walk_rate, heading, turn_rate;
    double swing[2], swing_rate[2], phase[4];
} fighter;

typedef struct options {
    uint64_t seed;
    long steps;
    long capsules; /* of each blade; 1: a blade as it is by default */
    const char *csv;
} options;

typedef struct army {
    uint32_t count;
    fighter *fighters;
    pose_frame *frames; /* of one step */
    uint32_t frame_count;
    pipeline *pipeline;
    uint64_t events;
    struct timespec stage_began;
    double stage_ms[PIPELINE_STAGES];
} army;

typedef struct figures {
    uint32_t blades;
    double median_ms, slow_ms, /* nine of ten steps are faster */
        stage_ms[PIPELINE_STAGES];
    double met, proved, contacts, events; /* a step */
} figures;

static double ms_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) * 1e3 + (double)(to->tv_nsec - from->tv_nsec) * 1e-6;
}

static struct timespec now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t;
}

static void on_event(void *context, const clash_event *event)
{
    army *a = context;

    (void)event;
    a->events++;
}

static void on_stage(void *context, pipeline_stage stage)
{
    army *a = context;
    struct timespec end = now();

    a->stage_ms[stage] += ms_between(&a->stage_began, &end);
    a->stage_began = end;
}

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "army: out of memory\n");
        exit(1);
    }
    return memory;
}

static fighter fighter_make(random_state *r, double side)
{
    fighter f = {.place = {(float)random_in(r, 0, side), (float)random_in(r, 1.2, 1.5), (float)random_in(r, 0, side)}};

    for (int i = 0; i < 2; i++) {
        f.walk[i] = random_in(r, -0.6, 0.6);
        f.swing[i] = random_in(r, 0.6, 1.1);
        f.swing_rate[i] = random_in(r, 5.0, 11.0);
    }
    f.walk_rate = random_in(r, 0.5, 2.0);
    f.heading = random_in(r, 0, 6.28);
    f.turn_rate = random_in(r, -1.0, 1.0);
    for (int i = 0; i < 4; i++)
        f.phase[i] = random_in(r, 0, 6.28);
    return f;
}

static clash_quat about(int axis, double angle)
{
    clash_quat q = {0, 0, 0, (float)cos(angle / 2)};

    (&q.x)[axis] = (float)sin(angle / 2);
    return q;
}

/* Up to 22 rad/s of both swings together: the tip, 1.6 m from the shoulder, reaches 15 m/s and more. */
static clash_pose fighter_pose(const fighter *f, double t)
{
    double yaw = f->heading + f->turn_rate * t + f->swing[0] * sin(f->swing_rate[0] * t + f->phase[0]);
    double pitch = f->swing[1] * sin(f->swing_rate[1] * t + f->phase[1]);
    clash_pose shoulder = {quat_times(about(1, yaw), about(0, pitch)), f->place};

    shoulder.position.x += (float)(f->walk[0] * sin(f->walk_rate * t + f->phase[2]));
    shoulder.position.z += (float)(f->walk[1] * sin(f->walk_rate * t + f->phase[3]));
    return (clash_pose){shoulder.orientation, clash_pose_apply(&shoulder, (clash_vec3){0, 0, -0.6f})};
}

/* A curved blade of one metre with a guard. */
static clash_sword make_sword(long capsules)
{
    clash_vec3 points[CLASH_PARTS_MAX + 1], guard[2] = {{-0.1f, 0, -0.05f}, {0.1f, 0, -0.05f}};
    clash_sword sword = {0};

    for (long i = 0; i < capsules; i++) {
        float share = (float)i / (float)(capsules - 1);

        points[i] = (clash_vec3){0, 0.1f * share * share, -0.05f - 0.95f * share};
    }
    sword_add(&sword, "blade", points, (uint32_t)capsules, 0.015f);
    sword.parts[0].has_edge = true;
    sword.parts[0].edge = (clash_vec3){0, -1, 0};
    sword_add(&sword, "guard", guard, 2, 0.015f);
    return sword;
}

static void army_make(army *a, uint32_t count, double side, const options *o)
{
    const pipeline_settings settings = {.release_margin = 0.005f,
                                        .hold_rate_hz = 30.0f,
                                        .full_intensity_speed = 10.0f,
                                        .max_gap_ns = 100000000,
                                        .require_tracked = true};
    random_state r = {o->seed};
    clash_sword sword = {0};

    if (o->capsules > 1)
        sword = make_sword(o->capsules);
    *a = (army){.count = count, .frame_count = (count + POSE_FRAME_SAMPLES_MAX - 1) / POSE_FRAME_SAMPLES_MAX};
    a->fighters = need(calloc(count, sizeof *a->fighters));
    a->frames = need(calloc(a->frame_count, sizeof *a->frames));
    a->pipeline = need(pipeline_create(&settings, on_event, a));
    pipeline_set_stage_function(a->pipeline, on_stage, a);
    for (uint32_t i = 0; i < count; i++) {
        pipeline_blade blade = {
            .properties = {.shape = {{0, 0, -0.05f}, {0, 0, -1}, 0.015f}, .has_edge = true, .edge = {0, -1, 0}}};
        char name[POSE_DEVICE_NAME_MAX];

        a->fighters[i] = fighter_make(&r, side);
        snprintf(name, sizeof name, "npc/%u", i);
        snprintf(blade.name, sizeof blade.name, "blade %u", i);
        blade.device = pipeline_device(a->pipeline, name);
        blade.sword = o->capsules > 1 ? &sword : NULL;
        if (pipeline_add_blade(a->pipeline, &blade))
            need(NULL);
    }
}

static void army_finish(army *a)
{
    pipeline_destroy(a->pipeline);
    free(a->fighters);
    free(a->frames);
}

static void army_pose(army *a, long step)
{
    for (uint32_t i = 0; i < a->frame_count; i++)
        a->frames[i] = (pose_frame){.time_ns = step * (1000000000 / RATE_HZ), .more = i + 1 < a->frame_count};
    for (uint32_t i = 0; i < a->count; i++) {
        pose_frame *frame = &a->frames[i / POSE_FRAME_SAMPLES_MAX];

        frame->samples[frame->count++] =
            (pose_sample){i, POSE_VALID | POSE_TRACKED, fighter_pose(&a->fighters[i], (double)step / RATE_HZ)};
    }
}

static double army_step(army *a)
{
    struct timespec began = now(), end;

    a->stage_began = began;
    for (uint32_t i = 0; i < a->frame_count; i++)
        pipeline_frame(a->pipeline, &a->frames[i]);
    end = now();
    return ms_between(&began, &end);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static figures measure(uint32_t count, double side, const options *o)
{
    double *ms = need(calloc((size_t)o->steps, sizeof *ms));
    figures f = {.blades = count};
    pipeline_counters before;
    const pipeline_counters *after;
    army a;

    army_make(&a, count, side, o);
    for (long step = 0; step < WARM_UP_STEPS; step++) {
        army_pose(&a, step);
        army_step(&a);
    }
    before = *pipeline_get_counters(a.pipeline);
    memset(a.stage_ms, 0, sizeof a.stage_ms);
    a.events = 0;
    for (long step = 0; step < o->steps; step++) {
        army_pose(&a, WARM_UP_STEPS + step);
        ms[step] = army_step(&a);
    }
    qsort(ms, (size_t)o->steps, sizeof *ms, compare);
    f.median_ms = ms[o->steps / 2];
    f.slow_ms = ms[o->steps * 9 / 10];
    for (int i = 0; i < PIPELINE_STAGES; i++)
        f.stage_ms[i] = a.stage_ms[i] / (double)o->steps;
    after = pipeline_get_counters(a.pipeline);
    f.met = (double)(after->sweeps - before.sweeps) / (double)o->steps;
    f.proved = (double)(after->proved - before.proved) / (double)o->steps;
    f.contacts = (double)(after->contacts - before.contacts) / (double)o->steps;
    f.events = (double)a.events / (double)o->steps;
    army_finish(&a);
    free(ms);
    return f;
}

static void print_row(const figures *f, FILE *csv, const char *hall)
{
    double total = 0;

    for (int i = 0; i < PIPELINE_STAGES; i++)
        total += f->stage_ms[i];
    printf("| %6u | %7.3f | %7.3f |", f->blades, f->median_ms, f->slow_ms);
    for (int i = 0; i < PIPELINE_STAGES; i++)
        printf(" %5.0f %% |", 100 * f->stage_ms[i] / total);
    printf(" %8.0f | %8.0f | %8.0f | %6.0f |\n", f->met, f->met - f->proved, f->contacts, f->events);
    fflush(stdout);
    if (!csv)
        return;
    fprintf(csv, "%s,%u,%.4f,%.4f", hall, f->blades, f->median_ms, f->slow_ms);
    for (int i = 0; i < PIPELINE_STAGES; i++)
        fprintf(csv, ",%.4f", f->stage_ms[i]);
    fprintf(csv, ",%.1f,%.1f,%.1f,%.1f\n", f->met, f->met - f->proved, f->contacts, f->events);
}

static void print_table(bool grows, const options *o, FILE *csv)
{
    static const uint32_t counts[] = {250, 500, 1000, 2000, 4000, 8000, 10000, 16000};

    if (grows)
        printf("\nThe hall grows with them, %.1f blades a square metre:\n\n", DENSITY);
    else
        printf("A hall of %.0f m by %.0f m:\n\n", HALL, HALL);
    puts("| blades | ms a step | nine of ten below | samples | boxes | grid | batch | sweeps | pairs met | swept | "
         "contacts | "
         "events |\n"
         "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double side = grows ? sqrt(counts[i] / DENSITY) : HALL;
        figures f = measure(counts[i], side, o);

        print_row(&f, csv, grows ? "growing" : "fixed");
    }
}

static options options_read(int argc, char **argv)
{
    options o = {.seed = 1, .steps = 180, .capsules = 1};
    int option;

    while ((option = getopt(argc, argv, "c:n:p:s:")) != -1) {
        if (option == 'c')
            o.csv = optarg;
        else if (option == 'n')
            o.steps = strtol(optarg, NULL, 10);
        else if (option == 'p')
            o.capsules = strtol(optarg, NULL, 10);
        else if (option == 's')
            o.seed = strtoull(optarg, NULL, 0);
        if (option == '?' || o.steps < 1 || o.capsules < 1 || o.capsules > CLASH_PARTS_MAX) {
            fprintf(stderr, "usage: army [-n STEPS] [-s SEED] [-p CAPSULES] [-c CSV]\n");
            exit(2);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = options_read(argc, argv);
    FILE *csv = o.csv ? fopen(o.csv, "w") : NULL;

    if (o.csv && !csv) {
        perror(o.csv);
        return 2;
    }
    if (csv)
        fputs("hall,blades,median_ms,ninetieth_ms,samples_ms,boxes_ms,grid_ms,batch_ms,sweeps_ms,met,swept,contacts,"
              "events\n",
              csv);
    print_table(false, &o, csv);
    print_table(true, &o, csv);
    if (csv)
        fclose(csv);
    return 0;
}
