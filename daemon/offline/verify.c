/* Two queues, of events that the file has and of events that are found: whenever both have one, the oldest are compared.
 * Before the next poses both must be empty, since an event stands behind the poses that it comes of. See verify.h. */
#include "verify.h"

#include "cli/array.h"
#include "protocol/recording/event_difference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one step: some hundreds of megabytes. */
#define WAITING_MAX (1u << 20)

typedef struct waiting_event {
    char *text;
    uint64_t line_number; /* of the recording; of a found one that of the item it came of */
    char *device;         /* of `tracking` with tracked true: whose; else NULL */
    bool may_be_missing;  /* of a found one: what the session knew already when the file began */
} waiting_event;

typedef struct event_queue {
    waiting_event *events;
    size_t first, count, capacity;
} event_queue;

/* Devices of which the file has told since something was missing: only of these it is known whether they are tracked. */
typedef struct known_devices {
    char (*names)[PROTOCOL_NAME_MAX];
    size_t count, capacity;
} known_devices;

typedef struct verification {
    recording *file;
    verify_report *report;
    event_queue recorded, found;
    event_shift shift;
    bool is_settled, is_in_step, has_since, at_end;
    bool is_whole; /* nothing has been missing so far: all devices are known */
    bool is_full;  /* a step has more events than can wait */
    known_devices known;
    int64_t since_ns;            /* of the first poses after what is missing */
    int64_t latest_ns;           /* of all lines so far */
    int64_t max_gap_ns;          /* then the tracks are the same again */
    int64_t open, open_recorded; /* contacts */
    uint64_t line_number;
} verification;

/* Return NULL when out of room or of memory. `device` may be NULL. */
static waiting_event *queue_add(event_queue *q, const char *text, size_t length, const char *device,
                                uint64_t line_number)
{
    char *copy = strndup(text, length), *whose = device ? strdup(device) : NULL;

    if (q->first == q->count)
        q->first = q->count = 0;
    if (!copy || (device && !whose) || q->count == WAITING_MAX ||
        !array_grow(&q->events, q->count, &q->capacity, sizeof *q->events)) {
        free(copy);
        free(whose);
        return NULL;
    }
    q->events[q->count] = (waiting_event){.text = copy, .device = whose, .line_number = line_number};
    return &q->events[q->count++];
}

static waiting_event *queue_head(event_queue *q)
{
    return q->first < q->count ? &q->events[q->first] : NULL;
}

static void queue_drop(event_queue *q)
{
    free(q->events[q->first].text);
    free(q->events[q->first++].device);
}

static void queue_clear(event_queue *q)
{
    while (queue_head(q))
        queue_drop(q);
}

/* ---- what the session knew before the file, or the piece behind a gap, began ---- */

static bool is_known(const verification *v, const char *device)
{
    for (size_t i = 0; i < v->known.count; i++)
        if (strcmp(v->known.names[i], device) == 0)
            return true;
    return v->is_whole;
}

/* When out of memory leave it unknown: then less is compared. */
static void learn(verification *v, const char *device)
{
    known_devices *known = &v->known;

    if (is_known(v, device))
        return;
    if (array_grow(&known->names, known->count, &known->capacity, sizeof *known->names))
        snprintf(known->names[known->count++], PROTOCOL_NAME_MAX, "%s", device);
}

/* Every event has its own number, so whoever leaves one out counts differently from there on. */
static void leave_out_found(verification *v)
{
    queue_drop(&v->found);
    v->shift.seq--;
}

static void leave_out_recorded(verification *v)
{
    v->report->passed++;
    v->shift.seq++;
}

static char *take_text(waiting_event *e)
{
    char *text = e ? e->text : NULL;

    if (e)
        e->text = NULL;
    return text;
}

/* The report's reason says why. */
static void differ(verification *v, waiting_event *recorded, waiting_event *found)
{
    v->report->differs = true;
    v->report->difference = recorded ? recorded->line_number : found ? found->line_number : v->line_number;
    v->report->recorded_line = take_text(recorded);
    v->report->found_line = take_text(found);
}

static void compare(verification *v)
{
    waiting_event *recorded, *found;
    verify_report *report = v->report;

    while (!report->differs && (recorded = queue_head(&v->recorded)) && (found = queue_head(&v->found))) {
        if (found->may_be_missing && (!recorded->device || strcmp(recorded->device, found->device) != 0)) {
            leave_out_found(v);
            continue;
        }
        if (event_difference(recorded->text, found->text, &v->shift, &report->reason)) {
            differ(v, recorded, found);
            return;
        }
        report->compared++;
        queue_drop(&v->recorded);
        queue_drop(&v->found);
    }
}

static bool is_comparing(const verification *v)
{
    return v->is_settled && !v->report->differs && !v->report->is_damaged;
}

/* Lines are missing here, so it is not known what touches now. */
static void unsettle(verification *v, uint64_t open_contacts)
{
    queue_clear(&v->recorded);
    queue_clear(&v->found);
    v->is_settled = v->has_since = v->is_whole = false;
    v->known.count = 0;
    v->open_recorded = (int64_t)open_contacts;
    v->shift = (event_shift){0};
}

static void settle(verification *v, int64_t time_ns)
{
    if (!v->has_since)
        v->since_ns = time_ns;
    v->has_since = true;
    if (v->open <= 0 && v->open_recorded <= 0 && (double)time_ns - (double)v->since_ns > (double)v->max_gap_ns) {
        v->is_settled = true;
        v->shift.has_known_from = true;
        v->shift.known_from_ns = v->latest_ns;
    }
}

/* Compare before the next step: the last one's events are complete on both sides now. */
static void end_step(verification *v)
{
    waiting_event *recorded, *found;

    if (!is_comparing(v))
        return;
    while ((found = queue_head(&v->found)) && found->may_be_missing)
        leave_out_found(v);
    recorded = queue_head(&v->recorded);
    if (!recorded && (!found || v->at_end))
        return;
    fail_with(&v->report->reason, "an event is %s",
              recorded ? "recorded that is not found" : "found that is not recorded");
    differ(v, recorded, recorded ? NULL : found);
}

static void take_recorded(verification *v, const recording_item *item)
{
    bool is_tracked = strcmp(item->type, "tracking") == 0 && item->kind == RECORDING_EVENT;
    bool is_lost = item->kind == RECORDING_TRACKING_LOST, was_known = is_lost && is_known(v, item->device);

    if (is_tracked || is_lost)
        learn(v, item->device);
    v->report->recorded++;
    v->open_recorded += strcmp(item->type, "clash") == 0;
    v->open_recorded -= strcmp(item->type, "release") == 0;
    if (!is_comparing(v)) {
        ++*(v->report->is_damaged ? &v->report->behind_damage : &v->report->passed);
        return;
    }
    if (is_lost && !was_known) {
        leave_out_recorded(v); /* tracked before the file began, and never since: only the session knows of it */
        return;
    }
    v->report->clashes += strcmp(item->type, "clash") == 0;
    if (!queue_add(&v->recorded, item->text, item->text_length, is_tracked ? item->device : NULL, item->line_number))
        v->is_full = true;
    compare(v);
}

static bool is_event(const recording_item *item)
{
    static const char *const types[] = {"clash", "hold", "release", "tracking", "space_changed"};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (item->kind != RECORDING_END && strcmp(item->type, types[i]) == 0)
            return true;
    return false;
}

static void on_item(void *context, const recording_item *item)
{
    verification *v = context;

    v->line_number = item->line_number;
    if (v->latest_ns < item->time_ns)
        v->latest_ns = item->time_ns;
    v->report->is_damaged = recording_get_counters(v->file)->damaged > 0;
    v->at_end = item->kind == RECORDING_END;
    if (v->at_end || (item->kind == RECORDING_POSES && !v->is_in_step))
        end_step(v);
    if (item->kind == RECORDING_POSES) {
        v->is_in_step = item->more;
        if (!v->is_settled && !item->more)
            settle(v, item->time_ns);
    } else if (item->kind == RECORDING_REMOVE && item->device[0]) {
        learn(v, item->device);
    } else if (item->kind == RECORDING_GAP) {
        v->report->gaps++;
        unsettle(v, item->open_contacts);
    } else if (is_event(item)) {
        take_recorded(v, item);
    }
}

static bool on_found(void *context, const clash_event *event, const char *line, size_t length)
{
    verification *v = context;
    const char *device = event->kind == CLASH_EVENT_TRACKING ? event->as.tracking.device : NULL;
    bool is_known_one = !device || is_known(v, device);
    waiting_event *found;

    if (device)
        learn(v, device);
    v->open += event->kind == CLASH_EVENT_CLASH;
    v->open -= event->kind == CLASH_EVENT_RELEASE;
    if (v->at_end || !is_comparing(v))
        return true;
    found = queue_add(&v->found, line, length - 1, device, v->line_number);
    if (found)
        found->may_be_missing = !is_known_one && event->as.tracking.tracked;
    v->is_full = v->is_full || !found;
    compare(v);
    return !v->is_full;
}

int verify_run(recording *r, const config_values *config, verify_report *out_report, failure *out_failure)
{
    const recording_header *header = recording_get_header(r);
    verification v = {.file = r,
                      .report = out_report,
                      .is_settled = !header->is_later,
                      .is_whole = !header->is_later,
                      .open_recorded = (int64_t)header->open_contacts,
                      .latest_ns = INT64_MIN,
                      .max_gap_ns = llround((double)config->contact.max_gap_ms * 1e6)};
    const detect_output output = {.context = &v, .line = on_found, .item = on_item};
    int result;

    *out_report = (verify_report){0};
    if (v.is_settled)
        v.shift.has_seq = v.shift.has_id = true;
    result = detect_run(r, config, &output, &out_report->found, out_failure);
    if (result == 0 && v.is_full) {
        fail_with(out_failure, "line %" PRIu64 ": one step has more than %u events, or there is no memory for them",
                  v.line_number, WAITING_MAX);
        result = -1;
    }
    queue_clear(&v.recorded);
    queue_clear(&v.found);
    free(v.recorded.events);
    free(v.found.events);
    free(v.known.names);
    return result;
}

void verify_finish(verify_report *report)
{
    free(report->recorded_line);
    free(report->found_line);
    report->recorded_line = report->found_line = NULL;
}
