/* Ranges of values, and contacts in numbers: see tune.h. */
#include "tune.h"
#include "cli/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_DEFAULT 11
/* Let a step meet TO if it misses it by no more than this share of a step: 0.1 has no exact binary form. */
#define STEP_SLACK 1e-6
#define FORM "expected KEY=FROM:TO, KEY=FROM:TO:STEP or KEY=FROM:TO:xN"

/* ---- the range ---- */

/* A number up to `end` or the end of the text; *text goes behind it. */
static bool take_number(const char **text, char end, double *out_number)
{
    char *stop;

    *out_number = strtod(*text, &stop);
    if (stop == *text || !isfinite(*out_number) || (*stop != end && *stop != '\0'))
        return false;
    *text = *stop ? stop + 1 : stop;
    return true;
}

static int take_count(tune_range *range, const char *text, failure *out_failure)
{
    double count = -1.0;

    if (!take_number(&text, '\0', &count) || count != floor(count) || count < 2 || count > TUNE_VALUES_MAX)
        return fail_int(out_failure, "expected xN to be x and a whole number from 2 to %d", TUNE_VALUES_MAX);
    range->count = (size_t)count;
    range->step = (range->to - range->from) / (count - 1.0);
    return 0;
}

static int take_step(tune_range *range, const char *text, failure *out_failure)
{
    double steps;

    if (!take_number(&text, '\0', &range->step) || !(range->step > 0.0))
        return fail_int(out_failure, "expected a STEP above 0, or xN, after FROM:TO:");
    steps = floor((range->to - range->from) / range->step + STEP_SLACK);
    if (!(steps < TUNE_VALUES_MAX))
        return fail_int(out_failure, "that step makes more than %d values", TUNE_VALUES_MAX);
    range->count = (size_t)steps + 1;
    return 0;
}

int tune_parse(const char *text, tune_range *out_range, failure *out_failure)
{
    const char *equals = strchr(text, '=');
    const char *rest = equals ? equals + 1 : text;
    size_t length = equals ? (size_t)(equals - text) : 0;

    *out_range = (tune_range){0};
    if (length == 0 || length >= sizeof out_range->key)
        return fail_int(out_failure, FORM ", as in contact.margin=0:0.05:0.005");
    memcpy(out_range->key, text, length);
    if (!take_number(&rest, ':', &out_range->from) || rest[0] == '\0' || !take_number(&rest, ':', &out_range->to))
        return fail_int(out_failure, FORM ", all of them numbers");
    if (out_range->from > out_range->to)
        return fail_int(out_failure, "expected FROM to be at most TO");
    out_range->count = COUNT_DEFAULT;
    out_range->step = (out_range->to - out_range->from) / (COUNT_DEFAULT - 1);
    if (rest[-1] == ':' &&
        (rest[0] == 'x' ? take_count(out_range, rest + 1, out_failure) : take_step(out_range, rest, out_failure)) < 0)
        return -1;
    if (out_range->from == out_range->to)
        out_range->count = 1;
    return 0;
}

void tune_value(const tune_range *range, size_t index, char *out, size_t size)
{
    double value = range->from + (double)index * range->step;

    /* Clamp what rounding leaves beyond the ends, or next to 0. */
    if (value > range->to)
        value = range->to;
    if (fabs(value) < range->step * STEP_SLACK)
        value = 0.0;
    snprintf(out, size, "%.9g", value);
}

config_result tune_apply(const tune_range *range, size_t index, config_values *config, failure *out_failure)
{
    char value[40], assignment[sizeof range->key + sizeof value];

    tune_value(range, index, value, sizeof value);
    snprintf(assignment, sizeof assignment, "%s=%s", range->key, value);
    return config_set(config, assignment, out_failure);
}

/* ---- what comes of it ---- */

typedef struct numbers {
    float *values;
    size_t count, capacity;
} numbers;

typedef struct tally {
    tune_row *row;
    numbers speeds, intensities, durations;
    bool is_out_of_memory;
} tally;

static void add_number(tally *t, numbers *n, float value)
{
    if (array_grow(&n->values, n->count, &n->capacity, sizeof *n->values))
        n->values[n->count++] = value;
    else
        t->is_out_of_memory = true;
}

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    tally *t = context;

    (void)line, (void)length;
    if (event->kind == CLASH_EVENT_CLASH) {
        t->row->contacts++;
        add_number(t, &t->speeds, event->as.clash.closing_speed);
        add_number(t, &t->intensities, event->as.clash.intensity);
    } else if (event->kind == CLASH_EVENT_RELEASE) {
        add_number(t, &t->durations, (float)((double)event->duration_ns * 1e-9));
        t->row->min_distance = fminf(t->row->min_distance, event->as.release.min_distance);
    }
    t->row->holds += event->kind == CLASH_EVENT_HOLD;
    return !t->is_out_of_memory;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Return the smallest value that is not below that percentage of them. */
static float rank(const numbers *n, size_t percent)
{
    return n->values[(n->count * percent + 99) / 100 - 1];
}

static tune_spread spread(numbers *n)
{
    if (n->count == 0)
        return (tune_spread){0};
    qsort(n->values, n->count, sizeof *n->values, compare_floats);
    return (tune_spread){rank(n, 50), rank(n, 90), rank(n, 100)};
}

int tune_run(recording *r, const config_values *config, tune_row *out_row, failure *out_failure)
{
    tally t = {.row = out_row};
    const detect_output output = {.context = &t, .line = on_event};
    detect_report report;
    int result;

    *out_row = (tune_row){.min_distance = INFINITY};
    result = detect_run(r, config, &output, &report, out_failure);
    if (result == 0 && t.is_out_of_memory)
        result = fail_int(out_failure, "out of memory");
    out_row->seconds = ((double)report.last_ns - (double)report.first_ns) * 1e-9;
    out_row->closing_speed = spread(&t.speeds);
    out_row->intensity = spread(&t.intensities);
    out_row->duration = spread(&t.durations);
    free(t.speeds.values);
    free(t.intensities.values);
    free(t.durations.values);
    return result;
}
