/* See calibrate_room.h. */
#include "calibrate_room.h"

#include "cli/output.h"
#include "config/config.h"
#include "ctl.h"
#include "platform/monotonic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POSES_MIN 20
#define HELLO_S 5.0

/* Of the two tips, index 0 is the own one. */
typedef struct touching {
    const calibrate_room *wanted;
    clash_client *client;
    bool is_over, has_hello, is_taking;
    int code;                                /* when it is over */
    char devices[2][CLASH_BLADE_DEVICE_MAX]; /* the second "": the player has no blade here */
    clash_vec3 tips[2];
    double sums[2][3];
    size_t counts[2];
} touching;

static void on_hello(void *context, const clash_client_hello *hello)
{
    touching *t = context;
    char prefix[CLASH_BLADE_DEVICE_MAX];

    snprintf(prefix, sizeof prefix, "peer/%.100s/", t->wanted->player);
    t->has_hello = true;
    for (size_t i = 0; i < hello->blade_count && !t->devices[1][0]; i++)
        if (strncmp(hello->blades[i].device, prefix, strlen(prefix)) == 0) {
            snprintf(t->devices[1], sizeof t->devices[1], "%s", hello->blades[i].device);
            t->tips[1] = hello->blades[i].properties.shape.tip;
        }
}

static void on_poses(void *context, int64_t time_ns, const clash_client_pose *poses, size_t count)
{
    touching *t = context;

    (void)time_ns;
    for (size_t i = 0; i < count && t->is_taking; i++)
        for (int side = 0; side < 2; side++) {
            const clash_vec3 at = clash_pose_apply(&poses[i].pose, t->tips[side]);

            if (!poses[i].valid || !poses[i].tracked || strcmp(poses[i].device, t->devices[side]) != 0)
                continue;
            t->sums[side][0] += (double)at.x;
            t->sums[side][1] += (double)at.y;
            t->sums[side][2] += (double)at.z;
            t->counts[side]++;
        }
}

static void on_error(void *context, const clash_client_reply *reply)
{
    touching *t = context;

    if (clash_client_problem_cause(t->client) == CLASH_CLIENT_CAUSE_TOKEN)
        return; /* on_disconnect explains it */
    output_error(t->wanted->command, "clashd refuses: %s", reply->message);
    t->code = CTL_USAGE;
    t->is_over = true;
}

static void on_disconnect(void *context, const char *reason)
{
    touching *t = context;

    (void)reason;
    t->code = talk_explain_end(t->wanted->command, &t->wanted->place, t->client, t->has_hello);
    t->is_over = true;
}

/* Return false when clashd is gone. */
static bool wait(touching *t, double seconds, const bool *until)
{
    const double end = 1e-9 * (double)monotonic_ns() + seconds;

    for (double left = seconds; left > 0.0 && !t->is_over && !(until && *until);
         left = end - 1e-9 * (double)monotonic_ns()) {
        output_wait(clash_client_fd(t->client), clash_client_wants(t->client) & CLASH_CLIENT_WRITE,
                    (int)(left * 1e3) + 1, false);
        clash_client_dispatch(t->client);
    }
    return !t->is_over;
}

static clash_vec3 mean(const touching *t, int side)
{
    const double n = (double)t->counts[side];

    return (clash_vec3){(float)(t->sums[side][0] / n), (float)(t->sums[side][1] / n), (float)(t->sums[side][2] / n)};
}

static int measure_touch(touching *t, int number, clash_vec3 out[2])
{
    fprintf(stderr, "\nPlace %d of %d: hold your tip and the one of %s together, and still.\n", number,
            CALIBRATE_TOUCHES, t->wanted->player);
    for (int left = (int)ceil(t->wanted->countdown_s); left > 0; left--) {
        fprintf(stderr, "%d..\n", left);
        if (!wait(t, fmin(1.0, t->wanted->countdown_s), NULL))
            return t->code;
    }
    memset(t->sums, 0, sizeof t->sums);
    memset(t->counts, 0, sizeof t->counts);
    t->is_taking = true;
    if (!wait(t, t->wanted->seconds, NULL))
        return t->code;
    t->is_taking = false;
    fprintf(stderr, "%sDone.\n", isatty(STDERR_FILENO) ? "\a" : "");
    for (int side = 0; side < 2; side++) {
        if (t->counts[side] < POSES_MIN) {
            output_error(t->wanted->command, "tracked poses of %s while the tips touched: %zu, expected %d or more",
                         t->devices[side], t->counts[side], POSES_MIN);
            return CTL_NO;
        }
        out[side] = mean(t, side);
    }
    return CTL_DONE;
}

static int measure(touching *t, alignment *out)
{
    clash_vec3 own[CALIBRATE_TOUCHES], other[CALIBRATE_TOUCHES];
    const char *advice;

    if (!wait(t, HELLO_S, &t->has_hello))
        return t->code;
    if (!t->has_hello) {
        char text[CONFIG_PATH_MAX];

        output_error(t->wanted->command, "%s does not answer: clashd hangs, or another program listens there",
                     talk_place_text(&t->wanted->place, text, sizeof text));
        return CTL_ABSENT;
    }
    if (!t->devices[1][0]) {
        output_error(t->wanted->command,
                     "there is no blade of '%s' here: is mqtt.peers on at both, and the room the same?",
                     t->wanted->player);
        return CTL_NO;
    }
    for (int i = 0; i < CALIBRATE_TOUCHES; i++) {
        clash_vec3 tips[2];
        const int code = measure_touch(t, i + 1, tips);

        if (code != CTL_DONE)
            return code;
        own[i] = tips[0];
        other[i] = tips[1];
    }
    *out = align_find(own, other, CALIBRATE_TOUCHES);
    advice = align_advice(out);
    if (!advice)
        return CTL_DONE;
    output_error(t->wanted->command, "%s (they are %.0f mm off, %.2f m apart)", advice, 1e3 * out->rms, out->spread);
    return CTL_NO;
}

int calibrate_room_measure(const calibrate_room *wanted, alignment *out)
{
    const clash_client_subscription poses = {.events = CLASH_CLIENT_POSES};
    touching t = {.wanted = wanted, .tips = {wanted->tip}};
    int code;

    snprintf(t.devices[0], sizeof t.devices[0], "%s", wanted->device);
    t.client = talk_connect(
        wanted->command, &wanted->place,
        &(clash_client_listener){
            .context = &t, .hello = on_hello, .poses = on_poses, .error = on_error, .disconnect = on_disconnect},
        &t.code);
    if (!t.client)
        return t.code;
    clash_client_subscribe(t.client, NULL, &poses);
    code = measure(&t, out);
    clash_client_destroy(t.client);
    return code;
}
