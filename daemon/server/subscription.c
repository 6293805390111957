/* The filters of one client. See subscription.h. */
#include "subscription.h"

#include <stdio.h>
#include <string.h>

/* Return whether it names a blade or a target, whose contacts are asked for alike; a blade that is set aside may come
 * back. */
static bool is_blade(const protocol_session *session, const char *name)
{
    for (size_t i = 0; i < session->blade_count; i++)
        if (strcmp(session->blades[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < session->target_count; i++)
        if (strcmp(session->targets[i]->name, name) == 0)
            return true;
    for (size_t i = 0; i < session->set_aside_count; i++)
        if (strcmp(session->set_aside[i], name) == 0)
            return true;
    return false;
}

/* List whole names only, as many as fit: a cut name could end in half a character. `hello` has them all. */
static void report_unknown_blade(const protocol_session *session, const char *name, protocol_error *out_error)
{
    static const char and_more[] = ", ...";
    char *out = out_error->message;
    const size_t size = sizeof out_error->message;
    size_t length;

    out_error->code = PROTOCOL_ERROR_UNKNOWN_NAME;
    length = (size_t)snprintf(out, size, "blades: there is no blade \"%s\"; there are%s", name,
                              session->blade_count > 0 ? "" : " none");
    for (size_t i = 0; i < session->blade_count; i++) {
        const char *known = session->blades[i].name;

        if (length + strlen(known) + sizeof ", \"\"" + sizeof and_more > size) {
            snprintf(out + length, size - length, "%s", and_more);
            return;
        }
        length += (size_t)snprintf(out + length, size - length, "%s\"%s\"", i > 0 ? ", " : " ", known);
    }
}

int subscription_set(subscription *s, const protocol_subscribe *wanted, const protocol_session *session,
                     protocol_error *out_error)
{
    for (size_t i = 0; i < wanted->blade_count; i++) {
        if (!is_blade(session, wanted->blades[i])) {
            report_unknown_blade(session, wanted->blades[i], out_error);
            return -1;
        }
    }
    subscription_finish(s);
    *s = (subscription){.wanted = *wanted};
    return 0;
}

void subscription_finish(subscription *s)
{
    reported_pairs_finish(&s->pairs);
}

static uint32_t bit_of(clash_event_kind kind)
{
    switch (kind) {
    case CLASH_EVENT_CLASH:
        return PROTOCOL_EVENT_CLASH;
    case CLASH_EVENT_HOLD:
        return PROTOCOL_EVENT_HOLD;
    case CLASH_EVENT_RELEASE:
        return PROTOCOL_EVENT_RELEASE;
    case CLASH_EVENT_TRACKING:
        return PROTOCOL_EVENT_TRACKING;
    case CLASH_EVENT_SPACE_CHANGED:
        return PROTOCOL_EVENT_SPACE_CHANGED;
    }
    return 0;
}

static bool has_wanted_blade(const protocol_subscribe *wanted, const clash_event *event)
{
    if (wanted->blade_count == 0)
        return true;
    for (size_t i = 0; i < wanted->blade_count; i++)
        if (strcmp(wanted->blades[i], event->blades[0]) == 0 || strcmp(wanted->blades[i], event->blades[1]) == 0)
            return true;
    return false;
}

/* Return whether a contact is reported from its start. All its events are judged by how it began, so that none comes
 * without its `clash`. Without a limit none is left out, not even one that began while the blades were separating (a
 * closing speed below 0). */
static bool is_reported_at_start(const protocol_subscribe *wanted, float speed)
{
    if (!(wanted->min_closing_speed > 0.0f) && !(wanted->min_peak_speed > 0.0f))
        return true;
    return (wanted->min_closing_speed > 0.0f && speed >= wanted->min_closing_speed) ||
           (wanted->min_peak_speed > 0.0f && speed >= wanted->min_peak_speed);
}

static bool begin_contact(subscription *s, const clash_event *event)
{
    reported_pair *pair = reported_pairs_find(&s->pairs, event->blades);

    if (pair)
        pair->id = 0;
    if (pair && pair->has_parted && event->time_ns - pair->parted_ns < s->wanted.min_apart_ns) {
        pair->id = event->id;
        pair->is_left_out = true;
        return false;
    }
    return is_reported_at_start(&s->wanted, event->start_closing_speed);
}

static bool goes_on(subscription *s, const clash_event *event)
{
    const reported_pair *pair = reported_pairs_find(&s->pairs, event->blades);

    if (pair && pair->id == event->id)
        return !pair->is_left_out;
    return is_reported_at_start(&s->wanted, event->start_closing_speed);
}

static bool end_contact(subscription *s, const clash_event *event)
{
    const bool is_reported = goes_on(s, event);
    reported_pair *pair = reported_pairs_find(&s->pairs, event->blades);

    s->late_speed = 0.0f;
    if (pair && pair->id == event->id) {
        s->late_speed = pair->is_left_out ? 0.0f : pair->late_speed;
        pair->id = 0;
    }
    if (!is_reported || s->wanted.min_apart_ns == 0)
        return is_reported;
    pair = reported_pairs_get(&s->pairs, event->blades, event->time_ns, s->wanted.min_apart_ns);
    if (pair) {
        pair->has_parted = true;
        pair->parted_ns = event->time_ns;
    }
    return true;
}

static bool wants_contact(subscription *s, const clash_event *event)
{
    if (event->kind == CLASH_EVENT_CLASH)
        return begin_contact(s, event);
    return event->kind == CLASH_EVENT_HOLD ? goes_on(s, event) : end_contact(s, event);
}

bool subscription_wants_event(subscription *s, const clash_event *event)
{
    const bool is_asked_for = (s->wanted.events & bit_of(event->kind)) != 0;

    if (event->kind == CLASH_EVENT_TRACKING || event->kind == CLASH_EVENT_SPACE_CHANGED)
        return is_asked_for;
    return has_wanted_blade(&s->wanted, event) && wants_contact(s, event) && is_asked_for;
}

bool subscription_wants_late(subscription *s, const clash_event *late)
{
    reported_pair *pair;

    if (!(s->wanted.min_peak_speed > 0.0f) || late->as.clash.closing_speed < s->wanted.min_peak_speed ||
        is_reported_at_start(&s->wanted, late->start_closing_speed) || !has_wanted_blade(&s->wanted, late))
        return false;
    pair = reported_pairs_get(&s->pairs, late->blades, late->time_ns, s->wanted.min_apart_ns);
    if (!pair || pair->id == late->id) /* left out, or reported */
        return false;
    pair->id = late->id;
    pair->is_left_out = false;
    pair->late_speed = late->as.clash.closing_speed;
    return (s->wanted.events & PROTOCOL_EVENT_CLASH) != 0;
}

bool subscription_remembers(const subscription *s)
{
    return s->wanted.min_apart_ns > 0 || s->wanted.min_peak_speed > 0.0f;
}

bool subscription_wants_any_poses(const subscription *s)
{
    return (s->wanted.events & PROTOCOL_EVENT_POSES) != 0;
}

/* The next frame is due one period after the last was due, not after it came: else a rate that does not divide the
 * source's would drop to one that does. Start again if the clock went back, or stood still for more than a period. */
bool subscription_take_poses(subscription *s, uint32_t device, int64_t time_ns)
{
    const uint32_t pace = device % SUBSCRIPTION_PACES;
    int64_t period_ns;

    if (!subscription_wants_any_poses(s))
        return false;
    if (!(s->wanted.pose_rate_hz > 0.0f) || (s->paces[pace].has_sent && time_ns == s->paces[pace].last_ns))
        return true;
    /* limit to a day, which keeps the sum within its type */
    double period = 1e9 / (double)s->wanted.pose_rate_hz;
    period_ns = period < 86400e9 ? (int64_t)period : INT64_C(86400000000000);
    if (s->paces[pace].has_sent && time_ns >= s->paces[pace].last_ns && time_ns < s->paces[pace].next_ns)
        return false;
    if (s->paces[pace].has_sent && time_ns >= s->paces[pace].next_ns && time_ns - s->paces[pace].next_ns < period_ns)
        s->paces[pace].next_ns += period_ns;
    else
        s->paces[pace].next_ns = time_ns + period_ns;
    s->paces[pace].has_sent = true;
    s->paces[pace].last_ns = time_ns;
    return true;
}
