/* A clash waits for its release; together they are a row. See contacts_csv.h. */
#include "contacts_csv.h"

#include "detect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct open_contact {
    uint64_t id;
    int64_t time_ns;
    clash_event_clash clash;
} open_contact;

typedef struct table {
    FILE *out;
    open_contact *open;
    size_t count, capacity;
    uint64_t rows;
    bool is_out_of_memory;
} table;

static void add_clash(table *t, const clash_event *event)
{
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 16;
        open_contact *more = realloc(t->open, capacity * sizeof *more);

        if (!more) {
            t->is_out_of_memory = true;
            return;
        }
        t->open = more;
        t->capacity = capacity;
    }
    t->open[t->count++] = (open_contact){event->id, event->time_ns, event->as.clash};
}

/* In quotes where it needs them. */
static void write_text(FILE *out, const char *text)
{
    bool needs_quotes = strpbrk(text, ",\"\r\n") != NULL;

    if (needs_quotes)
        fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (needs_quotes)
        fputc('"', out);
}

static void write_numbers(FILE *out, const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",%.9g", (double)numbers[i]);
}

static void write_row(table *t, const open_contact *o, const clash_event *release)
{
    static const char *const reasons[] = {
        [CLASH_RELEASE_APART] = "apart", [CLASH_RELEASE_TRACK_CUT] = "track_cut", [CLASH_RELEASE_REMOVED] = "removed"};
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
    write_text(t->out, release->blades[0]);
    fputc(',', t->out);
    write_text(t->out, release->blades[1]);
    write_numbers(t->out, numbers, sizeof numbers / sizeof numbers[0]);
    fprintf(t->out, ",%s,%s\n", c->tracked ? "yes" : "no", reasons[release->as.release.reason]);
    t->rows++;
}

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    table *t = context;

    (void)line, (void)length;
    if (event->kind == CLASH_EVENT_CLASH)
        add_clash(t, event);
    for (size_t i = 0; event->kind == CLASH_EVENT_RELEASE && i < t->count; i++) {
        if (t->open[i].id != event->id)
            continue;
        write_row(t, &t->open[i], event);
        t->open[i] = t->open[--t->count];
        break;
    }
    return !t->is_out_of_memory && !ferror(t->out);
}

int app_contacts_csv(recording *r, const char *origin, FILE *out, uint64_t *out_count, char *out_error)
{
    app_config *config = malloc(sizeof *config);
    table t = {.out = out};
    const app_detect_output output = {.context = &t, .line = on_event};
    app_detect_report report;
    int result = -1;

    if (!config) {
        snprintf(out_error, APP_ERROR_MAX, "out of memory");
        return -1;
    }
    app_config_defaults(config);
    fputs("contact,time_s,duration_s,blade,other_blade,closing_speed,slide_speed,crossing_angle,intensity,along,other_"
          "along,"
          "x,y,z,peak_closing_speed,min_distance,tracked,reason\n",
          out);
    if (app_config_apply_header(config, origin, recording_get_header(r), out_error) == APP_CONFIG_OK)
        result = app_detect(r, config, &output, &report, out_error);
    if (result == 0 && (t.is_out_of_memory || ferror(out))) {
        snprintf(out_error, APP_ERROR_MAX, "%s", t.is_out_of_memory ? "out of memory" : strerror(errno));
        result = -1;
    }
    *out_count = t.rows;
    free(t.open);
    free(config);
    return result;
}
