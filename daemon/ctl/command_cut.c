/* clashctl cut and convert: a recording, or a piece of it, into another file, plain or compressed by the name of that. What
 * is no copy is command_convert.c's business. The lines stay as they are; a piece has in its header where in its session it begins, so that it can still be verified. */
#include "command_convert.h"
#include "config/config.h"
#include "scene/kept_blades.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"
#include "offline/detect.h"
#include "protocol/recording/bsor.h"
#include "protocol/recording/recording.h"
#include "recorder/record_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_BYTES (128u << 10)

typedef struct cut {
    const char *command, *from_file, *to_file;
    double from_s, to_s;
    bool table; /* a name that ends in .csv asks for one */
    bool help, is_begun, is_over;
    uint64_t lines, frames, seq, open_contacts;
    damage_report damage;
    char *header;
    char *equipment;  /* its last line, or NULL, and.. */
    kept_blades kept; /* .. from before the piece, targets too */
    record_file out;
    int error; /* errno of a write */
    char buffer[OUTPUT_BYTES];
    size_t length;
    recording_item item;
} cut;

static int set_time(void *member, const char *value, char *out_expected, size_t size)
{
    if (flags_parse_number(value, member))
        return 0;
    snprintf(out_expected, size, "expected seconds, as they stand in the recording");
    return -1;
}

static const flag flags[] = {
    FLAG_OTHER("from", "SECONDS", cut, from_s, set_time, "first poses that are taken; default: all"),
    FLAG_OTHER("to", "SECONDS", cut, to_s, set_time, "last poses that are taken; default: all"),
    FLAG_HELP(cut),
};
static const flag_table cut_table = {flags, 3};
static const flag_table convert_table = {flags + 2, 1};

/* ---- out ---- */

static void flush(cut *c)
{
    size_t taken;

    if (c->error == 0 && c->length > 0)
        c->error = record_file_write(&c->out, c->buffer, c->length, &taken);
    c->length = 0;
}

static void write_line(cut *c, const char *line, size_t length)
{
    if (c->length + length + 1 > sizeof c->buffer)
        flush(c);
    memcpy(c->buffer + c->length, line, length);
    c->length += length;
    c->buffer[c->length++] = '\n';
    c->lines++;
}

/* ---- in ---- */

/* What the piece's header says more: where in its session it begins. */
static int write_header(cut *c)
{
    cJSON *header = cJSON_Parse(c->header);
    char *text = NULL;

    cJSON_DeleteItemFromObjectCaseSensitive(header, "seq");
    cJSON_DeleteItemFromObjectCaseSensitive(header, "open_contacts");
    if (cJSON_AddNumberToObject(header, "seq", (double)c->seq) &&
        cJSON_AddNumberToObject(header, "open_contacts", (double)c->open_contacts))
        text = cJSON_PrintUnformatted(header);
    cJSON_Delete(header);
    if (!text || strlen(text) >= PROTOCOL_LINE_MAX) {
        cJSON_free(text);
        return -1;
    }
    write_line(c, text, strlen(text));
    cJSON_free(text);
    return 0;
}

/* What poses came from last, before the piece. */
static int keep_equipment(cut *c)
{
    free(c->equipment);
    c->equipment = strdup(c->item.text);
    return c->equipment ? 0 : -1;
}

static int begin(cut *c, bool is_later)
{
    c->is_begun = true;
    if (!is_later)
        write_line(c, c->header, strlen(c->header));
    else if (write_header(c) < 0)
        return -1;
    if (c->equipment)
        write_line(c, c->equipment, strlen(c->equipment));
    for (size_t i = 0; i < c->kept.count; i++)
        write_line(c, c->kept.lines[i].text, strlen(c->kept.lines[i].text));
    return 0;
}

static bool is_taken(cut *c)
{
    const double time_s = (double)c->item.time_ns * 1e-9;

    if (c->item.kind != RECORDING_POSES)
        return c->is_begun && !c->is_over;
    c->is_over = c->is_over || (c->is_begun && time_s > c->to_s);
    return !c->is_over && (c->is_begun || (time_s >= c->from_s && time_s <= c->to_s));
}

/* An item of before the piece. */
static void count_event(cut *c)
{
    const cJSON *seq;
    cJSON *event;

    if (c->item.kind == RECORDING_GAP)
        c->open_contacts = c->item.open_contacts;
    if (c->item.kind == RECORDING_POSES || c->item.kind == RECORDING_GAP || c->item.kind == RECORDING_MARK)
        return;
    c->open_contacts += strcmp(c->item.type, "clash") == 0;
    c->open_contacts -= strcmp(c->item.type, "release") == 0 && c->open_contacts > 0;
    event = cJSON_Parse(c->item.text);
    seq = cJSON_GetObjectItemCaseSensitive(event, "seq");
    if (cJSON_IsNumber(seq))
        c->seq = (uint64_t)seq->valuedouble;
    cJSON_Delete(event);
}

static int take_lines(cut *c, recording *r)
{
    bool has_before = recording_get_header(r)->is_later;

    kept_blades_init(&c->kept, recording_get_header(r));
    c->open_contacts = recording_get_header(r)->open_contacts;
    if (isinf(c->from_s) && begin(c, false) < 0)
        return -1;
    while (!c->is_over && c->error == 0 && recording_next(r, &c->item) != RECORDING_END) {
        app_detect_progress(r);
        if (is_taken(c)) {
            if (!c->is_begun && begin(c, has_before) < 0)
                return -1;
            c->frames += c->item.kind == RECORDING_POSES;
            write_line(c, c->item.text, c->item.text_length);
        } else if (c->item.kind == RECORDING_EQUIPMENT) {
            if (!c->is_over && keep_equipment(c) < 0)
                return -1;
        } else if (c->item.kind == RECORDING_BLADE || c->item.kind == RECORDING_TARGET ||
                   c->item.kind == RECORDING_REMOVE) {
            if (!c->is_over && kept_blades_add(&c->kept, &c->item) < 0)
                return -1;
        } else {
            has_before = true;
            count_event(c);
        }
    }
    return 0;
}

/* ---- the commands ---- */

static void say_nothing_there(const cut *c, const recording *r)
{
    char from[40] = "", to[40] = "";

    if (recording_get_error(r))
        output_error(c->command, "%s", recording_get_error(r));
    if (!isinf(c->from_s))
        snprintf(from, sizeof from, " from %g s%s", c->from_s, isinf(c->to_s) ? " on" : "");
    if (!isinf(c->to_s))
        snprintf(to, sizeof to, " up to %g s", c->to_s);
    output_error(c->command, "%s: there are no poses%s%s", c->from_file, from, to);
}

static int copy(cut *c, recording *r)
{
    const char *why = NULL;
    int error = record_file_open(&c->out, c->to_file, true, &why);
    int code = CTL_DONE;

    if (error != 0) {
        output_error(c->command, "%s: %s", c->to_file, why ? why : strerror(error));
        return CTL_USAGE;
    }
    if (take_lines(c, r) < 0)
        c->error = ENOMEM;
    flush(c);
    error = record_file_close(&c->out);
    if (c->error == 0 && error == 0 && c->frames == 0 && (!isinf(c->from_s) || !isinf(c->to_s)))
        say_nothing_there(c, r);
    else if (c->error == 0 && error == 0)
        return code;
    else
        output_error(c->command, "%s: %s", c->to_file, strerror(c->error ? c->error : error));
    remove(c->to_file); /* half of it is of no use */
    return CTL_USAGE;
}

static int copy_lines(cut *c, recording *r)
{
    int code;

    c->header = strdup(recording_get_header_text(r));
    if (!c->header) {
        output_error(c->command, "out of memory");
        return CTL_USAGE;
    }
    code = copy(c, r);
    if (code == CTL_DONE)
        output_error(c->command, "%" PRIu64 " lines, %" PRIu64 " of them poses", c->lines, c->frames);
    if (code == CTL_DONE && recording_get_counters(r)->unknown > 0)
        output_error(c->command, "%" PRIu64 " lines of unknown types were left out",
                     recording_get_counters(r)->unknown);
    if (code == CTL_DONE && recording_get_error(r)) { /* what could be read is worth keeping */
        output_error(c->command, "%s; %s has what is before that", recording_get_error(r), c->to_file);
        code = CTL_USAGE;
    }
    return code;
}

static int copy_file(cut *c)
{
    failure error = {0};
    recording *r;
    int code;

    if (c->table && bsor_is_one(c->from_file))
        return ctl_convert_replay(c->command, c->from_file, c->to_file);
    c->damage = (damage_report){.command = c->command, .file = c->from_file};
    r = recording_open(c->from_file, damage_report_add, &c->damage, error.text, sizeof error.text);
    if (!r) {
        output_error(c->command, "%s", error.text);
        return CTL_USAGE;
    }
    progress_begin(c->command, false);
    code = c->table && ctl_convert_is_table(c->to_file) ? ctl_convert_table(c->command, c->from_file, c->to_file, r)
                                                        : copy_lines(c, r);
    progress_end();
    damage_report_end(&c->damage);
    if (c->damage.seen > 0)
        output_error(c->command, "damaged lines left out: %" PRIu64, c->damage.seen);
    recording_close(r);
    return code;
}

static int parse(cut *c, const flag_table *table, const char *what, int argc, char **argv)
{
    failure error = {0};
    int rest;

    if (flags_parse(table, argc, argv, c, &rest, &error) < 0)
        return output_usage_error(c->command, error.text);
    if (c->help) {
        output_help(c->command, "FILE NEW_FILE [OPTION..]", what, table);
        return CTL_DONE;
    }
    if (argc - rest != 2)
        return output_usage_error(c->command, "expected a recording and the name of the new one");
    c->from_file = argv[rest];
    c->to_file = argv[rest + 1];
    return copy_file(c);
}

static int run(const char *command, const flag_table *table, const char *what, int argc, char **argv)
{
    cut *c = calloc(1, sizeof *c);
    int code;

    if (!c) {
        output_error(command, "out of memory");
        return CTL_USAGE;
    }
    c->command = command;
    c->table = table == &convert_table;
    c->from_s = -INFINITY;
    c->to_s = INFINITY;
    record_file_init(&c->out);
    code = parse(c, table, what, argc, argv);
    record_file_finish(&c->out);
    free(c->header);
    free(c->equipment);
    kept_blades_finish(&c->kept);
    free(c);
    return code;
}

int ctl_cut(int argc, char **argv)
{
    return run("cut", &cut_table,
               "Takes a piece out of a recording, with all that happened in it, into a new file:\n"
               "compressed where its name ends in .zst.\n",
               argc, argv);
}

int ctl_convert(int argc, char **argv)
{
    return run("convert", &convert_table,
               "Copies a recording into a new file, which is compressed where its name ends in\n"
               ".zst, and plain where it does not. Damaged lines are left out. Where the name\n"
               "ends in .csv, the new file is a table of the contacts that are found.\n\n"
               "FILE may be a replay of Beat Saber (.bsor, as BeatLeader has them): the new file\n"
               "is a recording of head and sabers, without name or id of player or map.\n",
               argc, argv);
}
