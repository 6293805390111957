/* For programs: the line of JSON and the table. See info_show.h. */
#include "info_show.h"

#include "cli/csv.h"
#include "cli/output.h"
#include "protocol/messages/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* 64 devices, 64 blades and their remarks, with names whose every character needs six bytes. */
#define LINE_BYTES (1u << 20)

static uint64_t duration_ns(const file_info *i)
{
    return i->report.last_ns > i->report.first_ns ? (uint64_t)i->report.last_ns - (uint64_t)i->report.first_ns : 0;
}

static void add_speeds(json_writer *w, const char *key, const speed_spread *s)
{
    if (s->count == 0)
        return;
    json_object_begin_at(w, key);
    encode_key_uint(w, "count", s->count);
    encode_key_float(w, "median", (float)speed_spread_rank(s, 0.5));
    encode_key_float(w, "p90", (float)speed_spread_rank(s, 0.9));
    encode_key_float(w, "p99", (float)speed_spread_rank(s, 0.99));
    encode_key_float(w, "max", (float)s->fastest.speed);
    encode_key_int(w, "max_time_ns", s->fastest.time_ns);
    encode_key_int(w, "max_interval_ns", s->fastest.interval_ns);
    encode_key_float(w, "max_moved", (float)s->fastest.moved);
    encode_key_float(w, "max_turned", (float)s->fastest.turned);
    encode_key_float(w, "implausible_above", (float)s->plausible);
    encode_key_uint(w, "implausible", s->implausible);
    if (s->implausible > 0)
        encode_key_int(w, "first_implausible_ns", s->first_implausible_ns);
    json_object_end(w);
}

static void add_header(json_writer *w, const file_info *i)
{
    const recording_header *h = i->header;
    char epoch[32];

    encode_key_int(w, "version", h->version);
    encode_key_string(w, "space", h->space);
    if (h->clashd[0])
        encode_key_string(w, "clashd", h->clashd);
    if (h->session[0])
        encode_key_string(w, "session", h->session);
    snprintf(epoch, sizeof epoch, "%" PRId64, h->epoch_unix_ns);
    if (h->epoch_unix_ns > 0)
        encode_key_string(w, "epoch_unix_ns", epoch);
    encode_key_bool(w, "is_later", h->is_later);
    if (i->equipment.runtime[0])
        encode_key_string(w, "runtime", i->equipment.runtime);
    if (i->equipment.controller_count == 0)
        return;
    json_array_begin_at(w, "controllers");
    for (size_t n = 0; n < i->equipment.controller_count; n++) {
        json_object_begin(w);
        encode_key_string(w, "device", i->equipment.controllers[n].device);
        encode_key_string(w, "profile", i->equipment.controllers[n].profile);
        json_object_end(w);
    }
    json_array_end(w);
}

static void add_devices(json_writer *w, const file_info *i)
{
    json_array_begin_at(w, "devices");
    for (size_t n = 0; n < i->device_count; n++) {
        const info_device *d = &i->devices[n];

        json_object_begin(w);
        encode_key_string(w, "device", d->name);
        encode_key_uint(w, "samples", d->samples);
        encode_key_float(w, "rate_hz", (float)d->rate_hz);
        encode_key_int(w, "longest_gap_ns", d->longest_ns);
        encode_key_uint(w, "gaps", d->gaps);
        add_speeds(w, "grip_speed", &d->grip);
        json_object_end(w);
    }
    json_array_end(w);
    encode_key_uint(w, "other_device_samples", i->other_devices);
}

static void add_blades(json_writer *w, const file_info *i)
{
    json_array_begin_at(w, "blades");
    for (size_t n = 0; n < i->blade_count; n++) {
        json_object_begin(w);
        encode_key_string(w, "name", i->blades[n].name);
        encode_key_string(w, "device", i->blades[n].device);
        add_speeds(w, "tip_speed", &i->blades[n].tip);
        json_object_end(w);
    }
    json_array_end(w);
    encode_key_uint(w, "other_blade_samples", i->other_blades);
}

static void add_contacts(json_writer *w, const file_info *i)
{
    encode_key_uint(w, "contacts", i->report.counters.contacts);
    encode_key_float(w, "contacts_per_minute", (float)i->contacts_per_minute);
    json_key(w, "max_closing_speed");
    if (i->report.counters.contacts > 0)
        json_float(w, (float)i->peak_closing_speed);
    else
        json_null(w);
    encode_key_int(w, "longest_contact_ns", i->longest_ns);
}

static void add_counts(json_writer *w, const file_info *i)
{
    const pipeline_counters *c = &i->report.counters;
    const recording_counters *l = &i->report.recording;

    encode_key_uint(w, "samples", c->samples);
    json_object_begin_at(w, "refused");
    encode_key_uint(w, "late", c->refused_late);
    encode_key_uint(w, "not_finite", c->refused_not_finite);
    encode_key_uint(w, "too_far", c->refused_too_far);
    encode_key_uint(w, "not_unit", c->refused_not_unit);
    encode_key_uint(w, "unknown_device", c->refused_unknown);
    json_object_end(w);
    json_object_begin_at(w, "lines");
    encode_key_uint(w, "all", l->lines);
    encode_key_uint(w, "events", i->recorded_events);
    encode_key_uint(w, "marks", i->marks);
    encode_key_uint(w, "gaps", i->gaps);
    encode_key_uint(w, "unknown", l->unknown);
    encode_key_uint(w, "damaged", l->damaged);
    encode_key_uint(w, "torn", l->torn);
    json_object_end(w);
}

static void add_remarks(json_writer *w, const file_info *i)
{
    char text[INFO_REMARK_MAX];

    json_array_begin_at(w, "remarks");
    for (size_t n = 0; info_remark(i, n, text); n++)
        json_string(w, text);
    json_array_end(w);
}

bool info_show_json(const file_info *i, const char *file)
{
    char *line = malloc(LINE_BYTES);
    json_writer w;

    if (!line)
        return false;
    json_writer_init(&w, line, LINE_BYTES);
    json_object_begin(&w);
    encode_key_string(&w, "type", "info");
    encode_key_string(&w, "file", file);
    add_header(&w, i);
    encode_key_uint(&w, "duration_ns", duration_ns(i));
    encode_key_uint(&w, "frames", i->report.frames);
    encode_key_float(&w, "rate_hz", (float)i->rate_hz);
    add_devices(&w, i);
    add_blades(&w, i);
    add_contacts(&w, i);
    add_counts(&w, i);
    add_remarks(&w, i);
    json_object_end(&w);
    output_write(line, json_writer_finish(&w));
    free(line);
    return true;
}

/* ---- the table ---- */

/* RECORDING.md has the same list. Add others only at the end. */
static const char columns[] =
    "file,kind,name,device,duration_s,samples,rate_hz,longest_gap_s,gaps,speed_median,speed_p90,speed_p99,speed_max,"
    "speed_max_time_s,implausible,contacts,contacts_per_minute,closing_speed_max,longest_contact_s,refused,damaged_"
    "lines\n";

static void begin_row(const char *file, const char *kind, const char *name, const char *device)
{
    csv_text(stdout, file);
    printf(",%s,", kind);
    csv_text(stdout, name);
    fputc(',', stdout);
    csv_text(stdout, device);
    fputc(',', stdout);
}

static void end_row(const speed_spread *s)
{
    if (s->count > 0)
        printf("%.9g,%.9g,%.9g,%.9g,%.9f,%" PRIu64, speed_spread_rank(s, 0.5), speed_spread_rank(s, 0.9),
               speed_spread_rank(s, 0.99), s->fastest.speed, (double)s->fastest.time_ns * 1e-9, s->implausible);
    else
        printf(",,,,,");
    printf(",,,,,,\n");
}

void info_show_csv(const file_info *i, const char *file)
{
    const detect_report *r = &i->report;

    fputs(columns, stdout);
    begin_row(file, "recording", "", "");
    printf("%.9f,%" PRIu64 ",%.9g,,,,,,,,,%" PRIu64 ",%.9g,", (double)duration_ns(i) * 1e-9, r->frames, i->rate_hz,
           r->counters.contacts, i->contacts_per_minute);
    if (r->counters.contacts > 0)
        printf("%.9g", i->peak_closing_speed);
    printf(",%.9f,%" PRIu64 ",%" PRIu64 "\n", (double)i->longest_ns * 1e-9, i->refused,
           r->recording.damaged + r->recording.torn);
    for (size_t n = 0; n < i->device_count; n++) {
        const info_device *d = &i->devices[n];

        begin_row(file, "device", d->name, d->name);
        printf(",%" PRIu64 ",%.9g,%.9f,%" PRIu64 ",", d->samples, d->rate_hz, (double)d->longest_ns * 1e-9, d->gaps);
        end_row(&d->grip);
    }
    for (size_t n = 0; n < i->blade_count; n++) {
        begin_row(file, "blade", i->blades[n].name, i->blades[n].device);
        printf(",,,,,");
        end_row(&i->blades[n].tip);
    }
}
