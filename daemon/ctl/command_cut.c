/* clashctl cut, and the copying of convert: a recording, or a piece of it, into another file. Lines stay as they are. A
 * piece's header says where in its session it begins, so that it can still be verified. */
#include "command_cut.h"

#include "config/config.h"
#include "scene/definitions.h"

#include "cli/name_end.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"
#include "offline/detect.h"
#include "offline/line_file.h"
#include "protocol/recording/recording.h"
#include "scratch.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMMAND "cut"

typedef struct cut {
    const char *command, *from_file, *to_file;
    double from_s, to_s;
    bool keeps_part; /* if reading fails, what has been written is named */
    bool is_compressed;
    bool help, overwrites, is_begun, is_over;
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
    FLAG_SWITCH("overwrite", cut, overwrites, "replace NEW_FILE if it exists; only when all is written"),
    FLAG_HELP(cut),
};

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
        detect_progress(r);
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

    if (line_file_open(&c->out, c->to_file, c->is_compressed, &error) < 0)
        return output_refuse(c->command, "%s", error.text);
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
    if (!c->header)
        return output_refuse(c->command, "out of memory");
    code = copy(c, r);
    if (code != CTL_DONE || line_file_is_unread(&c->out))
        return code;
    output_error(c->command, "%" PRIu64 " line%s, %" PRIu64 " of them poses", c->out.lines, plural_s(c->out.lines),
                 c->frames);
    if (recording_get_counters(r)->unknown > 0)
        output_error(c->command, "%" PRIu64 " line%s of unknown types left out", recording_get_counters(r)->unknown,
                     plural_s(recording_get_counters(r)->unknown));
    if (!recording_get_error(r))
        return CTL_DONE;
    if (!c->keeps_part)
        return output_refuse(c->command, "%s", recording_get_error(r));
    return output_refuse(c->command, "%s; %s has what is before that", recording_get_error(r), c->to_file);
}

static void finish(cut *c)
{
    line_file_finish(&c->out);
    free(c->header);
    free(c->equipment);
    definitions_finish(&c->kept);
}

int ctl_copy_lines(const char *command, recording *r, const char *from, const char *to, bool is_compressed,
                   bool keeps_part)
{
    cut *c = calloc(1, sizeof *c);
    int code;

    if (!c)
        return output_refuse(command, "out of memory");
    c->command = command;
    c->from_file = from;
    c->to_file = to;
    c->from_s = -INFINITY;
    c->to_s = INFINITY;
    c->is_compressed = is_compressed;
    c->keeps_part = keeps_part;
    record_file_init(&c->out.file);
    code = copy_lines(c, r);
    finish(c);
    free(c);
    return code;
}

static int cut_file(cut *c)
{
    recording *r = damage_report_open(&c->damage, c->command, c->from_file);
    int code;

    if (!r)
        return CTL_USAGE;
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

static int write_fresh(void *context, const char *path)
{
    cut *c = context;

    c->to_file = path;
    c->keeps_part = false;
    return cut_file(c);
}

static int run(void *target, char **words)
{
    cut *c = target;
    struct stat status;
    int code;

    c->from_file = words[0];
    c->to_file = words[1];
    c->is_compressed = name_ends_in(c->to_file, ".zst");
    record_file_init(&c->out.file);
    if (!c->overwrites && strcmp(c->to_file, "-") != 0 && lstat(c->to_file, &status) == 0)
        return output_refuse(COMMAND, "%s: %s: --overwrite replaces it", c->to_file, strerror(EEXIST));
    code = c->overwrites && strcmp(c->to_file, "-") != 0 ? scratch_replace(COMMAND, words[1], write_fresh, c)
                                                         : cut_file(c);
    finish(c);
    return code;
}

const ctl_command ctl_cut = {
    .name = COMMAND,
    .summary = "take a piece out of a recording",
    .arguments = "FILE NEW_FILE [OPTION..]",
    .text = "Takes a piece out of a recording, with all that happened in it, into a new file:\n"
            "compressed if its name ends in .zst. FILE - is standard input, NEW_FILE -\n"
            "standard output.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 2, .most = 2},
    .expected = "expected a recording and the name of the new one",
    .size = sizeof(cut),
    .defaults = &(cut){.command = COMMAND, .keeps_part = true, .from_s = -INFINITY, .to_s = INFINITY},
    .run = run,
};
