/* clashctl info: what is in a recording, counted while its events are found anew. */
#include "offline/detect.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "ctl.h"
#include "damage_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COMMAND "info"
#define DEVICES_MAX 64

typedef struct device_info {
    char name[PROTOCOL_NAME_MAX];
    uint64_t samples, gaps; /* gaps: longer than max_gap_ms */
    int64_t first_ns, last_ns, longest_ns;
    bool has_pose;
    clash_vec3 position;
    double peak_speed; /* of the device itself, m/s */
} device_info;

typedef struct info {
    const char *file;
    bool help;
    app_config config;
    size_t device_count;
    device_info devices[DEVICES_MAX];
    recording_equipment equipment; /* as last told.. */
    uint64_t equipment_changes;    /* ..so often */
    uint64_t other_devices, gaps, marks, recorded_events;
    double peak_closing_speed;
    int64_t longest_ns;
} info;

static const flag flags[] = {FLAG_HELP(info)};
static const flag_table table = {flags, sizeof flags / sizeof flags[0]};

static device_info *find_device(info *i, const char *name)
{
    for (size_t d = 0; d < i->device_count; d++)
        if (strcmp(i->devices[d].name, name) == 0)
            return &i->devices[d];
    if (i->device_count == DEVICES_MAX) {
        i->other_devices++;
        return NULL;
    }
    snprintf(i->devices[i->device_count].name, sizeof i->devices[0].name, "%s", name);
    return &i->devices[i->device_count++];
}

static double distance(clash_vec3 a, clash_vec3 b)
{
    return (double)clash_vec3_length((clash_vec3){a.x - b.x, a.y - b.y, a.z - b.z});
}

static void add_pose(info *i, const protocol_own_pose *pose, int64_t time_ns)
{
    const double max_gap_ns = (double)i->config.contact.max_gap_ms * 1e6;
    device_info *d = find_device(i, pose->device);
    double apart_ns;

    if (!d)
        return;
    apart_ns = (double)time_ns - (double)d->last_ns;
    if (d->samples++ == 0) {
        d->first_ns = time_ns;
    } else if (apart_ns > 0) {
        d->gaps += apart_ns > max_gap_ns;
        if (time_ns - d->last_ns > d->longest_ns)
            d->longest_ns = time_ns - d->last_ns;
    }
    if (d->has_pose && pose->valid && !pose->teleport && apart_ns > 0 && apart_ns <= max_gap_ns) {
        double speed = distance(pose->pose.position, d->position) / (apart_ns * 1e-9);

        if (speed > d->peak_speed)
            d->peak_speed = speed;
    }
    d->has_pose = pose->valid;
    d->position = pose->pose.position;
    d->last_ns = time_ns;
}

static void on_item(void *context, const recording_item *item)
{
    info *i = context;

    if (item->kind == RECORDING_POSES)
        for (size_t p = 0; p < item->pose_count; p++)
            add_pose(i, &item->poses[p], item->time_ns);
    if (item->kind == RECORDING_EQUIPMENT) {
        i->equipment = item->equipment;
        i->equipment_changes++;
    }
    i->gaps += item->kind == RECORDING_GAP;
    i->marks += item->kind == RECORDING_MARK;
    i->recorded_events +=
        item->kind == RECORDING_EVENT || item->kind == RECORDING_TRACKING_LOST || item->kind == RECORDING_SPACE_CHANGED;
}

static bool on_event(void *context, const clash_event *event, const char *line, size_t length)
{
    info *i = context;

    (void)line, (void)length;
    if (event->kind == CLASH_EVENT_RELEASE && event->duration_ns > i->longest_ns)
        i->longest_ns = event->duration_ns;
    if (event->kind == CLASH_EVENT_CLASH && (double)event->start_closing_speed > i->peak_closing_speed)
        i->peak_closing_speed = (double)event->start_closing_speed;
    return true;
}

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

/* The last that is told of. */
static void print_equipment(const info *i)
{
    const recording_equipment *e = &i->equipment;

    if (e->runtime[0])
        printf("runtime   %s\n", output_text(e->runtime));
    for (size_t n = 0; n < e->controller_count; n++)
        printf("%-9s %s: %s\n", n == 0 ? "hands" : "", output_text(e->controllers[n].device),
               output_text(e->controllers[n].profile));
    if (i->equipment_changes > 1)
        printf("          told %" PRIu64 " times: these are the last\n", i->equipment_changes);
}

static void print_devices(const info *i)
{
    for (size_t n = 0; n < i->device_count; n++) {
        const device_info *d = &i->devices[n];
        double seconds = ((double)d->last_ns - (double)d->first_ns) * 1e-9;

        printf("%-9s %s: %" PRIu64 " samples, %.1f Hz, longest gap %.1f ms (%" PRIu64 " over %g ms), peak %.2f m/s\n",
               n == 0 ? "devices" : "", output_text(d->name), d->samples,
               seconds > 0 ? (double)(d->samples - 1) / seconds : 0.0, (double)d->longest_ns * 1e-6, d->gaps,
               (double)i->config.contact.max_gap_ms, d->peak_speed);
    }
    if (i->other_devices)
        printf("          %" PRIu64 " samples of more devices\n", i->other_devices);
}

static void print_blades(const app_config *config)
{
    if (config->blade_count == 0)
        printf("blades    none\n");
    for (size_t n = 0; n < config->blade_count; n++)
        printf("%-9s %s on %s\n", n == 0 ? "blades" : "", output_text(config->blades[n].name),
               output_text(config->blades[n].device));
}

static void print_info(const info *i, const recording_header *header, const app_detect_report *report)
{
    const pipeline_counters *c = &report->counters;
    double seconds = ((double)report->last_ns - (double)report->first_ns) * 1e-9;

    print_header(header);
    printf("duration  %.3f s, %" PRIu64 " frames, %.1f a second\n", seconds, report->frames,
           seconds > 0 ? (double)(report->frames - 1) / seconds : 0.0);
    print_equipment(i);
    print_devices(i);
    print_blades(&i->config);
    printf("contacts  %" PRIu64 ", %.1f a minute; hardest %.2f m/s, longest %.3f s\n", c->contacts,
           seconds > 0 ? (double)c->contacts / seconds * 60.0 : 0.0, i->peak_closing_speed,
           (double)i->longest_ns * 1e-9);
    printf("samples   %" PRIu64 "; refused: %" PRIu64 " late, %" PRIu64 " not finite, %" PRIu64
           " too far away, %" PRIu64 " with no unit orientation, %" PRIu64 " of too many devices\n",
           c->samples, c->refused_late, c->refused_not_finite, c->refused_too_far, c->refused_not_unit,
           c->refused_unknown);
    printf("lines     %" PRIu64 "; %" PRIu64 " events, %" PRIu64 " marks, %" PRIu64 " gaps, %" PRIu64
           " of unknown types, %" PRIu64 " damaged, %" PRIu64 " torn\n",
           report->recording.lines, i->recorded_events, i->marks, i->gaps, report->recording.unknown,
           report->recording.damaged, report->recording.torn);
}

static int show(info *i, recording *r)
{
    const app_detect_output output = {.context = i, .line = on_event, .item = on_item};
    app_detect_report report;
    failure error = {0};

    app_config_defaults(&i->config);
    i->equipment = recording_get_header(r)->equipment;
    output_begin(false);
    progress_begin(COMMAND, false);
    if (app_config_apply_header(&i->config, i->file, recording_get_header(r), &error) != APP_CONFIG_OK ||
        app_detect(r, &i->config, &output, &report, &error) < 0) {
        output_error(COMMAND, "%s", error.text);
        return CTL_USAGE;
    }
    progress_end();
    print_info(i, recording_get_header(r), &report);
    return output_end(COMMAND, CTL_DONE);
}

static int show_file(info *i)
{
    failure error = {0};
    damage_report damage = {.command = COMMAND, .file = i->file};
    recording *r = recording_open(i->file, damage_report_add, &damage, error.text, sizeof error.text);
    int code;

    if (!r) {
        output_error(COMMAND, "%s", error.text);
        return CTL_USAGE;
    }
    code = show(i, r);
    damage_report_end(&damage);
    recording_close(r);
    return code;
}

static int parse(info *i, int argc, char **argv)
{
    failure error = {0};
    int rest;

    if (flags_parse(&table, argc, argv, i, &rest, &error) < 0)
        return output_usage_error(COMMAND, error.text);
    if (i->help) {
        output_help(COMMAND, "FILE",
                    "Says what is in a recording: how long it is, how often and how fast its devices\n"
                    "were sampled, what was refused, and what touched.\n",
                    &table);
        return CTL_DONE;
    }
    if (argc - rest != 1)
        return output_usage_error(COMMAND, "expected one recording");
    i->file = argv[rest];
    return show_file(i);
}

int ctl_info(int argc, char **argv)
{
    info *i = calloc(1, sizeof *i);
    int code;

    if (!i) {
        output_error(COMMAND, "out of memory");
        return CTL_USAGE;
    }
    code = parse(i, argc, argv);
    free(i);
    return code;
}
