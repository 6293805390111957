/* The OpenXR source on the stand-in runtime, through the real loader: start it with faults and look at what it reports.
 * Faults' times count from the runtime's first session. */
#ifndef CLASHD_TESTS_OPENXR_STAGE_H
#define CLASHD_TESTS_OPENXR_STAGE_H

#include "sources/openxr/openxr.h"
#include "support/source_probe.h"
#include "support/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGE_PI 3.14159265358979323846
#define STAGE_LEFT 0u
#define STAGE_RIGHT 1u
#define STAGE_TRACKED (POSE_VALID | POSE_TRACKED)

static char stage_log_path[] = "/tmp/clashd-runtime-log-" TEMPORARY;

static inline int stage_count_entries(const char *format, int number)
{
    char path[64];
    DIR *directory;
    int count = 0;

    snprintf(path, sizeof path, format, number);
    directory = opendir(path);
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* Return whether it is a process with a runtime that has not ended. */
static inline bool stage_lives(long process)
{
    char path[64], line[256] = "";
    const char *end;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    file = fopen(path, "r");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    end = strstr(line, "(clashd-openxr) ");
    return end && !strchr("ZX", end[strlen("(clashd-openxr) ")]);
}

/* Return how many of ours there are; out_process, if not NULL, gets one of them. */
static inline int stage_count_processes(int *out_process)
{
    FILE *children = fopen("/proc/thread-self/children", "r");
    char line[4096] = "", *at = line, *end;
    int count = 0;

    assert_non_null(children);
    if (!fgets(line, sizeof line, children))
        line[0] = '\0';
    fclose(children);
    for (long process = strtol(at, &end, 10); end > at; process = strtol(at, &end, 10)) {
        at = end;
        if (!stage_lives(process))
            continue;
        count++;
        if (out_process)
            *out_process = (int)process;
    }
    return count;
}

static inline void stage_wait_for_no_process(void)
{
    int process = 0, tries = 0;

    for (; stage_count_processes(&process) > 0 && tries < PROBE_TIMEOUT_S * 100; tries++)
        usleep(10000);
    if (tries < PROBE_TIMEOUT_S * 100)
        return;
    kill(process, SIGKILL); /* so that it does not hold up the next test too */
    fail_msg("process %d with the runtime of the test before goes on", process);
}

/* The stand-in plays a motion known in closed form, with these faults. */
static inline void stage_set_up(const char *faults)
{
    static int times;
    char text[1024];

    stage_wait_for_no_process(); /* of the test before */
    setenv("XR_RUNTIME_JSON", TEST_BUILD "/daemon/runtime/clash_runtime.json", 1);
    setenv("CLASH_RUNTIME_SCRIPT", "crossing", 1);
    setenv("CLASH_RUNTIME_LOG", stage_log_path, 1);
    unsetenv("CLASH_RUNTIME_RECORDING");
    unsetenv("CLASH_RUNTIME_SPEED");
    unsetenv("CLASH_RUNTIME_LOOP");
    unsetenv("CLASH_RUNTIME_PROFILE");
    unsetenv("CLASH_RUNTIME_TIMESPEC");
    unsetenv("CLASH_RUNTIME_EPOCH");
    unsetenv("CLASH_RUNTIME_EVENT_TIMES");
    unsetenv("CLASH_RUNTIME_NOISE");
    snprintf(text, sizeof text, "%s%*s", faults, ++times, ""); /* a different text starts the faults anew */
    setenv("CLASH_RUNTIME_FAULTS", text, 1);
    assert_int_equal(truncate(stage_log_path, 0), 0);
}

static inline probe *stage_start_with(openxr_settings settings)
{
    probe *p = probe_create();

    p->source = openxr_source_create(&settings, &p->loop, probe_logger(p));
    probe_start(p);
    assert_string_equal(p->devices[STAGE_LEFT], OPENXR_DEVICE_LEFT);
    assert_string_equal(p->devices[STAGE_RIGHT], OPENXR_DEVICE_RIGHT);
    return p;
}

static inline probe *stage_start(void)
{
    return stage_start_with((openxr_settings){.rate_hz = 500, .space = OPENXR_SPACE_STAGE, .haptics = true});
}

static inline const pose_sample *stage_sample(const probe_report *report, uint32_t device)
{
    for (uint32_t i = 0; report->kind == PROBE_FRAME && i < report->frame.count; i++)
        if (report->frame.samples[i].device == device)
            return &report->frame.samples[i];
    return NULL;
}

/* Return the first frame from `from` on with a sample of the device that has exactly these flags. */
static inline size_t stage_find_flags(const probe *p, size_t from, uint32_t device, uint32_t flags)
{
    for (size_t i = from; i < p->count; i++) {
        const pose_sample *sample = stage_sample(&p->reports[i], device);

        if (sample && sample->flags == flags)
            return i;
    }
    return p->count;
}

static inline size_t stage_wait_flags(probe *p, size_t from, uint32_t device, uint32_t flags)
{
    PROBE_WAIT(p, stage_find_flags(p, from, device, flags) < p->count);
    return stage_find_flags(p, from, device, flags);
}

/* Return whether `text` is in the runtime's log; out_rest, if not NULL, gets what followed it the last time. */
static inline bool stage_runtime_logged(const char *text, char *out_rest, size_t size)
{
    char line[512];
    FILE *file = fopen(stage_log_path, "r");
    bool found = false;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *at = strstr(line, text);

        if (!at)
            continue;
        found = true;
        if (out_rest)
            snprintf(out_rest, size, "%s", at + strlen(text));
    }
    fclose(file);
    return found;
}

/* Count our descriptors and those of the process with the runtime, which must exist. */
static inline int stage_count_descriptors(void)
{
    int process = 0;

    assert_int_equal(stage_count_processes(&process), 1);
    return stage_count_entries("/proc/self/fd", 0) + stage_count_entries("/proc/%d/fd", process);
}

static inline void stage_assert_times_grow(const probe *p)
{
    int64_t last_ns = INT64_MIN;

    for (size_t i = 0; i < p->count; i++) {
        if (p->reports[i].kind != PROBE_FRAME)
            continue;
        assert_true(p->reports[i].frame.time_ns > last_ns);
        last_ns = p->reports[i].frame.time_ns;
    }
}

/* Return the phase of the script's motion of 2 s, from one hand's pose: height gives the cosine, yaw the sine. */
static inline double stage_phase(const pose_sample *sample, double side)
{
    double cosine = side * ((double)sample->pose.position.y - 1.2) / 0.25;
    double yaw = 2 * atan2((double)sample->pose.orientation.y, (double)sample->pose.orientation.w) * 180 / STAGE_PI;
    double sine = (-side * yaw - 45) / 10;

    return atan2(sine, cosine) / STAGE_PI;
}

static inline int stage_open(void **state)
{
    int file = mkstemp(stage_log_path);

    (void)state;
    return file < 0 ? -1 : close(file);
}

static inline int stage_close(void **state)
{
    (void)state;
    return unlink(stage_log_path);
}

#endif
