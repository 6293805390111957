/* The ways through a file: the bytes alone, the parse, the parse and the pipeline; and parsers that know nothing of
 * recordings, for comparison. Each is a whole run from opening to closing. */
#include "bench.h"
#include "support/fresh.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "offline/detect.h"
#include "protocol/recording/bytes.h"
#include "protocol/recording/recording.h"

static recording_bytes *open_bytes(const char *path)
{
    failure why = {0};
    recording_bytes *b = recording_bytes_open(path, false, &why);

    if (!b)
        die(path, why.text);
    return b;
}

static bool read_bytes(recording_bytes *b, const char *path, const char **out_bytes, size_t *out_length)
{
    failure why = {0};
    recording_bytes_result result = recording_bytes_read(b, out_bytes, out_length, &why);

    if (result != RECORDING_BYTES_SOME && result != RECORDING_BYTES_END)
        die(path, why.text);
    return result == RECORDING_BYTES_SOME;
}

static uint64_t run_bytes(const char *path)
{
    recording_bytes *b = open_bytes(path);
    const char *bytes;
    size_t length;
    uint64_t count = 0;

    while (read_bytes(b, path, &bytes, &length))
        count += length;
    recording_bytes_close(b);
    return count;
}

uint64_t lines_each(const char *path, void (*take)(void *context, const char *line, size_t length), void *context)
{
    static char line[PROTOCOL_LINE_MAX + BENCH_PADDING];
    recording_bytes *b = open_bytes(path);
    const char *bytes;
    size_t length, held = 0;
    uint64_t count = 0;

    while (read_bytes(b, path, &bytes, &length)) {
        for (const char *end = bytes + length; bytes < end;) {
            const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
            size_t more = (size_t)((newline ? newline : end) - bytes);

            if (held + more > PROTOCOL_LINE_MAX)
                die(path, "a line is too long");
            memcpy(line + held, bytes, more);
            held += more;
            bytes += more + (newline != NULL);
            if (!newline)
                break;
            take(context, line, held);
            count++;
            held = 0;
        }
    }
    recording_bytes_close(b);
    return count;
}

static void parse_bare(void *context, const char *line, size_t length)
{
    cJSON *value = cJSON_ParseWithLength(line, length);

    (void)context;
    if (!value)
        die("cJSON", "cannot parse a line");
    cJSON_Delete(value);
}

static uint64_t run_cjson(const char *path)
{
    return lines_each(path, parse_bare, NULL);
}

static recording *open_recording(const char *path)
{
    failure error = {0};
    recording *r = recording_open(path, NULL, NULL, fresh(&error));

    if (!r)
        die(path, error.text);
    return r;
}

static uint64_t close_recording(recording *r, const char *path)
{
    recording_counters counters = *recording_get_counters(r);

    if (counters.damaged + counters.torn + counters.unknown > 0)
        die(path, "not all lines were taken");
    recording_close(r);
    return counters.lines;
}

static uint64_t run_parse(const char *path)
{
    recording *r = open_recording(path);
    recording_item *item = malloc(sizeof *item);

    if (!item)
        die(path, "out of memory");
    while (recording_next(r, item) != RECORDING_END)
        continue;
    free(item);
    return close_recording(r, path);
}

static bool drop_line(void *context, const clash_event *event, const char *line, size_t length)
{
    (void)context, (void)event, (void)line, (void)length;
    return true;
}

static uint64_t run_pipeline(const char *path)
{
    const detect_output output = {.line = drop_line};
    config_values *config = malloc(sizeof *config);
    detect_report report;
    failure error = {0};
    recording *r = open_recording(path);

    if (!config)
        die(path, "out of memory");
    config_defaults(config);
    if (detect_run(r, config, &output, &report, &error) < 0)
        die(path, error.text);
    free(config);
    return close_recording(r, path);
}

const stage stages[] = {
    {"bytes", "bytes read, nothing done with them", run_bytes},
    {"parse", "and parsed", run_parse},
    {"pipeline", "and through the pipeline, event lines made", run_pipeline},
    {"cjson", "bytes read, and each line through bare cJSON", run_cjson},
#ifdef WITH_SIMDJSON
    {"simdjson", "bytes read, and each line through bare simdjson", simdjson_lines},
#endif
};
const size_t stage_count = sizeof stages / sizeof stages[0];
