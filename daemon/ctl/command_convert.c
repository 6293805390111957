/* clashctl convert: a recording in another format, from and to a pipe if wanted. One table has all formats. */
#include "command_cut.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"
#include "offline/bsor_import.h"
#include "offline/contacts_csv.h"
#include "offline/mcap_export.h"
#include "offline/mcap_import.h"
#include "recorder/record_file.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND "convert"

typedef enum format { FORMAT_GUESSED, FORMAT_JSONL, FORMAT_ZST, FORMAT_CSV, FORMAT_MCAP, FORMAT_BSOR } format;

static const struct {
    const char *name; /* of --from and --to */
    const char *ending;
    format is;
    bool is_read, is_written;
} formats[] = {
    {"jsonl", ".jsonl", FORMAT_JSONL, true, true}, {"jsonl.zst", ".zst", FORMAT_ZST, true, true},
    {"csv", ".csv", FORMAT_CSV, false, true},      {"mcap", ".mcap", FORMAT_MCAP, true, true},
    {"bsor", ".bsor", FORMAT_BSOR, true, false},
};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

typedef struct convert {
    const char *from, *to; /* "-": standard input, standard output */
    const char *written;   /* the file that is written: `to`, or the one that will replace it */
    format from_is, to_is;
    bool help, overwrites;
    damage_report damage;
    config_values config;
} convert;

/* The result. */
typedef struct found {
    uint64_t contacts, messages, too_large;
    int write_error; /* errno */
} found;

/* ---- formats ---- */

/* Write "a, b or c", by name or by ending. */
static void list_formats(bool is_read, bool by_ending, char *out, size_t size)
{
    size_t left = 0, length = 0;

    for (size_t i = 0; i < FORMAT_COUNT; i++)
        left += is_read ? formats[i].is_read : formats[i].is_written;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (!(is_read ? formats[i].is_read : formats[i].is_written) || length >= size)
            continue;
        left--;
        length += (size_t)snprintf(out + length, size - length, "%s%s", by_ending ? formats[i].ending : formats[i].name,
                                   left == 0   ? ""
                                   : left == 1 ? " or "
                                               : ", ");
    }
}

static int set_format(format *out_format, bool is_read, const char *value, failure *out_expected)
{
    char names[128] = "";

    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(formats[i].name, value) == 0 && (is_read ? formats[i].is_read : formats[i].is_written)) {
            *out_format = formats[i].is;
            return 0;
        }
    }
    list_formats(is_read, false, names, sizeof names);
    return fail_int(out_expected, "expected %s", names);
}

static int set_from(void *member, const char *value, failure *out_expected)
{
    return set_format(member, true, value, out_expected);
}

static int set_to(void *member, const char *value, failure *out_expected)
{
    return set_format(member, false, value, out_expected);
}

static const flag flags[] = {
    FLAG_WORDS("from", "FORMAT", "jsonl mcap bsor", convert, from_is, set_from,
               "what FILE is: jsonl, compressed or not, mcap or\n"
               "bsor; default: by its first bytes"),
    FLAG_WORDS("to", "FORMAT", "jsonl jsonl.zst csv mcap", convert, to_is, set_to,
               "what to write: jsonl, jsonl.zst, csv or mcap;\n"
               "default: by the name of NEW_FILE; of - jsonl"),
    FLAG_SWITCH("overwrite", convert, overwrites,
                "replace NEW_FILE if it exists, once the new one is\n"
                "complete; if convert fails, the old one stays"),
    FLAG_HELP(convert),
};

static bool is_standard(const char *name)
{
    return strcmp(name, "-") == 0;
}

static format guess_by_name(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const size_t length = strlen(name), ending = strlen(formats[i].ending);

        if (formats[i].is_written && length >= ending && strcmp(name + length - ending, formats[i].ending) == 0)
            return formats[i].is;
    }
    return is_standard(name) ? FORMAT_JSONL : FORMAT_GUESSED;
}

/* ---- each of them ---- */

/* Detect what is asked for and write it to `out`. */
static int write_found(convert *c, recording *r, FILE *out, found *out_found, failure *out_failure)
{
    contacts_report contacts = {0};
    mcap_report mcap = {0};
    int result;

    config_defaults(&c->config);
    if (config_apply_header(&c->config, c->from, recording_get_header(r), out_failure) != CONFIG_OK)
        return -1;
    if (c->to_is == FORMAT_CSV) {
        result = contacts_csv(r, &c->config, out, &contacts, out_failure);
        *out_found = (found){contacts.rows, 0, 0, contacts.write_error};
    } else {
        result = mcap_export(r, &c->config, out, &mcap, out_failure);
        *out_found = (found){mcap.found.counters.contacts, mcap.messages, mcap.too_large, mcap.write_error};
    }
    return result;
}

static void print_found(const convert *c, const found *f)
{
    if (c->to_is == FORMAT_CSV)
        output_error(COMMAND, "%" PRIu64 " contact%s", f->contacts, plural_s(f->contacts));
    else
        output_error(COMMAND, "%" PRIu64 " message%s, %" PRIu64 " contact%s", f->messages, plural_s(f->messages),
                     f->contacts, plural_s(f->contacts));
    if (f->too_large > 0)
        output_error(COMMAND, "%" PRIu64 " picture%s of all blades or targets too large to be drawn", f->too_large,
                     plural_s(f->too_large));
}

/* With the mode of recordings. Return NULL with errno. */
static FILE *open_new(const char *name)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (fd >= 0 && !file)
        close(fd);
    return file;
}

static int convert_found(convert *c, recording *r)
{
    failure error = {0};
    found f = {0};
    const bool to_standard = is_standard(c->to);
    FILE *out = to_standard ? stdout : open_new(c->written);
    int result;

    if (!out)
        return output_refuse(COMMAND, "%s: %s", c->written, strerror(errno));
    result = write_found(c, r, out, &f, &error);
    if (!to_standard && fclose(out) != 0 && f.write_error == 0)
        f.write_error = errno;
    if (result == 0 && f.write_error != 0 && !(to_standard && f.write_error == EPIPE))
        result = fail_int(&error, "%s: %s", to_standard ? "standard output" : c->written, strerror(f.write_error));
    if (result == 0) {
        if (f.write_error == 0)
            print_found(c, &f);
        return CTL_DONE;
    }
    output_error(COMMAND, "%s", error.text);
    if (!to_standard)
        remove(c->written);
    return CTL_USAGE;
}

static int convert_mcap(const convert *c)
{
    failure error = {0};
    mcap_lines report;

    if (mcap_import(c->from, c->written, c->to_is == FORMAT_ZST, &report, &error) < 0)
        return output_refuse(COMMAND, "%s", error.text);
    output_error(COMMAND, "%" PRIu64 " line%s", report.lines, plural_s(report.lines));
    if (report.damaged > 0)
        output_error(COMMAND, "%s: damaged, and left out: %" PRIu64 " chunks or lines", c->from, report.damaged);
    if (!report.is_torn)
        return CTL_DONE;
    if (c->overwrites)
        return output_refuse(COMMAND, "%s: ends too early", c->from);
    return output_refuse(COMMAND, "%s: ends too early; %s has what is before that", c->from, c->written);
}

static int convert_replay(const convert *c)
{
    failure error = {0};
    bsor_report report;
    const bsor_counters *n = &report.counters;
    int result;

    progress_begin(COMMAND, false);
    result = bsor_import(c->from, c->written, c->to_is == FORMAT_ZST, &report, &error);
    progress_end();
    if (result < 0)
        return output_refuse(COMMAND, "%s", error.text);
    output_error(COMMAND,
                 "%" PRIu64 " line%s of %" PRIu64 " frame%s; left out: %" PRIu64 " that go back in time, %" PRIu64
                 " without one; repeated times: %" PRIu64 "; poses that are not finite: %" PRIu64,
                 report.lines, plural_s(report.lines), n->frames, plural_s(n->frames), n->backward, n->timeless,
                 n->repeated, n->not_finite);
    return CTL_DONE;
}

static int convert_recording(convert *c)
{
    recording *r = damage_report_open(&c->damage, COMMAND, c->from);
    int code;

    if (!r)
        return CTL_USAGE;
    progress_begin(COMMAND, false);
    code = c->to_is == FORMAT_CSV || c->to_is == FORMAT_MCAP
               ? convert_found(c, r)
               : ctl_copy_lines(COMMAND, r, c->from, c->written, c->to_is == FORMAT_ZST, !c->overwrites);
    progress_end();
    damage_report_end(&c->damage);
    if (c->damage.seen > 0)
        output_error(COMMAND, "damaged lines left out: %" PRIu64, c->damage.seen);
    recording_close(r);
    return code;
}

/* ---- the command ---- */

static int refuse_name(const convert *c)
{
    char endings[128] = "", names[128] = "", message[1024];

    list_formats(false, true, endings, sizeof endings);
    list_formats(false, false, names, sizeof names);
    snprintf(message, sizeof message,
             "%.512s: no known format has such a name: expected one that ends in %s, or --to %s", c->to, endings,
             names);
    return output_usage_error(COMMAND, message);
}

static int convert_file(convert *c)
{
    if (c->to_is == FORMAT_CSV || c->to_is == FORMAT_MCAP)
        return convert_recording(c);
    if (c->from_is == FORMAT_BSOR || (c->from_is == FORMAT_GUESSED && bsor_is_one(c->from)))
        return convert_replay(c);
    if (c->from_is == FORMAT_MCAP || (c->from_is == FORMAT_GUESSED && mcap_is_one(c->from)))
        return convert_mcap(c);
    return convert_recording(c);
}

static int write_fresh(void *context, const char *path)
{
    convert *c = context;

    c->written = path;
    return convert_file(c);
}

static int run(void *target, char **words)
{
    convert *c = target;
    struct stat status;

    c->from = words[0];
    c->to = c->written = words[1];
    if (c->to_is == FORMAT_GUESSED)
        c->to_is = guess_by_name(c->to);
    if (c->to_is == FORMAT_GUESSED)
        return refuse_name(c);
    output_begin(false);
    if (!is_standard(c->to) && c->overwrites)
        return scratch_replace(COMMAND, c->to, write_fresh, c);
    if (!is_standard(c->to) && lstat(c->to, &status) == 0)
        return output_refuse(COMMAND, "%s: %s: --overwrite replaces it", c->to, strerror(EEXIST));
    return convert_file(c);
}

const ctl_command ctl_convert = {
    .name = COMMAND,
    .summary = "write a recording in another format, import a Beat Saber one",
    .arguments = "FILE NEW_FILE [OPTION..]",
    .text = "Writes a recording in another format into a new file, by the name of that:\n"
            "  .jsonl   the same lines, plain. Damaged lines are left out\n"
            "  .zst     compressed\n"
            "  .csv     a table of the contacts that are found\n"
            "  .mcap    for Foxglove: blades, contacts, speeds and a log, and in it the\n"
            "           recording, which convert makes of it again\n\n"
            "NEW_FILE must not exist, unless --overwrite is given.\n\n"
            "FILE - is standard input, NEW_FILE - standard output. FILE may be a replay of\n"
            "Beat Saber (.bsor, as BeatLeader has them): the new file is a recording of head\n"
            "and sabers, without name or id of player or map.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 2, .most = 2},
    .expected = "expected a recording and the name of the new one",
    .size = sizeof(convert),
    .run = run,
};
