/* For people: see info_show.h. */
#include "info_show.h"

#include "cli/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define DEGREES 57.29577951308232

/* ---- what looks wrong ---- */

static void describe(const speed_spread *s, const char *what, const char *name, char out_text[INFO_REMARK_MAX])
{
    const speed_sample *f = &s->fastest;

    snprintf(
        out_text, INFO_REMARK_MAX,
        "%s of %s: over %g m/s in %" PRIu64 " of %" PRIu64
        " sample%s, first at %.3f s; the fastest %.1f m/s at %.3f s, "
        "where it went %.2f m and turned %.0f degrees in %.1f ms. That is faster than a person moves a controller: the "
        "tracking may have jumped, or a teleport is not marked as one",
        what, name, s->plausible, s->implausible, s->count, plural_s(s->count), (double)s->first_implausible_ns * 1e-9,
        f->speed, (double)f->time_ns * 1e-9, f->moved, f->turned * DEGREES, (double)f->interval_ns * 1e-6);
}

bool info_remark(const file_info *i, size_t index, char out_text[INFO_REMARK_MAX])
{
    for (size_t n = 0; n < i->device_count + i->blade_count; n++) {
        const info_device *d = &i->devices[n];
        const info_blade *b = n < i->device_count ? NULL : &i->blades[n - i->device_count];
        const speed_spread *s = b ? &b->tip : &d->grip;

        if (s->implausible == 0 || index-- > 0)
            continue;
        describe(s, b ? "tip" : "grip", b ? b->name : d->name, out_text);
        return true;
    }
    return false;
}

/* ---- lines ---- */

static void print_header(const recording_header *h)
{
    time_t begun = (time_t)(h->epoch_unix_ns / 1000000000);
    struct tm parts;
    char date[40];

    printf("recording version %d, space %s\n", h->version, output_text(h->space));
    if (h->clashd[0])
        printf("clashd    %s, session %s%s\n", output_text(h->clashd),
               h->session[0] ? output_text(h->session) : "unknown", h->is_later ? ", begins within it" : "");
    if (h->epoch_unix_ns > 0 && gmtime_r(&begun, &parts) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &parts))
        printf("session   began %s\n", date);
}

/* Print the last one reported. */
static void print_equipment(const file_info *i)
{
    const recording_equipment *e = &i->equipment;

    if (e->runtime[0])
        printf("runtime   %s\n", output_text(e->runtime));
    for (size_t n = 0; n < e->controller_count; n++)
        printf("%-9s %s: %s\n", n == 0 ? "hands" : "", output_text(e->controllers[n].device),
               output_text(e->controllers[n].profile));
    if (i->equipment_changes > 1)
        printf("          %" PRIu64 " change%s: these are the last\n", i->equipment_changes,
               plural_s(i->equipment_changes));
}

/* A peak that is no remark although it is fast: a pose that comes a frame late makes one interval too slow and the next too fast. */
static void print_speed(const char *what, const speed_spread *s)
{
    if (s->count > 0)
        printf(
            "%s median %.2f, 90 %% %.2f, 99 %% %.2f, peak %.2f m/s at %.3f s%s", what, speed_spread_rank(s, 0.5),
            speed_spread_rank(s, 0.9), speed_spread_rank(s, 0.99), s->fastest.speed, (double)s->fastest.time_ns * 1e-9,
            s->implausible == 0 && s->fastest.speed > s->plausible ? " (after a slow interval: a pose came late)" : "");
}

static void print_devices(const file_info *i)
{
    for (size_t n = 0; n < i->device_count; n++) {
        const info_device *d = &i->devices[n];

        printf("%-9s %s: %" PRIu64 " sample%s, %.1f Hz, longest gap %.1f ms (%" PRIu64 " over %g ms)",
               n == 0 ? "devices" : "", output_text(d->name), d->samples, plural_s(d->samples), d->rate_hz,
               (double)d->longest_ns * 1e-6, d->gaps, (double)i->config.contact.max_gap_ms);
        print_speed("\n            grip", &d->grip);
        printf("\n");
    }
    if (i->other_devices)
        printf("          %" PRIu64 " sample%s of more devices\n", i->other_devices, plural_s(i->other_devices));
}

static void print_blades(const file_info *i)
{
    if (i->blade_count == 0)
        printf("blades    none\n");
    for (size_t n = 0; n < i->blade_count; n++) {
        const info_blade *b = &i->blades[n];

        printf("%-9s %s on %s", n == 0 ? "blades" : "", output_text(b->name), output_text(b->device));
        print_speed("\n            tip ", &b->tip);
        printf("\n");
    }
    if (i->other_blades)
        printf("          %" PRIu64 " sample%s of more blades\n", i->other_blades, plural_s(i->other_blades));
}

static void print_remarks(const file_info *i)
{
    char text[INFO_REMARK_MAX];

    for (size_t n = 0; info_remark(i, n, text); n++)
        printf("%-9s %s\n", n == 0 ? "remarks" : "", output_text(text));
}

void info_show_text(const file_info *i)
{
    const detect_report *r = &i->report;
    const pipeline_counters *c = &r->counters;

    print_header(i->header);
    printf("duration  %.3f s, %" PRIu64 " frame%s, %.1f a second\n", i->seconds, r->frames, plural_s(r->frames),
           i->rate_hz);
    print_equipment(i);
    print_devices(i);
    print_blades(i);
    printf("contacts  %" PRIu64 ", %.1f a minute; hardest %.2f m/s, longest %.3f s\n", c->contacts,
           i->contacts_per_minute, i->peak_closing_speed, (double)i->longest_ns * 1e-9);
    printf("samples   %" PRIu64 "; refused: %" PRIu64 " late, %" PRIu64 " not finite, %" PRIu64
           " too far away, %" PRIu64 " with no unit orientation, %" PRIu64 " of too many devices\n",
           c->samples, c->refused_late, c->refused_not_finite, c->refused_too_far, c->refused_not_unit,
           c->refused_unknown);
    printf("lines     %" PRIu64 "; %" PRIu64 " event%s, %" PRIu64 " mark%s, %" PRIu64 " gap%s, %" PRIu64
           " of unknown types, %" PRIu64 " damaged, %" PRIu64 " torn\n",
           r->recording.lines, i->recorded_events, plural_s(i->recorded_events), i->marks, plural_s(i->marks), i->gaps,
           plural_s(i->gaps), r->recording.unknown, r->recording.damaged, r->recording.torn);
    print_remarks(i);
}
