/* See calibrate_poses.h. */
#include "calibrate_poses.h"

#include "cli/output.h"
#include "ctl.h"
#include "damage_report.h"
#include "platform/monotonic.h"
#include "protocol/recording/recording.h"

#include <stdlib.h>
#include <string.h>

bool calibrate_poses_begin(calibrate_poses *p, const char *device, const char *second)
{
    *p = (calibrate_poses){.devices = {device, second}, .seen_ns = {INT64_MIN, INT64_MIN}};
    for (int i = 0; i < 2; i++)
        p->poses[i] = malloc(CALIBRATE_POSES_MAX * sizeof *p->poses[i]);
    return p->poses[0] && p->poses[1];
}

void calibrate_poses_end(calibrate_poses *p)
{
    clash_client_destroy(p->client);
    free(p->poses[0]);
    free(p->poses[1]);
}

static void take(calibrate_poses *p, int64_t time_ns, const char *device, const clash_pose *pose)
{
    const int which = p->devices[1] && strcmp(device, p->devices[1]) == 0;

    if (!which && strcmp(device, p->devices[0]) != 0)
        return;
    p->last[which] = *pose;
    p->seen_ns[which] = time_ns;
    if (p->devices[1] && p->seen_ns[0] != p->seen_ns[1])
        return;
    p->is_seen = true;
    if (!p->is_taking || p->count == CALIBRATE_POSES_MAX)
        return;
    p->poses[0][p->count] = p->last[0];
    p->poses[1][p->count++] = p->last[1];
}

/* ---- of a running clashd ---- */

static void on_poses(void *context, int64_t time_ns, const clash_client_pose *poses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (poses[i].valid && poses[i].tracked)
            take(context, time_ns, poses[i].device, &poses[i].pose);
}

static void on_error(void *context, const clash_client_reply *reply)
{
    calibrate_poses *p = context;

    if (clash_client_problem_cause(p->client) == CLASH_CLIENT_CAUSE_TOKEN)
        return; /* on_disconnect explains it */
    output_error(p->command, "clashd refuses: %s", reply->message);
    p->code = CTL_USAGE;
    p->is_over = true;
}

static void on_disconnect(void *context, const char *reason)
{
    calibrate_poses *p = context;

    (void)reason;
    p->code = talk_explain_end(p->command, &p->place, p->client, p->is_seen);
    p->is_over = true;
}

int calibrate_poses_connect(calibrate_poses *p, const char *command, const talk_place *place)
{
    clash_client_subscription wanted = {.events = CLASH_CLIENT_POSES};

    p->command = command;
    p->place = *place;
    p->client = talk_connect(
        command, place,
        &(clash_client_listener){.context = p, .poses = on_poses, .error = on_error, .disconnect = on_disconnect},
        &p->code);
    if (!p->client)
        return p->code;
    clash_client_subscribe(p->client, NULL, &wanted);
    return 0;
}

bool calibrate_poses_wait(calibrate_poses *p, double seconds)
{
    const double until = 1e-9 * (double)monotonic_ns() + seconds;

    for (double left = seconds; left > 0.0 && !p->is_over; left = until - 1e-9 * (double)monotonic_ns()) {
        output_wait(clash_client_fd(p->client), clash_client_wants(p->client) & CLASH_CLIENT_WRITE,
                    (int)(left * 1e3) + 1, false);
        clash_client_dispatch(p->client);
    }
    return !p->is_over;
}

/* ---- of a recording ---- */

int calibrate_poses_read(calibrate_poses *p, const char *command, const char *file, double from_s, double to_s)
{
    damage_report damage;
    recording_item *item = malloc(sizeof *item);
    recording *r = item ? damage_report_open(&damage, command, file) : NULL;

    if (!r) {
        if (!item)
            output_error(command, "out of memory");
        free(item);
        return CTL_USAGE;
    }
    p->count = 0;
    while (recording_next(r, item) != RECORDING_END)
        for (size_t i = 0; item->kind == RECORDING_POSES && i < item->pose_count; i++) {
            const double time_s = 1e-9 * (double)item->time_ns;

            p->is_taking = time_s >= from_s && time_s <= to_s;
            if (item->poses[i].valid && item->poses[i].tracked)
                take(p, item->time_ns, item->poses[i].device, &item->poses[i].pose);
        }
    damage_report_end(&damage);
    recording_close(r);
    free(item);
    return 0;
}
