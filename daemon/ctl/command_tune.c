/* clashctl tune: a recording under one value of a setting after another, one row each, to pick a threshold by what it
 * would have done. The file is read again for each value, in the same memory whatever its size. */
#include "layers.h"
#include "offline/tune.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"
#include "protocol/messages/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "tune"

typedef enum tune_form { TUNE_TABLE, TUNE_JSON, TUNE_CSV } tune_form;

typedef struct tune {
    const char *file;
    ctl_layers layers;
    bool help;
    tune_form form;
    tune_range range;
    damage_report damage;
    config_values config, changed;
} tune;

static const flag flags[] = {
    FLAG_TEXT("config", "FILE", tune, layers.config_path, "settings that win over the recording's own"),
    FLAG_OTHER("set", "KEY=VALUE", tune, layers, ctl_layers_take_set,
               "another setting that wins over those, as for detect"),
    FLAG_CHOICE("json", tune, form, TUNE_JSON, "a line of JSON for each value"),
    FLAG_CHOICE("csv", tune, form, TUNE_CSV, "a table for spreadsheets"),
    FLAG_HELP(tune),
};

/* ---- rows ---- */

static int key_width(const tune *t)
{
    return (int)(strlen(t->range.key) > 12 ? strlen(t->range.key) : 12);
}

static void write_head(const tune *t)
{
    if (t->form == TUNE_CSV)
        printf("%s,contacts,contacts_per_minute,closing_speed_median,closing_speed_p90,closing_speed_max,"
               "intensity_median,intensity_p90,intensity_max,duration_median_s,duration_p90_s,duration_max_s,holds,"
               "min_distance\n",
               t->range.key);
    if (t->form != TUNE_TABLE)
        return;
    printf("%*s%15s%21s%14s%15s%7s%9s\n", key_width(t), "", "contacts", "closing speed, m/s", "intensity",
           "duration, s", "holds", "nearest");
    printf("%-*s%7s%8s%7s%7s%7s%8s%6s%8s%7s%7s%9s\n", key_width(t), t->range.key, "number", "a min", "median", "90 %",
           "max", "median", "90 %", "median", "90 %", "", "mm");
}

static void write_cells(const tune *t, const char *value, const tune_row *row, double per_minute)
{
    const tune_spread *speed = &row->closing_speed, *intensity = &row->intensity, *lasted = &row->duration;

    printf("%*s%7" PRIu64 "%8.1f", key_width(t), value, row->contacts, per_minute);
    if (row->contacts > 0)
        printf("%7.2f%7.2f%7.2f%8.2f%6.2f%8.3f%7.3f%7" PRIu64 "%9.2f\n", (double)speed->median, (double)speed->p90,
               (double)speed->max, (double)intensity->median, (double)intensity->p90, (double)lasted->median,
               (double)lasted->p90, row->holds, (double)row->min_distance * 1e3);
    else
        printf("%7s%7s%7s%8s%6s%8s%7s%7d%9s\n", "-", "-", "-", "-", "-", "-", "-", 0, "-");
}

static void write_csv(const char *value, const tune_row *row, double per_minute)
{
    const tune_spread *spreads[] = {&row->closing_speed, &row->intensity, &row->duration};

    printf("%s,%" PRIu64 ",%.9g", value, row->contacts, per_minute);
    for (size_t i = 0; i < 3; i++) {
        if (row->contacts > 0)
            printf(",%.9g,%.9g,%.9g", (double)spreads[i]->median, (double)spreads[i]->p90, (double)spreads[i]->max);
        else
            printf(",,,");
    }
    printf(",%" PRIu64 ",", row->holds);
    if (row->contacts > 0)
        printf("%.9g", (double)row->min_distance);
    printf("\n");
}

static void write_spread(json_writer *w, const char *key, const tune_row *row, const tune_spread *s)
{
    json_key(w, key);
    if (row->contacts == 0) {
        json_null(w);
        return;
    }
    json_object_begin(w);
    encode_key_float(w, "median", s->median);
    encode_key_float(w, "p90", s->p90);
    encode_key_float(w, "max", s->max);
    json_object_end(w);
}

static void write_json(const tune *t, const char *value, const tune_row *row, double per_minute)
{
    char line[1024];
    json_writer w;

    json_writer_init(&w, line, sizeof line);
    json_object_begin(&w);
    encode_key_string(&w, "key", t->range.key);
    json_key(&w, "value");
    json_raw(&w, value);
    encode_key_uint(&w, "contacts", row->contacts);
    encode_key_float(&w, "contacts_per_minute", (float)per_minute);
    write_spread(&w, "closing_speed", row, &row->closing_speed);
    write_spread(&w, "intensity", row, &row->intensity);
    write_spread(&w, "duration_s", row, &row->duration);
    encode_key_uint(&w, "holds", row->holds);
    encode_key_float(&w, "min_distance", row->min_distance); /* infinite without a touch: null */
    json_object_end(&w);
    output_write(line, json_writer_finish(&w));
}

static bool write_row(const tune *t, size_t index, const tune_row *row)
{
    const double per_minute = row->seconds > 0.0 ? (double)row->contacts / row->seconds * 60.0 : 0.0;
    char value[40];

    progress_erase();
    tune_value(&t->range, index, value, sizeof value);
    if (t->form == TUNE_JSON)
        write_json(t, value, row, per_minute);
    else if (t->form == TUNE_CSV)
        write_csv(value, row, per_minute);
    else
        write_cells(t, value, row, per_minute);
    return fflush(stdout) == 0;
}

/* ---- the command ---- */

/* Without the "--set" of the message, which nobody gave. */
static int refuse_setting(const char *error)
{
    return output_refuse(COMMAND, "%s", strncmp(error, "--set: ", 7) == 0 ? error + 7 : error);
}

/* Check all values before the first long pass over the file. */
static int check_values(tune *t, recording *r)
{
    failure error = {0};

    if (ctl_layers_make(&t->layers, t->file, recording_get_header(r), &t->config, &error) < 0)
        return output_refuse(COMMAND, "%s", error.text);
    for (size_t i = 0; i < t->range.count; i++) {
        t->changed = t->config;
        if (tune_apply(&t->range, i, &t->changed, &error) != CONFIG_OK)
            return refuse_setting(error.text);
    }
    if (!config_can_clash(&t->config))
        output_error(COMMAND, "%s", config_why_no_clash(&t->config));
    return CTL_DONE;
}

static int run_value(tune *t, recording *r, size_t index, tune_row *out_row)
{
    failure error = {0};

    t->changed = t->config;
    progress_stretch((double)index / (double)t->range.count, (double)(index + 1) / (double)t->range.count);
    if (index > 0 && recording_rewind(r) < 0) {
        output_error(COMMAND, "%s: cannot be read more than once: expected a file, no pipe", t->file);
        return -1;
    }
    if (tune_apply(&t->range, index, &t->changed, &error) == CONFIG_OK &&
        tune_run(r, &t->changed, out_row, &error) == 0)
        return 0;
    output_error(COMMAND, "%s", error.text);
    return -1;
}

static int run_values(tune *t, recording *r)
{
    tune_row row;
    int code = check_values(t, r);

    if (code != CTL_DONE)
        return code;
    output_begin(false);
    write_head(t);
    fflush(stdout);
    progress_begin(COMMAND, false);
    for (size_t i = 0; i < t->range.count; i++) {
        if (run_value(t, r, i, &row) < 0)
            return output_end(COMMAND, CTL_USAGE);
        damage_report_end(&t->damage); /* the other passes meet the same */
        if (!write_row(t, i, &row))
            break;
    }
    progress_end();
    return output_end(COMMAND, CTL_DONE);
}

static int tune_file(tune *t)
{
    recording *r = damage_report_open(&t->damage, COMMAND, t->file);
    int code;

    if (!r)
        return CTL_USAGE;
    code = run_values(t, r);
    recording_close(r);
    return code;
}

static int run(void *target, char **words)
{
    tune *t = target;
    failure error = {0};

    t->file = words[0];
    if (tune_parse(words[1], &t->range, &error) < 0)
        return output_refuse(COMMAND, "%s: %s", words[1], error.text);
    if (ctl_layers_matters(t->range.key))
        return tune_file(t);
    return output_refuse(COMMAND, "%s: expected contact.KEY or blades.NAME.KEY: no other setting changes what is found",
                         t->range.key);
}

const ctl_command ctl_tune = {
    .name = COMMAND,
    .summary = "find the clashes of a recording under one setting after another",
    .arguments = "FILE KEY=FROM:TO[:STEP|:xN] [OPTION..]",
    .text = "Finds the contacts of a recording under one value of a setting after another,\n"
            "and prints a row for each: how many, how hard, how long, how near. A median, or\n"
            "what 90 % do not exceed, is that of one of the contacts. Values go from FROM to\n"
            "TO by STEP, or are N of equal distance; without either, eleven.\n\n"
            "  clashctl tune play.jsonl.zst contact.margin=0:0.05:0.005\n"
            "  clashctl tune play.jsonl.zst blades.left.radius=0.01:0.05:x5\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 2, .most = 2},
    .expected = "expected a recording and one setting with its range, KEY=FROM:TO",
    .size = sizeof(tune),
    .run = run,
};
