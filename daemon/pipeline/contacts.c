/* Holds are due at start + k * period and evaluated on the motion at that very time, so the times of samples do not
 * change them. A contact that begins too slowly is followed like any other, so that its second half is no new contact,
 * but gives no events. */
#include "pipeline/contacts.h"
#include "cli/array.h"

#include <stdlib.h>

/* ns, 11 days: keeps start + period within int64_t for any rate above 0. */
#define HOLD_PERIOD_MAX 1e15

/* An interval with more holds than this stores a run instead of its events. */
#define HOLDS_COLLECTED_MAX 64

/* A contact is one that goes on for so long after a cut. */
#define RESUMED_NS INT64_C(1000000000)

int64_t contacts_hold_period(float hold_rate_hz)
{
    double period;

    if (!(hold_rate_hz > 0.0f))
        return 0;
    period = 1e9 / (double)hold_rate_hz + 0.5;
    return period > HOLD_PERIOD_MAX ? (int64_t)HOLD_PERIOD_MAX : period < 1.0 ? 1 : (int64_t)period;
}

/* ---- a step's events ---- */

static void deliver(const contacts_output *output, step_event *e)
{
    e->event.seq = e->is_peak ? output->counters->events : ++output->counters->events;
    if (!e->is_peak)
        output->deliver(output->context, &e->event);
    else
        output->peak(output->peak_context, &e->event);
}

/* Make room for one more. Return false when out of memory. */
static bool reserve(contacts_output *output)
{
    const size_t capacity = output->capacity ? 2 * output->capacity : 64;
    step_event *events;
    uint32_t *order, *scratch;

    if (output->count < output->capacity)
        return true;
    if ((events = realloc(output->events, capacity * sizeof *events)))
        output->events = events;
    if ((order = realloc(output->order, capacity * sizeof *order)))
        output->order = order;
    if ((scratch = realloc(output->scratch, capacity * sizeof *scratch)))
        output->scratch = scratch;
    if (!events || !order || !scratch)
        return false;
    output->capacity = capacity;
    return true;
}

static bool is_empty(const contacts_output *output)
{
    return output->count + output->run_count == 0;
}

static void note_latest(contacts_output *output, int64_t order_ns)
{
    if (is_empty(output) || order_ns > output->latest_ns)
        output->latest_ns = order_ns;
}

/* Without memory for it, those before it are delivered, and then it, which may be out of order. */
static void collect(contacts_output *output, const clash_event *event, int64_t order_ns, bool is_peak)
{
    if (!reserve(output)) {
        step_event alone = {*event, order_ns, is_peak};

        output->counters->starved++;
        contacts_flush(output);
        deliver(output, &alone);
        return;
    }
    note_latest(output, order_ns);
    output->events[output->count++] = (step_event){*event, order_ns, is_peak};
}

void contacts_deliver(contacts_output *output, const clash_event *event, bool is_last)
{
    const bool is_before = is_last && !is_empty(output) && event->time_ns < output->latest_ns;

    collect(output, event, is_before ? output->latest_ns : event->time_ns, false);
}

/* Merge runs of two, four, eight .. events; equal times stay in order. Most steps have no event, or are sorted already. */
static void sort(contacts_output *output)
{
    const size_t count = output->count;

    for (size_t i = 0; i < count; i++)
        output->order[i] = (uint32_t)i;
    for (size_t width = 1; width < count; width *= 2) {
        uint32_t *merged = output->scratch;

        for (size_t from = 0; from < count; from += 2 * width) {
            const size_t middle = from + width < count ? from + width : count;
            const size_t end = from + 2 * width < count ? from + 2 * width : count;

            for (size_t k = from, left = from, right = middle; k < end; k++) {
                const bool takes_left =
                    left < middle && (right == end || output->events[output->order[left]].order_ns <=
                                                          output->events[output->order[right]].order_ns);

                merged[k] = output->order[takes_left ? left++ : right++];
            }
        }
        output->scratch = output->order;
        output->order = merged;
    }
}

static bool is_sorted(const contacts_output *output)
{
    for (size_t i = 1; i < output->count; i++)
        if (output->events[i].order_ns < output->events[i - 1].order_ns)
            return false;
    return true;
}

/* ---- runs of holds ---- */

static clash_event contact_event(const pair_contact *contact, clash_event_kind kind, const pipeline_opponents *who,
                                 int64_t time_ns)
{
    return (clash_event){.kind = kind,
                         .time_ns = time_ns,
                         .id = contact->id,
                         .blades = {who->blades[0]->name, who->blades[1]->name},
                         .has_target = who->target != NULL,
                         .start_closing_speed = contact->start_closing_speed,
                         .duration_ns = time_ns - contact->start_ns};
}

/* Order runs by their next hold; those with the same time, by when they were collected. */
static bool run_is_before(const contacts_output *output, uint32_t a, uint32_t b)
{
    const int64_t a_ns = output->runs[a].contact.next_hold_ns, b_ns = output->runs[b].contact.next_hold_ns;

    return a_ns < b_ns || (a_ns == b_ns && a < b);
}

static void heap_sink(contacts_output *output, size_t at)
{
    uint32_t *heap = output->heap;

    for (size_t child; (child = 2 * at + 1) < output->heap_count; at = child) {
        const uint32_t run = heap[at];

        if (child + 1 < output->heap_count && run_is_before(output, heap[child + 1], heap[child]))
            child++;
        if (!run_is_before(output, heap[child], run))
            return;
        heap[at] = heap[child];
        heap[child] = run;
    }
}

/* Move the first run on to its next hold after delivering one. */
static void heap_advance(contacts_output *output)
{
    hold_run *run = &output->runs[output->heap[0]];

    run->contact.next_hold_ns += output->hold_period_ns;
    if (run->contact.next_hold_ns > run->until_ns)
        output->heap[0] = output->heap[--output->heap_count];
    heap_sink(output, 0);
}

/* Return whether the first run's hold comes before the next event. If both have the same time, the one collected first does,
 * except that a contact's peak precedes its hold. */
static bool run_is_next(const contacts_output *output)
{
    const hold_run *run;
    const step_event *e;
    size_t place;

    if (output->heap_count == 0 || output->delivered == output->count)
        return output->heap_count > 0;
    place = output->is_sorted ? output->delivered : output->order[output->delivered];
    run = &output->runs[output->heap[0]];
    e = &output->events[place];
    if (run->contact.next_hold_ns != e->order_ns)
        return run->contact.next_hold_ns < e->order_ns;
    return run->place <= place && !(e->is_peak && e->event.id == run->contact.id);
}

/* Compute the hold due at next_hold_ns, and how the blades touch then. Return false if the contact cannot be computed. */
static bool hold_event(const contacts_output *output, const pair_contact *contact, const pair_interval *interval,
                       clash_event *out_event, clash_toi_output *out_touch)
{
    const double offset = (double)(contact->next_hold_ns - interval->from_ns);
    const double fraction = offset / (double)(interval->to_ns - interval->from_ns);

    if (clash_contact_at(&interval->input, fraction, out_touch) == CLASH_SWEEP_INVALID)
        return false;
    *out_event = contact_event(contact, CLASH_EVENT_HOLD, &interval->who, contact->next_hold_ns);
    contact_kinematics_at(interval, out_touch, output->settings, &out_event->as.clash);
    return true;
}

static void run_deliver(contacts_output *output)
{
    hold_run *run = &output->runs[output->heap[0]];
    step_event hold = {.is_peak = false};
    clash_toi_output touch;

    for (int side = 0; side < 2; side++)
        run->interval.input.colliders[side].motion = &run->interval.motions[side];
    if (hold_event(output, &run->contact, &run->interval, &hold.event, &touch))
        deliver(output, &hold);
    heap_advance(output);
}

/* Store the holds up to `until_ns` as a run. Return false if there are few of them, or when out of memory: then collect each. */
static bool run_add(contacts_output *output, const pair_contact *contact, const pair_interval *interval,
                    int64_t until_ns)
{
    const int64_t first_ns = contact->next_hold_ns;
    const size_t capacity = output->run_capacity ? 2 * output->run_capacity : 16;

    if (output->settings->old_rules || until_ns < first_ns ||
        (until_ns - first_ns) / output->hold_period_ns < HOLDS_COLLECTED_MAX)
        return false;
    if (output->run_count == output->run_capacity) {
        if (!array_resize(&output->runs, capacity, sizeof *output->runs) ||
            !array_resize(&output->heap, capacity, sizeof *output->heap))
            return false;
        output->run_capacity = capacity;
    }
    note_latest(output, until_ns - (until_ns - first_ns) % output->hold_period_ns);
    output->runs[output->run_count++] = (hold_run){*interval, *contact, until_ns, output->count};
    return true;
}

void contacts_order(contacts_output *output)
{
    output->is_sorted = output->settings->old_rules || is_sorted(output);
    if (!output->is_sorted)
        sort(output);
    output->heap_count = output->run_count;
    for (size_t i = 0; i < output->run_count; i++)
        output->heap[i] = (uint32_t)i;
    for (size_t i = output->run_count / 2; i-- > 0;)
        heap_sink(output, i);
}

bool contacts_deliver_some(contacts_output *output, size_t most)
{
    for (; most > 0 && (output->delivered < output->count || output->heap_count > 0); most--) {
        if (run_is_next(output)) {
            run_deliver(output);
        } else {
            const size_t next = output->delivered++;

            deliver(output, &output->events[output->is_sorted ? next : output->order[next]]);
        }
    }
    if (output->delivered < output->count || output->heap_count > 0)
        return true;
    output->count = output->delivered = output->run_count = 0;
    return false;
}

void contacts_flush(contacts_output *output)
{
    contacts_order(output);
    contacts_deliver_some(output, SIZE_MAX);
}

void contacts_finish(contacts_output *output)
{
    free(output->events);
    free(output->order);
    free(output->scratch);
    free(output->runs);
    free(output->heap);
}

/* ---- one contact ---- */

/* Round half up. Intervals are short enough that double keeps nanoseconds: longer gaps cut the track. */
static int64_t interval_time(const pair_interval *interval, double fraction)
{
    int64_t duration = interval->to_ns - interval->from_ns;
    int64_t offset = (int64_t)(fraction * (double)duration + 0.5);

    return interval->from_ns + (offset < duration ? offset : duration);
}

static void contact_peak(pair_contact *contact, float closing_speed)
{
    if (closing_speed > contact->peak_closing_speed)
        contact->peak_closing_speed = closing_speed;
}

/* Find how long ago the pair was released. A device that was removed and added again may have earlier times: then
 * report 0. If the release was no separation and the two touch where the sweep begins again, the contact goes on. */
static void contact_find_release(const contacts_output *output, const pipeline_opponents *who, int64_t start_ns,
                                 clash_event_clash *out_clash)
{
    const release_time *last =
        release_times_find(output->release_times, (const char *const[2]){who->blades[0]->name, who->blades[1]->name});

    out_clash->has_since_release = last != NULL;
    if (last && start_ns > last->time_ns)
        out_clash->since_release_ns = start_ns - last->time_ns;
    out_clash->resumed = last && last->is_cut && out_clash->contact.fraction == 0.0 && start_ns >= last->time_ns &&
                         out_clash->since_release_ns <= RESUMED_NS;
}

/* If the contact closes faster than before, offer it to subscribers that left it out when it began. */
static void contact_look(pair_contact *contact, contacts_output *output, const pair_interval *interval,
                         const clash_toi_output *touch, int64_t time_ns)
{
    clash_event event;

    if (!output->peak || !(contact_closing_speed(interval, &touch->contact) > contact->seen_closing_speed))
        return;
    event = contact_event(contact, CLASH_EVENT_CLASH, &interval->who, time_ns);
    contact_kinematics_at(interval, touch, output->settings, &event.as.clash);
    event.as.clash.late = true;
    event.as.clash.has_since_release = contact->has_since_release;
    event.as.clash.since_release_ns = contact->since_release_ns;
    contact->seen_closing_speed = event.as.clash.closing_speed;
    collect(output, &event, event.time_ns, true);
}

static void contact_start(pair_contact *contact, contacts_output *output, const pair_interval *interval,
                          const clash_toi_output *touch)
{
    const pipeline_settings *settings = output->settings;
    clash_event_clash clash;
    clash_event event;

    contact_kinematics_at(interval, touch, settings, &clash);
    output->counters->contacts++;
    /* without a threshold, report even blades that are found together while they separate */
    contact->reported = !(settings->min_closing_speed > 0.0f && clash.closing_speed < settings->min_closing_speed);
    if (!contact->reported)
        return;
    contact->id = ++output->last_id;
    contact->start_ns = interval_time(interval, touch->contact.fraction);
    contact->next_hold_ns = contact->start_ns + output->hold_period_ns;
    contact->start_closing_speed = clash.closing_speed;
    contact->peak_closing_speed = clash.closing_speed;
    contact->seen_closing_speed = clash.closing_speed > 0.0f ? clash.closing_speed : 0.0f;
    contact_find_release(output, &interval->who, contact->start_ns, &clash);
    contact->has_since_release = clash.has_since_release;
    contact->since_release_ns = clash.since_release_ns;
    event = contact_event(contact, CLASH_EVENT_CLASH, &interval->who, contact->start_ns);
    event.as.clash = clash;
    contacts_deliver(output, &event, false);
}

static void contact_release(pair_contact *contact, contacts_output *output, const pipeline_opponents *who,
                            int64_t time_ns, float min_distance, clash_release_reason reason)
{
    clash_event event;

    if (!contact->reported)
        return;
    event = contact_event(contact, CLASH_EVENT_RELEASE, who, time_ns);
    event.as.release = (clash_event_release){
        .min_distance = min_distance, .peak_closing_speed = contact->peak_closing_speed, .reason = reason};
    contact->reported = false;
    release_times_note(output->release_times, event.blades, time_ns, reason != CLASH_RELEASE_APART);
    contacts_deliver(output, &event, false);
}

/* Send the holds due up to and including `until_ns`, which is in the interval. */
static void contact_holds(pair_contact *contact, contacts_output *output, const pair_interval *interval,
                          int64_t until_ns)
{
    bool is_run;

    if (!contact->reported || output->hold_period_ns == 0)
        return;
    is_run = run_add(output, contact, interval, until_ns);
    for (; contact->next_hold_ns <= until_ns; contact->next_hold_ns += output->hold_period_ns) {
        clash_toi_output touch;
        clash_event event;

        if (!hold_event(output, contact, interval, &event, &touch))
            continue;
        contact_peak(contact, event.as.clash.closing_speed);
        contact_look(contact, output, interval, &touch, contact->next_hold_ns);
        if (!is_run)
            contacts_deliver(output, &event, false);
    }
}

/* The contact goes on beyond the interval. */
static void contact_continue(pair_contact *contact, contacts_output *output, const pair_interval *interval)
{
    clash_toi_output touch;

    contact_holds(contact, output, interval, interval->to_ns);
    if (!contact->reported || clash_contact_at(&interval->input, 1.0, &touch) == CLASH_SWEEP_INVALID)
        return;
    contact_peak(contact, contact_closing_speed(interval, &touch.contact));
    contact_look(contact, output, interval, &touch, interval->to_ns);
}

/* The contact continues into this interval, maybe not to its end: its start has a new speed. */
static void contact_enter(pair_contact *contact, contacts_output *output, const pair_interval *interval)
{
    clash_toi_output touch;

    if (output->peak && contact->reported && clash_contact_at(&interval->input, 0.0, &touch) != CLASH_SWEEP_INVALID)
        contact_look(contact, output, interval, &touch, interval->from_ns);
}

void contacts_sweep(pair_contact *contact, contacts_output *output, const pair_interval *interval)
{
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    size_t count;

    if (contact->state.touching)
        contact_enter(contact, output, interval);
    count = clash_contact_advance(&contact->state, &interval->input, changes);
    output->counters->sweeps++;
    for (size_t i = 0; i < count; i++) {
        int64_t time_ns = interval_time(interval, changes[i].impact.contact.fraction);

        if (changes[i].kind == CLASH_CONTACT_START) {
            contact_start(contact, output, interval, &changes[i].impact);
        } else {
            contact_holds(contact, output, interval, time_ns - 1);
            contact_release(contact, output, &interval->who, time_ns, changes[i].min_distance, CLASH_RELEASE_APART);
        }
    }
    if (contact->state.touching)
        contact_continue(contact, output, interval);
}

void contacts_abandon(pair_contact *contact, contacts_output *output, const pipeline_opponents *who, int64_t time_ns,
                      clash_release_reason reason)
{
    if (contact->state.touching)
        contact_release(contact, output, who, time_ns, contact->state.min_distance, reason);
    contact->state = (clash_contact_state){0};
}
