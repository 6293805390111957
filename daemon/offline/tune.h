/* One setting over a range: the values it takes, and what comes of a recording under one of them. A recording is read once
 * for each value, so memory does not grow with it, but for some bytes a contact. */
#ifndef CLASHD_OFFLINE_TUNE_H
#define CLASHD_OFFLINE_TUNE_H

#include "cli/failure.h"
#include "detect.h"

#define APP_TUNE_VALUES_MAX 1000

typedef struct app_tune_range {
    char key[128]; /* as --set has it: "contact.margin" */
    double from, to, step;
    size_t count; /* 1 to APP_TUNE_VALUES_MAX */
} app_tune_range;

/** "KEY=FROM:TO" (eleven values), "KEY=FROM:TO:STEP" or "KEY=FROM:TO:xN"; both ends are among the values, TO where the
 *  step meets it. 0, or -1 with what was expected in out_failure. */
int app_tune_parse(const char *text, app_tune_range *out_range, failure *out_failure);
/** The value as text, to be set as it is printed. */
void app_tune_value(const app_tune_range *range, size_t index, char *out, size_t size);
/** Lays it over `config`, as app_config_set does. */
app_config_result app_tune_apply(const app_tune_range *range, size_t index, app_config *config, failure *out_failure);

/** Of all contacts; each number is one of theirs, by nearest rank. */
typedef struct app_tune_spread {
    float median, p90, max;
} app_tune_spread;

typedef struct app_tune_row {
    uint64_t contacts, holds;
    double seconds; /* from the first poses to the last */
    /* where there are contacts: */
    app_tune_spread closing_speed; /* of the clashes, m/s */
    app_tune_spread intensity;     /* likewise, 0..1 */
    app_tune_spread duration;      /* s */
    float min_distance;            /* between the axes, m */
} app_tune_row;

/** Reads `r` from where it stands to its end. 0, or -1 with a message in out_failure. */
int app_tune_run(recording *r, const app_config *config, app_tune_row *out_row, failure *out_failure);

#endif
