/* What engine.js calls: a recording in, and what clashd makes of it. Numbers go in and out as plain arrays in this module's memory,
 * texts as bytes of UTF-8. One recording, one detection, one thread; nothing is imported. */
#include "log_around.h"
#include "log_detection.h"
#include "log_outline.h"
#include "log_reader.h"

#include "offline/contacts_columns.h"
#include "protocol/json/json_writer.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), used))

enum { AROUND = 2 + 2 * 10 }; /* doubles */

static struct {
    char *room;
    size_t room_size;
    log_store *store;
    log_reader *reader;
    config_values config;
    log_detection *detection;
    bool with_holds, is_ended;
    uint64_t holds, lost_lines;
    failure failure;
    char *out; /* lines that engine.js has not taken yet */
    size_t out_length, out_size;
    bool is_out_short;
    double numbers[AROUND];
} engine;

/* ---- what goes out ---- */

static void put_line(const char *line, size_t length)
{
    if (engine.out_size - engine.out_length < length) {
        const size_t size = 2 * engine.out_size + length + 65536;
        char *more = realloc(engine.out, size);

        if (!more) {
            engine.is_out_short = true;
            return;
        }
        engine.out = more;
        engine.out_size = size;
    }
    memcpy(engine.out + engine.out_length, line, length);
    engine.out_length += length;
}

/* {"type":"damaged","line":7,"reason":".."} and the like: not of the protocol, but of this module. */
static void put_message(const char *type, uint64_t line_number, const char *reason)
{
    static char line[2 * PROTOCOL_LINE_MAX];
    json_writer w;

    json_writer_init(&w, line, sizeof line);
    json_object_begin(&w);
    json_key(&w, "type");
    json_string(&w, type);
    json_key(&w, "line");
    json_uint(&w, line_number);
    json_key(&w, "reason");
    json_string(&w, reason);
    json_object_end(&w);
    put_line(line, json_writer_finish(&w));
}

static void on_damaged(void *context, uint64_t line_number, const char *message)
{
    (void)context;
    put_message("damaged", line_number, message);
}

static void on_header(void *context, const char *line, size_t length)
{
    (void)context;
    put_line(line, length);
    put_line("\n", 1);
}

static void on_line(void *context, const recording_item *item)
{
    (void)context;
    put_line(item->text, item->text_length);
    put_line("\n", 1);
}

static void on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    (void)context;
    engine.holds += event->kind == CLASH_EVENT_HOLD;
    engine.lost_lines += length == 0;
    if (event->kind != CLASH_EVENT_HOLD || engine.with_holds)
        put_line(line, length);
}

static void on_problem(void *context, const char *message)
{
    (void)context;
    put_message("problem", 0, message);
}

EXPORT(engine_out) const char *engine_out(void)
{
    return engine.out;
}

/** Bytes of whole lines; they are taken. Return -1 if some were lost, as memory did not suffice. */
EXPORT(engine_take) int engine_take(void)
{
    const size_t length = engine.out_length;

    engine.out_length = 0;
    return engine.is_out_short ? -1 : (int)length;
}

/** Why the last call that can fail did. */
EXPORT(engine_failure) const char *engine_failure(void)
{
    return engine.failure.text;
}

/** The columns of a table of contacts. */
EXPORT(engine_columns) const char *engine_columns(void)
{
    return CONTACTS_COLUMNS;
}

/* ---- the recording ---- */

/** Return a buffer for what engine_push or engine_settings takes; NULL when out of memory. */
EXPORT(engine_room) char *engine_room(uint32_t size)
{
    if (engine.room_size < size) {
        free(engine.room);
        engine.room = malloc(size);
        engine.room_size = engine.room ? size : 0;
    }
    return engine.room;
}

/** Forget everything, and begin a recording. Return 0, or -1 when out of memory. */
EXPORT(engine_begin) int engine_begin(void)
{
    static const log_reader_user user = {.header = on_header, .damaged = on_damaged, .line = on_line};

    log_detection_destroy(engine.detection);
    log_reader_destroy(engine.reader);
    log_store_destroy(engine.store);
    engine.detection = NULL;
    engine.out_length = 0;
    engine.is_out_short = false;
    engine.store = log_store_create();
    engine.reader = engine.store ? log_reader_create(engine.store, &user) : NULL;
    return engine.reader ? 0 : -1;
}

static int reader_result(int result)
{
    engine.failure = (failure){0};
    if (result != 0)
        fail_with(&engine.failure, "%s", log_reader_error(engine.reader));
    return result;
}

/** Push that many bytes of the buffer. Return 0, or -1 if nothing more is read. */
EXPORT(engine_push) int engine_push(uint32_t length)
{
    return reader_result(log_reader_push(engine.reader, engine.room, length));
}

/** Note that bytes are missing here; the buffer says why, ended by a zero. */
EXPORT(engine_break) void engine_break(int is_end)
{
    log_reader_break(engine.reader, engine.room, is_end != 0);
}

EXPORT(engine_end) int engine_end(void)
{
    return reader_result(log_reader_end(engine.reader));
}

EXPORT(engine_has_header) int engine_has_header(void)
{
    return log_reader_header(engine.reader) != NULL;
}

/** By number: 0 entries, 1 settled ones, 2 lines, 3 damaged, 4 torn, 5 unknown, 6 clashes in the file, 7 devices. */
EXPORT(engine_count) double engine_count(int what)
{
    const recording_counters *counters = log_reader_counters(engine.reader);

    switch (what) {
    case 0:
        return (double)log_store_count(engine.store);
    case 1:
        return (double)log_reader_settled(engine.reader);
    case 2:
        return (double)counters->lines;
    case 3:
        return (double)counters->damaged;
    case 4:
        return (double)counters->torn;
    case 5:
        return (double)counters->unknown;
    case 6:
        return (double)log_reader_clashes(engine.reader);
    default:
        return (double)log_store_device_count(engine.store);
    }
}

EXPORT(engine_device) const char *engine_device(uint32_t device)
{
    return log_store_device(engine.store, device);
}

/** Of an entry its time, ns, with the latest one so far behind it in engine_numbers, its line and whether it is poses (1). */
EXPORT(engine_entry) double engine_entry(uint32_t index)
{
    const log_entry *entry = log_store_entry(engine.store, index);

    engine.numbers[0] = (double)entry->high_ns;
    engine.numbers[1] = (double)entry->line_number;
    engine.numbers[2] = entry->kind == LOG_POSES;
    engine.numbers[3] = (double)entry->count;
    return (double)entry->time_ns;
}

/** Index of the last entry not after a time, ns; -1 if there is none. */
EXPORT(engine_find) double engine_find(double time_ns)
{
    const size_t found = log_store_find(engine.store, (int64_t)time_ns);

    return found == SIZE_MAX ? -1.0 : (double)found;
}

EXPORT(engine_numbers) const double *engine_numbers(void)
{
    return engine.numbers;
}

static double *put_sample(double *to, const log_sample *sample)
{
    const clash_pose *pose = &sample->pose;
    const double values[] = {sample->is_there,
                             (double)sample->time_ns,
                             sample->is_tracked,
                             (double)pose->orientation.x,
                             (double)pose->orientation.y,
                             (double)pose->orientation.z,
                             (double)pose->orientation.w,
                             (double)pose->position.x,
                             (double)pose->position.y,
                             (double)pose->position.z};

    memcpy(to, values, sizeof values);
    return to + sizeof values / sizeof values[0];
}

/** Into engine_numbers: whether it is a motion, whether it is lost; then of the sample before and the one behind whether there is
 *  one, its time, whether it is tracked, x y z w of its orientation, and its position. By the settings in force. */
EXPORT(engine_around) void engine_around(uint32_t device, double time_ns)
{
    const pipeline_settings settings = config_pipeline_settings(&engine.config);
    const log_around around = log_find_around(engine.store, device, (int64_t)time_ns, &settings);

    engine.numbers[0] = around.is_motion;
    engine.numbers[1] = around.is_lost;
    put_sample(put_sample(engine.numbers + 2, &around.before), &around.behind);
}

/** Lines that show the room's target, a line of a recording; NULL, with engine_failure. Into engine_numbers: how many, and whether
 *  these are all that its outline has. */
EXPORT(engine_outline) const clash_line *engine_outline(void)
{
    size_t count = 0;
    bool is_whole = false;
    const clash_line *lines;

    engine.failure = (failure){0};
    lines = log_outline(engine.room, &count, &is_whole, &engine.failure);
    engine.numbers[0] = (double)count;
    engine.numbers[1] = is_whole;
    return lines;
}

/* ---- detection ---- */

/** The room's text, a configuration, over the recording's own settings, as clashctl's --config has it; "": those alone. Return 0, or -1.
 *  What is running ends. */
EXPORT(engine_settings) int engine_settings(void)
{
    static config_values made;

    engine.failure = (failure){0};
    config_defaults(&made);
    if (config_apply_header(&made, "the recording", log_reader_header(engine.reader), &engine.failure) != CONFIG_OK ||
        (engine.room[0] && config_apply_text(&made, "settings", engine.room, &engine.failure) != CONFIG_OK))
        return -1;
    engine.config = made;
    return 0;
}

/** Begin to look for contacts under these settings. Return 0, or -1. */
EXPORT(engine_detect) int engine_detect(int with_holds)
{
    static const log_detection_user user = {.event = on_event, .problem = on_problem};

    log_detection_destroy(engine.detection);
    engine.failure = (failure){0};
    engine.holds = engine.lost_lines = 0;
    engine.with_holds = with_holds != 0;
    engine.is_ended = false;
    engine.detection = log_detection_create(engine.store, &engine.config, &user, &engine.failure);
    return engine.detection ? 0 : -1;
}

/** Go on by at most that many entries. Return how many have been looked at in all. */
EXPORT(engine_advance) double engine_advance(uint32_t most)
{
    return (double)log_detection_advance(engine.detection, log_reader_settled(engine.reader), most);
}

/** End: release the contacts that are open. */
EXPORT(engine_finish) void engine_finish(void)
{
    if (!engine.is_ended)
        log_detection_end(engine.detection);
    engine.is_ended = true;
}

/** By number: 0 contacts, 1 holds, 2 samples, 3 refused ones, 4 events too long for a line. */
EXPORT(engine_found) double engine_found(int what)
{
    const pipeline_counters *c = log_detection_counters(engine.detection);

    switch (what) {
    case 0:
        return (double)c->contacts;
    case 1:
        return (double)engine.holds;
    case 2:
        return (double)c->samples;
    case 3:
        return (double)(c->refused_late + c->refused_not_finite + c->refused_too_far + c->refused_not_unit +
                        c->refused_unknown);
    default:
        return (double)engine.lost_lines;
    }
}
