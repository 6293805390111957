/* A clash waits for its release; together they are a row. See contacts_csv.h. */
#include "contacts_csv.h"

#include "cli/array.h"
#include "cli/csv.h"
#include "contacts_columns.h"
#include "protocol/messages/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As contacts_columns.h has them. */
#define WRITE_int64_t(out, value, is_there) (void)(value)
#define WRITE_float(out, value, is_there) ((is_there) ? fprintf(out, ",%.9g", (double)(value)) : fputc(',', out))
#define WRITE(type, member, none) WRITE_##type(out, c->member, c->member != (none));

typedef struct open_contact {
    uint64_t id, seq;
    int64_t time_ns;
    clash_event_clash clash; /* but for the parts: */
    char parts[2][CLASH_PART_NAME_MAX];
} open_contact;

typedef struct table {
    FILE *out;
    open_contact *open;
    size_t count, capacity;
    uint64_t rows, clashes;
    bool is_out_of_memory;
    int error; /* errno of a write */
} table;

static void add_clash(table *t, const clash_event *event)
{
    open_contact *added;

    t->is_out_of_memory = !array_grow(&t->open, t->count, &t->capacity, sizeof *t->open);
    if (t->is_out_of_memory)
        return;
    added = &t->open[t->count++];
    *added = (open_contact){.id = event->id, .seq = event->seq, .time_ns = event->time_ns, .clash = event->as.clash};
    for (int i = 0; i < 2; i++)
        snprintf(added->parts[i], sizeof added->parts[i], "%s",
                 event->as.clash.parts[i] ? event->as.clash.parts[i] : "");
}

static void write_numbers(FILE *out, const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",%.9g", (double)numbers[i]);
}

static void write_vec3(FILE *out, clash_vec3 v)
{
    fprintf(out, ",%.9g,%.9g,%.9g", (double)v.x, (double)v.y, (double)v.z);
}

/* Empty if there is none. */
static void write_seconds(FILE *out, bool is_there, int64_t ns)
{
    if (is_there)
        fprintf(out, ",%.9f", (double)ns * 1e-9);
    else
        fputc(',', out);
}

static void write_surface(FILE *out, const clash_event_clash *c, bool has_target)
{
    if (has_target)
        write_vec3(out, c->surface_normal);
    else
        fputs(",,,", out);
    if (has_target && c->triangle != CLASH_NO_TRIANGLE)
        fprintf(out, ",%" PRIu32, c->triangle);
    else
        fputc(',', out);
}

/* From seq on. */
static void write_more(FILE *out, const open_contact *o, const clash_event *release)
{
    const clash_event_clash *c = &o->clash;

    fprintf(out, ",%" PRIu64 ",", o->seq);
    csv_text(out, release->has_target ? release->blades[1] : "");
    for (int i = 0; i < 2; i++) {
        fputc(',', out);
        csv_text(out, o->parts[i]);
    }
    write_numbers(out, &c->contact.distance, 1);
    write_vec3(out, c->contact.points[0]);
    write_vec3(out, c->contact.points[1]);
    write_vec3(out, c->contact.normal);
    write_surface(out, c, release->has_target);
    write_vec3(out, c->velocities[0]);
    write_vec3(out, c->velocities[1]);
    for (int i = 0; i < 2; i++) {
        if (c->has_edge[i])
            write_numbers(out, &c->edge_alignment[i], 1);
        else
            fputc(',', out);
    }
    fprintf(out, ",%.9g", (double)(float)c->contact.fraction); /* as the line has it */
    write_seconds(out, c->interval_ns > 0, c->interval_ns);
    write_seconds(out, c->has_since_release, c->since_release_ns);
    CLASH_EVENT_FIELDS(WRITE)
}

static void write_row(table *t, const open_contact *o, const clash_event *release)
{
    const clash_event_clash *c = &o->clash;
    const float numbers[] = {
        c->closing_speed,
        c->slide_speed,
        c->crossing_angle,
        c->intensity,
        c->contact.along[0],
        c->contact.along[1],
        c->contact.midpoint.x,
        c->contact.midpoint.y,
        c->contact.midpoint.z,
        release->as.release.peak_closing_speed,
        release->as.release.min_distance,
    };

    fprintf(t->out, "%" PRIu64 ",%.9f,%.9f,", o->id, (double)o->time_ns * 1e-9, (double)release->duration_ns * 1e-9);
    csv_text(t->out, release->blades[0]);
    fputc(',', t->out);
    csv_text(t->out, release->blades[1]);
    write_numbers(t->out, numbers, sizeof numbers / sizeof numbers[0]);
    fprintf(t->out, ",%s,%s", c->tracked ? "yes" : "no", names_release_reason(release->as.release.reason));
    write_more(t->out, o, release);
    fputc('\n', t->out);
    t->rows++;
}

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    table *t = context;

    (void)line, (void)length;
    if (event->kind == CLASH_EVENT_CLASH) {
        t->clashes++;
        add_clash(t, event);
    }
    for (size_t i = 0; event->kind == CLASH_EVENT_RELEASE && i < t->count; i++) {
        if (t->open[i].id != event->id)
            continue;
        write_row(t, &t->open[i], event);
        t->open[i] = t->open[--t->count];
        break;
    }
    if (ferror(t->out) && t->error == 0)
        t->error = errno;
    return !t->is_out_of_memory && t->error == 0;
}

int contacts_csv(recording *r, const config_values *config, FILE *out, contacts_report *out_report,
                 failure *out_failure)
{
    table t = {.out = out};
    const detect_output output = {.context = &t, .line = on_event};
    int result;

    fputs(CONTACTS_COLUMNS "\n", out);
    result = detect_run(r, config, &output, &out_report->found, out_failure);
    if (result == 0 && t.is_out_of_memory)
        result = fail_int(out_failure, "out of memory");
    if (fflush(out) != 0 && t.error == 0)
        t.error = errno;
    out_report->write_error = t.error;
    out_report->rows = t.rows;
    out_report->clashes = t.clashes;
    free(t.open);
    return result;
}
