/* See detect_summary.h. */
#include "detect_summary.h"

#include "cli/output.h"
#include "cli/printable.h"
#include "event_text.h"
#include "foreign.h"
#include "mesh/file.h"
#include "offline/detect.h"
#include "protocol/messages/encode.h"

#include <cjson/cJSON.h>
#include <clash/base.h>
#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIG_BYTES_MAX (16u << 20)

typedef struct summary {
    uint64_t bytes; /* of the file, before it was read: what is written into it meanwhile is another one's */
    uint64_t events, clashes;
    float max_closing_speed;
    SHA2_CTX sum; /* of the event lines */
    char damage[FAILURE_MAX];
    detect_report report;
    config_values config;
} summary;

uint64_t detect_summary_bytes(const char *file)
{
    struct stat s;

    return stat(file, &s) == 0 && S_ISREG(s.st_mode) ? (uint64_t)s.st_size : 0;
}

static void digest_of(SHA2_CTX *sum, char out_digest[DETECT_SUMMARY_DIGEST])
{
    static_assert(DETECT_SUMMARY_DIGEST == SHA256_DIGEST_STRING_LENGTH, "what SHA256End writes");
    SHA256End(sum, out_digest);
}

/* What does not depend on a recording is said at once, and not of each of them. */
static bool check_settings(const ctl_layers *layers, failure *out_failure)
{
    config_values *config = calloc(1, sizeof *config);
    bool right = config != NULL;

    if (!right)
        return fail_with(out_failure, "out of memory");
    config_defaults(config);
    right = !layers->config_path || config_load(config, layers->config_path, out_failure) == CONFIG_OK;
    for (size_t i = 0; right && i < layers->set_count; i++)
        if (strncmp(layers->sets[i], "contact.", 8) == 0)
            right = config_set(config, layers->sets[i], out_failure) == CONFIG_OK;
    free(config);
    return right;
}

bool detect_summary_settings(const ctl_layers *layers, char out_digest[DETECT_SUMMARY_DIGEST], failure *out_failure)
{
    char *text = NULL;
    size_t length = 0;
    SHA2_CTX sum;

    out_digest[0] = '\0';
    if (!check_settings(layers, out_failure))
        return false;
    if (!layers->config_path && layers->set_count == 0)
        return true;
    if (layers->config_path && file_read(layers->config_path, CONFIG_BYTES_MAX, &text, &length) != FILE_READ)
        return fail_with(out_failure, "%s: %s", layers->config_path, strerror(errno));
    SHA256Init(&sum);
    SHA256Update(&sum, (const uint8_t *)(text ? text : ""), length);
    for (size_t i = 0; i < layers->set_count; i++) /* the zero behind each parts them */
        SHA256Update(&sum, (const uint8_t *)layers->sets[i], strlen(layers->sets[i]) + 1);
    digest_of(&sum, out_digest);
    free(text);
    return true;
}

/* ---- the line ---- */

static void add_text(json_writer *w, const char *key, const char *value)
{
    encode_key_string(w, key, value);
}

static void add_uint(json_writer *w, const char *key, uint64_t value)
{
    encode_key_uint(w, key, value);
}

static void begin_line(json_writer *w, const char *settings, const char *file, bool is_done, char *text)
{
    json_writer_init(w, text, DETECT_SUMMARY_MAX);
    json_object_begin(w);
    add_text(w, "type", "detect");
    add_text(w, "file", file);
    add_text(w, "result", is_done ? "done" : "failed");
    add_text(w, "version", CLASH_VERSION_STRING);
    if (settings[0])
        add_text(w, "settings_sha256", settings);
}

/* As a terminal may show it, names and messages being from outside. */
static size_t end_line(json_writer *w, char *text, char *out)
{
    size_t length;

    json_object_end(w);
    text[json_writer_finish(w) - 1] = '\0';
    printable_json(text, out, DETECT_SUMMARY_MAX - 1);
    length = strlen(out);
    memcpy(out + length, "\n", 2);
    return length + 1;
}

size_t detect_summary_failed(const char *settings, const char *file, const char *why, char *out)
{
    char text[DETECT_SUMMARY_MAX];
    json_writer w;

    begin_line(&w, settings, file, false, text);
    add_text(&w, "error", why);
    return end_line(&w, text, out);
}

static uint64_t refused_of(const pipeline_counters *c)
{
    return c->refused_late + c->refused_not_finite + c->refused_too_far + c->refused_not_unit + c->refused_unknown;
}

static size_t write_line(summary *s, const char *settings, const char *file, char *out)
{
    const detect_report *r = &s->report;
    char digest[DETECT_SUMMARY_DIGEST];
    char text[DETECT_SUMMARY_MAX];
    json_writer w;

    begin_line(&w, settings, file, true, text);
    add_uint(&w, "bytes", s->bytes);
    add_uint(&w, "frames", r->frames);
    add_uint(&w, "duration_ns", r->last_ns > r->first_ns ? (uint64_t)r->last_ns - (uint64_t)r->first_ns : 0);
    add_uint(&w, "events", s->events);
    add_uint(&w, "clashes", s->clashes);
    add_uint(&w, "contacts", r->counters.contacts);
    if (s->clashes > 0) {
        encode_key_float(&w, "max_closing_speed", s->max_closing_speed);
    }
    add_uint(&w, "refused", refused_of(&r->counters));
    add_uint(&w, "damaged", r->recording.damaged);
    add_uint(&w, "torn", r->recording.torn);
    add_uint(&w, "unknown", r->recording.unknown);
    add_uint(&w, "lost_events", r->lost_lines);
    if (s->damage[0])
        add_text(&w, "first_damage", s->damage);
    digest_of(&s->sum, digest);
    add_text(&w, "events_sha256", digest);
    return end_line(&w, text, out);
}

/* ---- the recording ---- */

static void on_damage(void *context, uint64_t line_number, const char *message)
{
    summary *s = context;

    if (!s->damage[0])
        snprintf(s->damage, sizeof s->damage, "line %" PRIu64 ": %.900s", line_number, message);
}

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    summary *s = context;

    s->events++;
    SHA256Update(&s->sum, (const uint8_t *)line, length);
    if (event->kind != CLASH_EVENT_CLASH)
        return true;
    s->clashes++;
    if (event->as.clash.closing_speed > s->max_closing_speed)
        s->max_closing_speed = event->as.clash.closing_speed;
    return true;
}

static bool detect(summary *s, const ctl_layers *layers, const char *file, failure *out_failure)
{
    const detect_output output = {.context = s, .line = on_event};
    const uint64_t bytes = detect_summary_bytes(file);
    foreign copy;
    failure why = {0};
    const char *path = foreign_begin(&copy, NULL, file, true, &why);
    recording *r = path ? recording_open(path, on_damage, s, &why) : NULL;
    bool done;

    foreign_end(&copy);
    if (!r && path == file && foreign_is_readable(file, true))
        return fail_with(out_failure, "%s (what is read: " FOREIGN_FORMATS ")", why.text);
    if (!r)
        return fail_with(out_failure, "%s", why.text);
    s->bytes = bytes;
    SHA256Init(&s->sum);
    done = ctl_layers_make(layers, file, recording_get_header(r), &s->config, out_failure) == 0 &&
           detect_run(r, &s->config, &output, &s->report, out_failure) == 0;
    recording_close(r);
    return done;
}

bool detect_summary_make(const ctl_layers *layers, const char *settings, const char *file, char *out,
                         size_t *out_length)
{
    summary *s = calloc(1, sizeof *s);
    failure why = {0};
    const bool done = s && detect(s, layers, file, &why);

    if (!s)
        fail_with(&why, "out of memory");
    *out_length = done ? write_line(s, settings, file, out) : detect_summary_failed(settings, file, why.text, out);
    free(s);
    return done;
}

/* ---- the table ---- */

/* Names are last, since how long the longest one is only turns out at the end. */
const char detect_summary_columns[] = " clashes  contacts  max m/s   seconds    frames  refused  damaged  recording\n";

size_t detect_summary_row(const char *line, char out[DETECT_SUMMARY_MAX])
{
    cJSON *message = cJSON_Parse(line);
    const char *name = output_text(message_string(message, "file"));
    char speed[32] = "-";
    int length;

    if (cJSON_HasObjectItem(message, "max_closing_speed"))
        snprintf(speed, sizeof speed, "%.2f", message_number(message, "max_closing_speed"));
    if (strcmp(message_string(message, "result"), "done") == 0)
        length = snprintf(out, DETECT_SUMMARY_MAX, "%8.0f%10.0f%9s%10.1f%10.0f%9.0f%9.0f  %s\n",
                          message_number(message, "clashes"), message_number(message, "contacts"), speed,
                          message_number(message, "duration_ns") * 1e-9, message_number(message, "frames"),
                          message_number(message, "refused"),
                          message_number(message, "damaged") + message_number(message, "torn"), name);
    else
        length = snprintf(out, DETECT_SUMMARY_MAX, "%8s%10s%9s%10s%10s%9s%9s  %s\n", "failed", "-", "-", "-", "-", "-",
                          "-", name);
    cJSON_Delete(message);
    return (size_t)length < DETECT_SUMMARY_MAX ? (size_t)length : DETECT_SUMMARY_MAX - 1;
}
