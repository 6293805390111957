/* Lines of a recording to entries: see log_reader.h. What protocol/recording/recording.c does with a file that it can seek in is done
 * here with a store that can be looked back at: a time far ahead is judged when the lines behind it have come. */
#include "log_reader.h"

#include "protocol/messages/framing.h"
#include "protocol/messages/parse.h"
#include "protocol/recording/recording_private.h"
#include "sources/replay/player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in recording.c: so many lines are looked at behind a leap, and at the beginning. */
#define LEAP_LINES 256u
#define LEAP_LINES_FIRST 16u
#define LINE_FEE 128u
#define DAMAGE_FEE 65536u

struct log_reader {
    log_store *store;
    log_reader_user user;
    framing *framing;
    uint64_t number; /* of the last line */
    uint64_t unreadable, clashes;
    bool has_header, is_ended;
    recording_header header;
    recording_counters counters;
    size_t settled;
    bool has_poses; /* among the settled ones.. */
    int64_t poses_ns;
    uint64_t barriers[64]; /* lines that nothing is looked for behind: too long, or broken */
    size_t barrier_count;
    failure failure;
    recording_item item;
    char line[PROTOCOL_LINE_MAX + 1];
};

log_reader *log_reader_create(log_store *store, const log_reader_user *user)
{
    log_reader *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->store = store;
    r->user = *user;
    r->framing = framing_create(PROTOCOL_LINE_MAX);
    if (r->framing)
        return r;
    free(r);
    return NULL;
}

void log_reader_destroy(log_reader *r)
{
    if (!r)
        return;
    framing_destroy(r->framing);
    free(r);
}

static bool stop(log_reader *r, const char *message)
{
    if (!r->failure.text[0])
        fail_with(&r->failure, "%s", message);
    return false;
}

static void add_barrier(log_reader *r)
{
    const size_t room = sizeof r->barriers / sizeof r->barriers[0];

    if (r->barrier_count == room) {
        memmove(r->barriers, r->barriers + 1, (room - 1) * sizeof r->barriers[0]);
        r->barrier_count--;
    }
    r->barriers[r->barrier_count++] = r->number;
}

static void say_damaged(log_reader *r, uint64_t *counter, const char *message)
{
    ++*counter;
    r->user.damaged(r->user.context, r->number, message);
}

/* As recording.c's, which reads files besides. */
bool recording_parse(const char *line, recording_item *out_item)
{
    failure reason = {0};

    return recording_read_line(line, strlen(line), out_item, &reason) == RECORDING_LINE_TAKEN;
}

/* ---- times that cannot be ---- */

/* The last line that may contradict one. */
static uint64_t last_witness(const log_reader *r, uint64_t line_number)
{
    uint64_t last = line_number + (r->has_poses ? LEAP_LINES : LEAP_LINES_FIRST);

    for (size_t i = 0; i < r->barrier_count; i++)
        if (r->barriers[i] > line_number && r->barriers[i] < last)
            last = r->barriers[i];
    return last;
}

/* Return whether poses follow that go on where those before were, or that are earlier by a leap if there were none. */
static bool is_contradicted(const log_reader *r, size_t index, int64_t leap_ns, uint64_t last)
{
    const int64_t from_ns = r->has_poses ? r->poses_ns : INT64_MIN;
    const int64_t to_ns = r->has_poses ? leap_ns : leap_ns - RECORDING_LEAP_NS;

    for (size_t i = index + 1; i < log_store_count(r->store); i++) {
        const log_entry *entry = log_store_entry(r->store, i);

        if (entry->line_number > last)
            return false;
        if (entry->kind == LOG_POSES && entry->time_ns >= from_ns && entry->time_ns < to_ns)
            return true;
    }
    return false;
}

/* Do not count its own time among the latest ones. */
static void leave_out(log_reader *r, size_t index)
{
    log_entry *entry = log_store_entry(r->store, index);
    int64_t high_ns = index > 0 ? log_store_entry(r->store, index - 1)->high_ns : INT64_MIN;
    const uint64_t number = r->number;
    char what[128];

    snprintf(what, sizeof what, "time_ns: %.0f s ahead of the poses before and after it",
             (double)(entry->time_ns - (r->has_poses ? r->poses_ns : 0)) * 1e-9);
    entry->kind = LOG_WRONG;
    r->number = entry->line_number;
    say_damaged(r, &r->counters.damaged, what);
    r->number = number;
    for (size_t i = index; i < log_store_count(r->store); i++) {
        log_entry *one = log_store_entry(r->store, i);

        if (one->kind == LOG_POSES && one->time_ns > high_ns)
            high_ns = one->time_ns;
        one->high_ns = high_ns;
    }
}

static void settle(log_reader *r)
{
    for (; r->settled < log_store_count(r->store); r->settled++) {
        const log_entry *entry = log_store_entry(r->store, r->settled);
        const bool is_leap =
            entry->kind == LOG_POSES && (!r->has_poses || entry->time_ns - RECORDING_LEAP_NS > r->poses_ns);
        uint64_t last = 0;

        if (entry->kind != LOG_POSES)
            continue;
        if (is_leap && (last = last_witness(r, entry->line_number)) > r->number && !r->is_ended)
            return;
        if (is_leap && is_contradicted(r, r->settled, entry->time_ns, last)) {
            leave_out(r, r->settled);
            continue;
        }
        r->has_poses = true;
        r->poses_ns = entry->time_ns;
    }
}

/* ---- lines ---- */

static bool take_header(log_reader *r, const char *line, size_t length)
{
    failure reason = {0};

    if (!recording_read_header(line, length, &r->header, &reason))
        return stop(r, reason.text);
    r->has_header = true;
    r->counters.lines = r->number;
    r->user.header(r->user.context, line, length);
    return true;
}

static bool keep(log_reader *r)
{
    recording_item *item = &r->item;

    item->line_number = r->number;
    item->text = r->line;
    item->text_length = strlen(r->line);
    r->clashes += item->kind == RECORDING_EVENT && strcmp(item->type, "clash") == 0;
    if (item->kind == RECORDING_MARK || (player_takes(item->kind) && item->kind != RECORDING_POSES))
        r->user.line(r->user.context, item);
    return !player_takes(item->kind) || log_store_add(r->store, item) ||
           stop(r, "there is not enough memory for more of it");
}

static bool take_line(log_reader *r, const char *line, size_t length, bool is_torn)
{
    failure reason = {0};

    memcpy(r->line, line, length);
    r->line[length] = '\0';
    r->counters.lines++;
    switch (recording_read_line(r->line, length, &r->item, &reason)) {
    case RECORDING_LINE_DAMAGED:
        say_damaged(r, is_torn ? &r->counters.torn : &r->counters.damaged, reason.text);
        return true;
    case RECORDING_LINE_UNKNOWN:
        r->counters.unknown++;
        r->unreadable = 0;
        return true;
    case RECORDING_LINE_TAKEN:
        break;
    }
    r->unreadable = 0;
    return keep(r);
}

static bool on_whole_line(log_reader *r, const char *line, size_t length, bool is_torn)
{
    r->number++;
    r->unreadable += length + LINE_FEE;
    if (parse_is_blank(line, length)) {
        r->counters.lines += r->has_header;
        return true;
    }
    if (!(r->has_header ? take_line(r, line, length, is_torn) : take_header(r, line, length)))
        return false;
    if (r->unreadable > RECORDING_UNREADABLE_MAX)
        return stop(r, "no line of a recording in 67108864 bytes: nothing behind them is read");
    return true;
}

static bool on_line(void *context, const char *line, size_t length)
{
    return on_whole_line(context, line, length, false);
}

static bool on_torn_line(void *context, const char *line, size_t length)
{
    return on_whole_line(context, line, length, true);
}

static bool on_too_long(void *context)
{
    log_reader *r = context;

    r->number++;
    if (!r->has_header)
        return stop(r, "is longer than 64 KiB; expected a header, {\"type\":\"recording\",\"version\":1,..}");
    r->counters.lines++;
    add_barrier(r);
    say_damaged(r, &r->counters.damaged, "the line is longer than 64 KiB");
    return true;
}

static bool on_nothing(void *context, const char *line, size_t length)
{
    (void)context, (void)line, (void)length;
    return true;
}

/* ---- bytes ---- */

int log_reader_push(log_reader *r, const char *bytes, size_t length)
{
    const framing_listener listener = {.context = r, .line = on_line, .too_long = on_too_long};

    if (r->failure.text[0])
        return -1;
    framing_push(r->framing, bytes, length, &listener);
    settle(r);
    return r->failure.text[0] ? -1 : 0;
}

void log_reader_break(log_reader *r, const char *message, bool is_end)
{
    const framing_listener nobody = {.context = r, .line = on_nothing, .too_long = on_too_long};

    framing_finish(r->framing, &nobody);
    r->number++;
    add_barrier(r);
    r->user.damaged(r->user.context, r->number, message);
    r->number--;
    *(is_end ? &r->counters.torn : &r->counters.damaged) += 1;
    r->unreadable += DAMAGE_FEE;
}

int log_reader_end(log_reader *r)
{
    const framing_listener listener = {.context = r, .line = on_torn_line, .too_long = on_too_long};

    if (!r->failure.text[0])
        framing_finish(r->framing, &listener);
    if (!r->has_header)
        stop(r, "is empty; expected a recording's header");
    r->is_ended = true;
    settle(r);
    return r->failure.text[0] ? -1 : 0;
}

const char *log_reader_error(const log_reader *r)
{
    return r->failure.text;
}

const recording_header *log_reader_header(const log_reader *r)
{
    return r->has_header ? &r->header : NULL;
}

const recording_counters *log_reader_counters(const log_reader *r)
{
    return &r->counters;
}

size_t log_reader_settled(const log_reader *r)
{
    return r->settled;
}

uint64_t log_reader_clashes(const log_reader *r)
{
    return r->clashes;
}
