/* One setting over a range: the values it takes, and what comes of a recording under one of them. A recording is read once
 * for each value, so memory does not grow with it, but for some bytes a contact. */
#ifndef CLASHD_OFFLINE_TUNE_H
#define CLASHD_OFFLINE_TUNE_H

#include "cli/failure.h"
#include "detect.h"

#define TUNE_VALUES_MAX 1000

typedef struct tune_range {
    char key[128]; /* as --set has it: "contact.margin" */
    double from, to, step;
    size_t count; /* 1 to TUNE_VALUES_MAX */
} tune_range;

/** "KEY=FROM:TO" (eleven values), "KEY=FROM:TO:STEP" or "KEY=FROM:TO:xN"; both ends are among the values, TO if the
 *  step meets it. Return 0, or -1 with what was expected in out_failure. */
int tune_parse(const char *text, tune_range *out_range, failure *out_failure);
/** The value as text, to be set as it is printed. */
void tune_value(const tune_range *range, size_t index, char *out, size_t size);
/** Apply it to `config`, as config_set does. */
config_result tune_apply(const tune_range *range, size_t index, config_values *config, failure *out_failure);

/** Of all contacts; each number is one of theirs, by nearest rank. */
typedef struct tune_spread {
    float median, p90, max;
} tune_spread;

typedef struct tune_row {
    uint64_t contacts, holds;
    double seconds; /* from the first poses to the last */
    /* if there are contacts: */
    tune_spread closing_speed; /* of the clashes, m/s */
    tune_spread intensity;     /* likewise, 0..1 */
    tune_spread duration;      /* s */
    float min_distance;        /* between the axes, m */
} tune_row;

/** Read `r` from where it stands to its end. Return 0, or -1 with a message in out_failure. */
int tune_run(recording *r, const config_values *config, tune_row *out_row, failure *out_failure);

#endif
