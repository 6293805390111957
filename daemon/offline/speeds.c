/* Speeds from sample to sample: see speeds.h. The motion in between is the sweep's: it turns at a constant rate, so that a tip's way
 * is an arc and not its chord. */
#include "speeds.h"

#include "things.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 64
/* As the pipeline has it. */
#define UNIT_TOLERANCE 0.01f
#define LEAST_SPEED 1e-3
#define BUCKET_RATIO 1.01

typedef struct tracked_device {
    char name[PROTOCOL_NAME_MAX];
    bool has_pose;
    int64_t time_ns;
    clash_pose pose;
} tracked_device;

struct speeds {
    const config_values *config;
    speed_function on_sample;
    void *context;
    size_t device_count;
    tracked_device devices[DEVICES_MAX];
    thing_list things;
};

/* ---- devices ---- */

static tracked_device *find_device(speeds *s, const char *name, bool or_new)
{
    for (size_t d = 0; d < s->device_count; d++)
        if (strcmp(s->devices[d].name, name) == 0)
            return &s->devices[d];
    if (!or_new || s->device_count == DEVICES_MAX)
        return NULL;
    snprintf(s->devices[s->device_count].name, sizeof s->devices[0].name, "%s", name);
    s->devices[s->device_count].has_pose = false;
    s->devices[s->device_count].time_ns = INT64_MIN;
    return &s->devices[s->device_count++];
}

static void forget_device(speeds *s, const char *name)
{
    tracked_device *d = find_device(s, name, false);

    if (d)
        *d = s->devices[--s->device_count];
}

static void cut(tracked_device *d)
{
    if (d)
        d->has_pose = false;
}

static double end_speed(const clash_motion *motion, clash_vec3 end, double seconds)
{
    const clash_pose middle = clash_motion_at(motion, 0.5);
    const clash_vec3 velocity = clash_motion_velocity(motion, 0.5, clash_pose_apply(&middle, end));

    return (double)clash_vec3_length(velocity) / seconds;
}

/* Which end is the fastest depends on how it is turned. */
static double tip_speed(const clash_motion *motion, const clash_blade_definition *blade, double seconds)
{
    double fastest = 0.0;

    if (blade->sword.part_count == 0)
        return end_speed(motion, blade->properties.shape.tip, seconds);
    for (uint32_t i = 0; i < blade->sword.capsule_count; i++) {
        const clash_capsule *c = &blade->sword.capsules[i];

        fastest = fmax(fastest, fmax(end_speed(motion, c->base, seconds), end_speed(motion, c->tip, seconds)));
    }
    return fastest;
}

/* The short way round, rad: unit quaternions are 2 sin(angle / 4) apart, and one and the other's negative 2 cos of it. */
static double turn_between(clash_quat q, clash_quat p)
{
    const double d[4] = {(double)q.x - (double)p.x, (double)q.y - (double)p.y, (double)q.z - (double)p.z,
                         (double)q.w - (double)p.w};
    const double s[4] = {(double)q.x + (double)p.x, (double)q.y + (double)p.y, (double)q.z + (double)p.z,
                         (double)q.w + (double)p.w};
    const double apart = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]);
    const double across = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);

    return 4.0 * atan2(fmin(apart, across), fmax(apart, across));
}

static void tell(speeds *s, const char *device, const clash_motion *motion, int64_t time_ns, int64_t interval_ns)
{
    const double seconds = (double)interval_ns * 1e-9;
    speed_sample sample = {.device = device, .time_ns = time_ns, .interval_ns = interval_ns};

    sample.moved = (double)clash_vec3_distance(motion->from.position, motion->to.position);
    sample.turned = turn_between(motion->from.orientation, motion->to.orientation);
    sample.speed = sample.moved / seconds;
    s->on_sample(s->context, &sample);
    for (size_t i = 0; i < s->things.blade_count; i++) {
        if (strcmp(s->things.blades[i].device, device) != 0)
            continue;
        sample.blade = s->things.blades[i].name;
        sample.speed = tip_speed(motion, &s->things.blades[i], seconds);
        s->on_sample(s->context, &sample);
    }
}

static void add_pose(speeds *s, const protocol_own_pose *pose, int64_t time_ns)
{
    const double max_gap_ns = (double)s->config->contact.max_gap_ms * 1e6;
    const bool is_right =
        clash_vec3_is_finite(pose->pose.position) && clash_quat_is_unit(pose->pose.orientation, UNIT_TOLERANCE);
    tracked_device *d = find_device(s, pose->device, true);
    double interval_ns;

    if (!d || time_ns < d->time_ns || (pose->valid && !is_right))
        return;
    if (!pose->valid || pose->teleport || (s->config->contact.require_tracked && !pose->tracked))
        cut(d);
    interval_ns = (double)time_ns - (double)d->time_ns;
    if (d->has_pose && interval_ns > 0.0 && interval_ns <= max_gap_ns)
        tell(s, d->name, &(clash_motion){d->pose, pose->pose}, time_ns, time_ns - d->time_ns);
    d->has_pose = pose->valid && (pose->tracked || !s->config->contact.require_tracked);
    d->pose = pose->pose;
    d->time_ns = time_ns;
}

void speeds_add(speeds *s, const recording_item *item)
{
    switch (item->kind) {
    case RECORDING_POSES:
        for (size_t p = 0; p < item->pose_count; p++)
            add_pose(s, &item->poses[p], item->time_ns);
        break;
    case RECORDING_TRACKING_LOST:
        cut(find_device(s, item->device, false));
        break;
    case RECORDING_SPACE_CHANGED:
    case RECORDING_GAP:
        for (size_t d = 0; d < s->device_count; d++)
            cut(&s->devices[d]);
        break;
    case RECORDING_BLADE:
        things_define_blade(&s->things, &item->blade);
        break;
    case RECORDING_REMOVE:
        things_remove(&s->things, item);
        forget_device(s, item->device);
        break;
    default:
        break;
    }
}

speeds *speeds_create(const config_values *config, speed_function on_sample, void *context)
{
    speeds *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->config = config;
    s->on_sample = on_sample;
    s->context = context;
    for (size_t i = 0; i < config->blade_count; i++)
        things_define_blade(&s->things, &config->blades[i]);
    if (!s->things.is_out_of_memory)
        return s;
    speeds_destroy(s);
    return NULL;
}

void speeds_destroy(speeds *s)
{
    if (!s)
        return;
    things_finish(&s->things);
    free(s);
}

/* ---- many of them ---- */

/* Return the mean speed over this interval and the one right before it. */
static double speed_over_two(const speed_spread *s, const speed_sample *sample)
{
    const double here = (double)sample->interval_ns, before = (double)s->last_interval_ns;

    if (s->last_interval_ns == 0 || s->last_ns != sample->time_ns - sample->interval_ns)
        return sample->speed;
    return (s->last_speed * before + sample->speed * here) / (before + here);
}

void speed_spread_add(speed_spread *s, const speed_sample *sample)
{
    const double bucket = sample->speed > LEAST_SPEED ? log(sample->speed / LEAST_SPEED) / log(BUCKET_RATIO) : 0.0;

    s->counts[bucket < SPEED_BUCKETS - 1 ? (size_t)bucket : SPEED_BUCKETS - 1]++;
    if (s->count++ == 0 || sample->speed > s->fastest.speed)
        s->fastest = *sample;
    s->fastest.device = s->fastest.blade = NULL;
    if (sample->speed > s->plausible && speed_over_two(s, sample) > s->plausible && s->implausible++ == 0)
        s->first_implausible_ns = sample->time_ns;
    s->last_ns = sample->time_ns;
    s->last_interval_ns = sample->interval_ns;
    s->last_speed = sample->speed;
}

double speed_spread_rank(const speed_spread *s, double share)
{
    const double wanted = ceil(share * (double)s->count);
    uint64_t seen = 0;
    size_t bucket = 0;

    if (s->count == 0)
        return 0.0;
    while (bucket < SPEED_BUCKETS - 1 && (double)(seen += s->counts[bucket]) < wanted)
        bucket++;
    return fmin(LEAST_SPEED * pow(BUCKET_RATIO, (double)bucket + 0.5), s->fastest.speed);
}
