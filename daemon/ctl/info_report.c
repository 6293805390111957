/* For programs: the line of JSON and the table. See info_show.h. */
#include "info_show.h"

#include "cli/csv.h"
#include "cli/output.h"
#include "protocol/json/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* 64 devices, 64 blades and their remarks, with names whose every character needs six bytes. */
#define LINE_BYTES (1u << 20)

static void add_uint(json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_uint(w, value);
}

static void add_int(json_writer *w, const char *key, int64_t value)
{
    json_key(w, key);
    json_int(w, value);
}

static void add_number(json_writer *w, const char *key, double value)
{
    json_key(w, key);
    json_float(w, (float)value);
}

static void add_text(json_writer *w, const char *key, const char *value)
{
    json_key(w, key);
    json_string(w, value);
}

static uint64_t duration_ns(const app_info *i)
{
    return i->report.last_ns > i->report.first_ns ? (uint64_t)i->report.last_ns - (uint64_t)i->report.first_ns : 0;
}

static void add_speeds(json_writer *w, const char *key, const speed_spread *s)
{
    if (s->count == 0)
        return;
    json_key(w, key);
    json_object_begin(w);
    add_uint(w, "count", s->count);
    add_number(w, "median", speed_spread_rank(s, 0.5));
    add_number(w, "p90", speed_spread_rank(s, 0.9));
    add_number(w, "p99", speed_spread_rank(s, 0.99));
    add_number(w, "max", s->fastest.speed);
    add_int(w, "max_time_ns", s->fastest.time_ns);
    add_int(w, "max_interval_ns", s->fastest.interval_ns);
    add_number(w, "max_moved", s->fastest.moved);
    add_number(w, "max_turned", s->fastest.turned);
    add_number(w, "implausible_above", s->plausible);
    add_uint(w, "implausible", s->implausible);
    if (s->implausible > 0)
        add_int(w, "first_implausible_ns", s->first_implausible_ns);
    json_object_end(w);
}

static void add_header(json_writer *w, const app_info *i)
{
    const recording_header *h = i->header;
    char epoch[32];

    add_int(w, "version", h->version);
    add_text(w, "space", h->space);
    if (h->clashd[0])
        add_text(w, "clashd", h->clashd);
    if (h->session[0])
        add_text(w, "session", h->session);
    snprintf(epoch, sizeof epoch, "%" PRId64, h->epoch_unix_ns);
    if (h->epoch_unix_ns > 0)
        add_text(w, "epoch_unix_ns", epoch);
    json_key(w, "is_later");
    json_bool(w, h->is_later);
    if (i->equipment.runtime[0])
        add_text(w, "runtime", i->equipment.runtime);
    if (i->equipment.controller_count == 0)
        return;
    json_key(w, "controllers");
    json_array_begin(w);
    for (size_t n = 0; n < i->equipment.controller_count; n++) {
        json_object_begin(w);
        add_text(w, "device", i->equipment.controllers[n].device);
        add_text(w, "profile", i->equipment.controllers[n].profile);
        json_object_end(w);
    }
    json_array_end(w);
}

static void add_devices(json_writer *w, const app_info *i)
{
    json_key(w, "devices");
    json_array_begin(w);
    for (size_t n = 0; n < i->device_count; n++) {
        const info_device *d = &i->devices[n];

        json_object_begin(w);
        add_text(w, "device", d->name);
        add_uint(w, "samples", d->samples);
        add_number(w, "rate_hz", d->rate_hz);
        add_int(w, "longest_gap_ns", d->longest_ns);
        add_uint(w, "gaps", d->gaps);
        add_speeds(w, "grip_speed", &d->grip);
        json_object_end(w);
    }
    json_array_end(w);
    add_uint(w, "other_device_samples", i->other_devices);
}

static void add_blades(json_writer *w, const app_info *i)
{
    json_key(w, "blades");
    json_array_begin(w);
    for (size_t n = 0; n < i->blade_count; n++) {
        json_object_begin(w);
        add_text(w, "name", i->blades[n].name);
        add_text(w, "device", i->blades[n].device);
        add_speeds(w, "tip_speed", &i->blades[n].tip);
        json_object_end(w);
    }
    json_array_end(w);
    add_uint(w, "other_blade_samples", i->other_blades);
}

static void add_contacts(json_writer *w, const app_info *i)
{
    add_uint(w, "contacts", i->report.counters.contacts);
    add_number(w, "contacts_per_minute", i->contacts_per_minute);
    json_key(w, "max_closing_speed");
    if (i->report.counters.contacts > 0)
        json_float(w, (float)i->peak_closing_speed);
    else
        json_null(w);
    add_int(w, "longest_contact_ns", i->longest_ns);
}

static void add_counts(json_writer *w, const app_info *i)
{
    const pipeline_counters *c = &i->report.counters;
    const recording_counters *l = &i->report.recording;

    add_uint(w, "samples", c->samples);
    json_key(w, "refused");
    json_object_begin(w);
    add_uint(w, "late", c->refused_late);
    add_uint(w, "not_finite", c->refused_not_finite);
    add_uint(w, "too_far", c->refused_too_far);
    add_uint(w, "not_unit", c->refused_not_unit);
    add_uint(w, "unknown_device", c->refused_unknown);
    json_object_end(w);
    json_key(w, "lines");
    json_object_begin(w);
    add_uint(w, "all", l->lines);
    add_uint(w, "events", i->recorded_events);
    add_uint(w, "marks", i->marks);
    add_uint(w, "gaps", i->gaps);
    add_uint(w, "unknown", l->unknown);
    add_uint(w, "damaged", l->damaged);
    add_uint(w, "torn", l->torn);
    json_object_end(w);
}

static void add_remarks(json_writer *w, const app_info *i)
{
    char text[INFO_REMARK_MAX];

    json_key(w, "remarks");
    json_array_begin(w);
    for (size_t n = 0; info_remark(i, n, text); n++)
        json_string(w, text);
    json_array_end(w);
}

bool info_show_json(const app_info *i, const char *file)
{
    char *line = malloc(LINE_BYTES);
    json_writer w;

    if (!line)
        return false;
    json_writer_init(&w, line, LINE_BYTES);
    json_object_begin(&w);
    add_text(&w, "type", "info");
    add_text(&w, "file", file);
    add_header(&w, i);
    add_uint(&w, "duration_ns", duration_ns(i));
    add_uint(&w, "frames", i->report.frames);
    add_number(&w, "rate_hz", i->rate_hz);
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

void info_show_csv(const app_info *i, const char *file)
{
    const app_detect_report *r = &i->report;

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
