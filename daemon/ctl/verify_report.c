/* See verify_report.h. */
#include "verify_report.h"

#include "cli/csv.h"
#include "cli/output.h"
#include "protocol/messages/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Two lines of a recording whose every character needs six bytes, and the rest. */
#define LINE_BYTES (1u << 20)

static uint64_t duration_ns(const detect_report *r)
{
    return r->last_ns > r->first_ns ? (uint64_t)r->last_ns - (uint64_t)r->first_ns : 0;
}

static void add_line(json_writer *w, const char *key, const char *line)
{
    json_key(w, key);
    if (line)
        json_string(w, line);
    else
        json_null(w);
}

static void add_difference(json_writer *w, const verify_report *r)
{
    json_object_begin_at(w, "difference");
    encode_key_uint(w, "line", r->difference);
    encode_key_string(w, "reason", r->reason.text);
    add_line(w, "recorded", r->recorded_line);
    add_line(w, "found", r->found_line);
    json_object_end(w);
}

void verify_show_json(const verify_report *r, const char *verdict, const char *file)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"compared", r->compared},
                  {"clashes", r->clashes},
                  {"frames", r->found.frames},
                  {"duration_ns", duration_ns(&r->found)},
                  {"gaps", r->gaps},
                  {"passed", r->passed},
                  {"behind_damage", r->behind_damage},
                  {"damaged", r->found.recording.damaged},
                  {"torn", r->found.recording.torn}};
    char *line = malloc(LINE_BYTES);
    json_writer w;

    if (!line) {
        output_error("verify", "out of memory");
        return;
    }
    json_writer_init(&w, line, LINE_BYTES);
    json_object_begin(&w);
    encode_key_string(&w, "type", "verify");
    encode_key_string(&w, "file", file);
    encode_key_string(&w, "verdict", verdict);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        encode_key_uint(&w, counts[i].key, counts[i].value);
    }
    if (r->differs)
        add_difference(&w, r);
    json_object_end(&w);
    output_write(line, json_writer_finish(&w));
    free(line);
}

void verify_show_csv(const verify_report *r, const char *verdict, const char *file)
{
    printf("file,verdict,compared,clashes,frames,duration_s,gaps,passed,behind_damage,damaged,torn,difference_line,"
           "difference_reason\n");
    csv_text(stdout, file);
    printf(",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
           verdict, r->compared, r->clashes, r->found.frames, (double)duration_ns(&r->found) * 1e-9, r->gaps, r->passed,
           r->behind_damage, r->found.recording.damaged, r->found.recording.torn);
    if (r->differs)
        printf("%" PRIu64, r->difference);
    fputc(',', stdout);
    csv_text(stdout, r->differs ? r->reason.text : "");
    fputc('\n', stdout);
}
