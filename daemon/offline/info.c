/* Counts what is in a recording: see info.h. */
#include "info.h"

#include <stdio.h>
#include <string.h>

typedef struct making {
    file_info *info;
    speeds *speeds;
} making;

static info_device *find_device(file_info *i, const char *name)
{
    info_device *d = i->devices;

    while (d < i->devices + i->device_count && strcmp(d->name, name) != 0)
        d++;
    if (d < i->devices + i->device_count)
        return d;
    if (i->device_count == INFO_DEVICES_MAX)
        return NULL;
    snprintf(d->name, sizeof d->name, "%s", name);
    d->grip.plausible = SPEEDS_GRIP_PLAUSIBLE;
    i->device_count++;
    return d;
}

/* Take the same name on another device for another blade. */
static info_blade *find_blade(file_info *i, const char *name, const char *device)
{
    info_blade *b = i->blades;

    while (b < i->blades + i->blade_count && (strcmp(b->name, name) != 0 || strcmp(b->device, device) != 0))
        b++;
    if (b < i->blades + i->blade_count)
        return b;
    if (i->blade_count == INFO_BLADES_MAX)
        return NULL;
    snprintf(b->name, sizeof b->name, "%s", name);
    snprintf(b->device, sizeof b->device, "%s", device);
    b->tip.plausible = SPEEDS_TIP_PLAUSIBLE;
    i->blade_count++;
    return b;
}

static void on_speed(void *context, const speed_sample *sample)
{
    making *m = context;
    info_device *d;
    info_blade *b;

    if (!sample->blade) {
        if ((d = find_device(m->info, sample->device)) != NULL)
            speed_spread_add(&d->grip, sample);
    } else if ((b = find_blade(m->info, sample->blade, sample->device)) != NULL) {
        speed_spread_add(&b->tip, sample);
    } else {
        m->info->other_blades++;
    }
}

static void add_sample(file_info *i, const char *name, int64_t time_ns)
{
    info_device *d = find_device(i, name);

    if (!d) {
        i->other_devices++;
        return;
    }
    if (d->samples++ == 0) {
        d->first_ns = time_ns;
    } else if (time_ns > d->last_ns) {
        const double apart_ns = (double)time_ns - (double)d->last_ns;

        d->gaps += apart_ns > (double)i->config.contact.max_gap_ms * 1e6;
        if (apart_ns > (double)d->longest_ns)
            d->longest_ns = (int64_t)apart_ns;
    }
    d->last_ns = time_ns;
}

static void on_item(void *context, const recording_item *item)
{
    making *m = context;
    file_info *i = m->info;

    if (item->kind == RECORDING_POSES)
        for (size_t p = 0; p < item->pose_count; p++)
            add_sample(i, item->poses[p].device, item->time_ns);
    if (item->kind == RECORDING_EQUIPMENT) {
        i->equipment = item->equipment;
        i->equipment_changes++;
    }
    i->gaps += item->kind == RECORDING_GAP;
    i->marks += item->kind == RECORDING_MARK;
    i->recorded_events +=
        item->kind == RECORDING_EVENT || item->kind == RECORDING_TRACKING_LOST || item->kind == RECORDING_SPACE_CHANGED;
    speeds_add(m->speeds, item);
}

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    file_info *i = ((making *)context)->info;

    (void)line, (void)length;
    if (event->kind == CLASH_EVENT_RELEASE && event->duration_ns > i->longest_ns)
        i->longest_ns = event->duration_ns;
    if (event->kind == CLASH_EVENT_CLASH && (double)event->start_closing_speed > i->peak_closing_speed)
        i->peak_closing_speed = (double)event->start_closing_speed;
    return true;
}

static double rate(uint64_t count, double seconds)
{
    return seconds > 0.0 ? (double)count / seconds : 0.0;
}

static void finish(file_info *i)
{
    const pipeline_counters *c = &i->report.counters;

    i->seconds = ((double)i->report.last_ns - (double)i->report.first_ns) * 1e-9;
    i->rate_hz = i->report.frames > 0 ? rate(i->report.frames - 1, i->seconds) : 0.0;
    i->contacts_per_minute = rate(c->contacts, i->seconds) * 60.0;
    i->refused =
        c->refused_late + c->refused_not_finite + c->refused_too_far + c->refused_not_unit + c->refused_unknown;
    for (size_t n = 0; n < i->device_count; n++) {
        info_device *d = &i->devices[n];

        if (d->samples > 0)
            d->rate_hz = rate(d->samples - 1, ((double)d->last_ns - (double)d->first_ns) * 1e-9);
    }
}

int info_make(recording *r, const char *file, file_info *out_info, failure *out_failure)
{
    making m = {.info = out_info};
    const detect_output output = {.context = &m, .line = on_event, .item = on_item};
    config_values *config = &out_info->config;
    int result;

    out_info->header = recording_get_header(r);
    out_info->equipment = out_info->header->equipment;
    config_defaults(config);
    if (config_apply_header(config, file, out_info->header, out_failure) != CONFIG_OK)
        return -1;
    for (size_t i = 0; i < config->blade_count; i++)
        find_blade(out_info, config->blades[i].name, config->blades[i].device);
    m.speeds = speeds_create(config, on_speed, &m);
    if (!m.speeds)
        return fail_int(out_failure, "out of memory");
    result = detect_run(r, config, &output, &out_info->report, out_failure);
    speeds_destroy(m.speeds);
    finish(out_info);
    return result;
}
