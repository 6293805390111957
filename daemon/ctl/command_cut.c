/* clashctl cut, and the copying of convert: a recording, or a piece of it, into another file. Lines stay as they are. A
 * piece's header says where in its session it begins, so that it can still be verified. */
#include "command_cut.h"

#include "config/config.h"
#include "scene/definitions.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"
#include "offline/detect.h"
#include "offline/line_file.h"
#include "protocol/recording/recording.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cut {
    const char *command, *from_file, *to_file;
    double from_s, to_s;
    bool is_compressed;
    bool help, is_begun, is_over;
    uint64_t frames, seq, open_contacts;
    damage_report damage;
    char *header;
    char *equipment;  /* its last line, or NULL, */
    definitions kept; /* and targets: from before the piece */
    line_file out;
    recording_item item;
} cut;

static int set_time(void *member, const char *value, failure *out_expected)
{
    if (flags_parse_number(value, member))
        return 0;
    return fail_int(out_expected, "expected seconds in the recording's own times");
}

static const flag flags[] = {
    FLAG_OTHER("from", "SECONDS", cut, from_s, set_time, "first poses that are taken; default: all"),
    FLAG_OTHER("to", "SECONDS", cut, to_s, set_time, "last poses that are taken; default: all"),
    FLAG_HELP(cut),
};
static const flag_table table = {flags, sizeof flags / sizeof flags[0]};

/* ---- in ---- */

/* Write the header; a piece's says also where in its session it begins. */
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
    line_file_write(&c->out, text, strlen(text));
    cJSON_free(text);
    return 0;
}

/* Keep the last equipment before the piece. */
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
        line_file_write(&c->out, c->header, strlen(c->header));
    else if (write_header(c) < 0)
        return -1;
    if (c->equipment)
        line_file_write(&c->out, c->equipment, strlen(c->equipment));
    for (size_t i = 0; i < c->kept.count; i++)
        line_file_write(&c->out, c->kept.lines[i].text, strlen(c->kept.lines[i].text));
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

/* Count an event before the piece. */
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

    definitions_init(&c->kept, recording_get_header(r));
    c->open_contacts = recording_get_header(r)->open_contacts;
    if (isinf(c->from_s) && begin(c, false) < 0)
        return -1;
    while (!c->is_over && c->out.error == 0 && recording_next(r, &c->item) != RECORDING_END) {
        app_detect_progress(r);
        if (is_taken(c)) {
            if (!c->is_begun && begin(c, has_before) < 0)
                return -1;
            c->frames += c->item.kind == RECORDING_POSES;
            line_file_write(&c->out, c->item.text, c->item.text_length);
        } else if (c->item.kind == RECORDING_EQUIPMENT) {
            if (!c->is_over && keep_equipment(c) < 0)
                return -1;
        } else if (c->item.kind == RECORDING_BLADE || c->item.kind == RECORDING_TARGET ||
                   c->item.kind == RECORDING_REMOVE) {
            if (!c->is_over && definitions_add(&c->kept, &c->item) < 0)
                return -1;
        } else {
            has_before = true;
            count_event(c);
        }
    }
    return 0;
}

/* ---- the commands ---- */

static void report_empty(const cut *c, const recording *r)
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
    failure error = {0};
    int result;

    if (line_file_open(&c->out, c->to_file, c->is_compressed, &error) < 0) {
        output_error(c->command, "%s", error.text);
        return CTL_USAGE;
    }
    result = take_lines(c, r);
    if (line_file_close(&c->out, &error) < 0 || result < 0)
        output_error(c->command, "%s", error.text[0] ? error.text : "out of memory");
    else if (c->frames == 0 && (!isinf(c->from_s) || !isinf(c->to_s)))
        report_empty(c, r);
    else
        return CTL_DONE;
    line_file_remove(&c->out); /* half of it is of no use */
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
    if (code != CTL_DONE || line_file_is_unread(&c->out))
        return code;
    output_error(c->command, "%" PRIu64 " lines, %" PRIu64 " of them poses", c->out.lines, c->frames);
    if (recording_get_counters(r)->unknown > 0)
        output_error(c->command, "%" PRIu64 " lines of unknown types were left out",
                     recording_get_counters(r)->unknown);
    if (!recording_get_error(r))
        return CTL_DONE;
    output_error(c->command, "%s; %s has what is before that", recording_get_error(r),
                 c->to_file); /* what could be read is worth keeping */
    return CTL_USAGE;
}

static cut *create(const char *command)
{
    cut *c = calloc(1, sizeof *c);

    if (!c) {
        output_error(command, "out of memory");
        return NULL;
    }
    c->command = command;
    c->from_s = -INFINITY;
    c->to_s = INFINITY;
    record_file_init(&c->out.file);
    return c;
}

static void destroy(cut *c)
{
    line_file_finish(&c->out);
    free(c->header);
    free(c->equipment);
    definitions_finish(&c->kept);
    free(c);
}

int ctl_copy_lines(const char *command, recording *r, const char *from, const char *to, bool is_compressed)
{
    cut *c = create(command);
    int code;

    if (!c)
        return CTL_USAGE;
    c->from_file = from;
    c->to_file = to;
    c->is_compressed = is_compressed;
    code = copy_lines(c, r);
    destroy(c);
    return code;
}

static int cut_file(cut *c)
{
    failure error = {0};
    recording *r;
    int code;

    c->damage = (damage_report){.command = c->command, .file = c->from_file};
    r = recording_open(c->from_file, damage_report_add, &c->damage, &error);
    if (!r) {
        output_error(c->command, "%s", error.text);
        return CTL_USAGE;
    }
    output_begin(false);
    progress_begin(c->command, false);
    code = copy_lines(c, r);
    progress_end();
    damage_report_end(&c->damage);
    if (c->damage.seen > 0)
        output_error(c->command, "damaged lines left out: %" PRIu64, c->damage.seen);
    recording_close(r);
    return code;
}

static bool ends_in_zst(const char *name)
{
    const size_t length = strlen(name);

    return length >= 4 && strcmp(name + length - 4, ".zst") == 0;
}

static int parse(cut *c, int argc, char **argv)
{
    failure error = {0};
    int rest;

    if (flags_parse(&table, argc, argv, c, &rest, &error) < 0)
        return output_usage_error(c->command, error.text);
    if (c->help) {
        output_help(c->command, "FILE NEW_FILE [OPTION..]",
                    "Takes a piece out of a recording, with all that happened in it, into a new file:\n"
                    "compressed where its name ends in .zst. FILE - is standard input, NEW_FILE -\n"
                    "standard output.\n",
                    &table);
        return CTL_DONE;
    }
    if (argc - rest != 2)
        return output_usage_error(c->command, "expected a recording and the name of the new one");
    c->from_file = argv[rest];
    c->to_file = argv[rest + 1];
    c->is_compressed = ends_in_zst(c->to_file);
    return cut_file(c);
}

int ctl_cut(int argc, char **argv)
{
    cut *c = create("cut");
    int code;

    if (!c)
        return CTL_USAGE;
    code = parse(c, argc, argv);
    destroy(c);
    return code;
}
