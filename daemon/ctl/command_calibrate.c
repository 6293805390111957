/* clashctl calibrate: find the base and tip of a sword from poses in which one of them rests on a fixed point while the
 * sword is turned about it (daemon/offline/pivot.h), or from a controller's shape (hilts.h). Instructions go to
 * standard error, with a sound for people who wear a headset; the resulting settings go to standard output. */
#include "calibrate_poses.h"
#include "calibrate_room.h"
#include "calibrate_settings.h"
#include "cli/output.h"
#include "config/hilts.h"
#include "ctl.h"
#include "offline/pivot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "calibrate"
#define TRIES 3
#define PATIENCE_S 60   /* to wait for a first pose */
#define LENGTH_MIN 0.05 /* m: anything shorter means that the same point was given twice */

typedef struct seconds_range {
    bool is_given;
    double from, to;
} seconds_range;

typedef struct calibrate {
    talk_place place;
    const char *from, *write, *device, *blade, *profile, *room;
    bool tips, aim, help;
    int only; /* 't', 'b', or 0 for both */
    double seconds, countdown;
    seconds_range tip, base;
    calibrate_poses poses;
    calibrate_settings settings;
    failure failure;
} calibrate;

static int set_range(void *member, const char *value, failure *out_expected)
{
    seconds_range *range = member;
    char first[64] = "";
    const char *colon = strchr(value, ':');

    if (colon && (size_t)(colon - value) < sizeof first)
        memcpy(first, value, (size_t)(colon - value));
    range->is_given = colon && flags_parse_number(first, &range->from) && flags_parse_number(colon + 1, &range->to) &&
                      range->from < range->to;
    if (!range->is_given)
        fail_with(out_expected, "expected FROM:TO, seconds in the recording's own times");
    return range->is_given ? 0 : -1;
}

static const flag flags[] = {
    TALK_FLAGS(calibrate, place),
    FLAG_TEXT("device", "NAME", calibrate, device, "what holds the sword; default: /user/hand/right"),
    FLAG_TEXT("blade", "NAME", calibrate, blade, "which blade of the settings; default: the device's"),
    FLAG_CHOICE("only-tip", calibrate, only, 't', "the base stays as it is in the settings"),
    FLAG_CHOICE("only-base", calibrate, only, 'b', "the tip does"),
    FLAG_SWITCH("tips", calibrate, tips, "both hands' tips at once, held together"),
    FLAG_TEXT("room", "PLAYER", calibrate, room,
              "where this stage is in the room: touch\nthat player's tip with yours, at three places"),
    FLAG_NUMBER("seconds", "S", calibrate, seconds, 1, 120, "how long to measure a point; default: 8"),
    FLAG_NUMBER("countdown", "S", calibrate, countdown, 0, 60, "before that; default: 5"),
    FLAG_TEXT("from", "FILE", calibrate, from, "poses of a recording instead of a running clashd"),
    FLAG_OTHER("tip", "FROM:TO", calibrate, tip, set_range, "of it, when the tip rested; default: all"),
    FLAG_OTHER("base", "FROM:TO", calibrate, base, set_range, "when the base did; default: never"),
    FLAG_NAME("profile", "NAME", "index touch vive pico wmr simple", calibrate, profile,
              "measure nothing: begin with a controller's values:\n"
              "index, touch, vive, pico, wmr, simple"),
    FLAG_SWITCH("aim", calibrate, aim, "of these: along the aim pose, not the handle"),
    FLAG_PATH("write", "FILE", calibrate, write, "settings to put it into; default: print them"),
    FLAG_HELP(calibrate),
};

/* ---- what people are told ---- */

static void print_instruction(const char *text)
{
    fprintf(stderr, "%s%s\n", isatty(STDERR_FILENO) ? "\a" : "", text);
}

static void print_point(const char *what, clash_vec3 point, const pivot_result *r)
{
    fprintf(stderr,
            "%s: %.4f %.4f %.4f m from %zu poses; standard error %.1f mm, spread %.1f mm, condition number %.0f\n",
            what, (double)point.x, (double)point.y, (double)point.z, r->used, 1e3 * r->error, 1e3 * r->spread,
            r->condition);
}

/* ---- measuring ---- */

static int await_poses(calibrate *c)
{
    calibrate_poses *p = &c->poses;

    for (int waited = 0; !p->is_seen; waited++) {
        if (!calibrate_poses_wait(p, waited == 0 ? 0.5 : 1.0))
            return p->code;
        if (waited >= PATIENCE_S) {
            output_error(COMMAND, "no tracked poses of %s%s%s in %d s: 'clashctl doctor' says why", p->devices[0],
                         p->devices[1] ? " and " : "", p->devices[1] ? p->devices[1] : "", PATIENCE_S);
            return CTL_ABSENT;
        }
        if (!p->is_seen && waited == 1)
            fprintf(stderr, "Waiting for poses of %s%s%s: switch it on, and hold it where it is seen.\n", p->devices[0],
                    p->devices[1] ? " and " : "", p->devices[1] ? p->devices[1] : "");
    }
    return CTL_DONE;
}

static bool count_down(calibrate *c)
{
    for (int left = (int)ceil(c->countdown); left > 0; left--) {
        fprintf(stderr, "%d..\n", left);
        if (!calibrate_poses_wait(&c->poses, fmin(1.0, c->countdown)))
            return false;
    }
    return true;
}

static pivot_verdict find(const calibrate *c, pivot_result *out)
{
    return pivot_find(c->poses.poses[0], c->poses.devices[1] ? c->poses.poses[1] : NULL, c->poses.count, out);
}

/* Print every second how long it still takes, and what is missing. */
static bool take(calibrate *c)
{
    calibrate_poses *p = &c->poses;
    pivot_result result;
    bool is_there = true;

    p->count = 0;
    p->is_taking = true;
    for (int passed = 0; passed < c->seconds && is_there; passed++) {
        const double left = c->seconds - passed;
        const bool is_enough = find(c, &result) == PIVOT_GOOD;

        fprintf(stderr, "  %.0f s%s\n", left,
                passed == 0 ? ""
                : is_enough ? ", that is enough of turning: go on"
                            : ", lean it further over, all around");
        is_there = calibrate_poses_wait(p, fmin(1.0, left));
    }
    p->is_taking = false;
    return is_there;
}

static int measure(calibrate *c, const char *where, pivot_result *out)
{
    pivot_verdict verdict = PIVOT_GOOD;

    for (int i = 0; i < TRIES; i++) {
        fprintf(stderr, "\n%s\n", where);
        if (!count_down(c))
            return c->poses.code;
        print_instruction("Now keep it there, and lean the hilt over to all sides, in a wide and slow circle.");
        if (!take(c))
            return c->poses.code;
        verdict = find(c, out);
        print_instruction(verdict == PIVOT_GOOD ? "Done." : "That was not enough:");
        if (verdict == PIVOT_GOOD)
            return CTL_DONE;
        fprintf(stderr, "  %s.\n", pivot_advice(verdict));
    }
    output_error(COMMAND, "given up: %s", pivot_advice(verdict));
    return CTL_NO;
}

static int measure_recorded(calibrate *c, const char *what, const seconds_range *range, pivot_result *out)
{
    const double from = range->is_given ? range->from : (double)-INFINITY;
    const int code =
        calibrate_poses_read(&c->poses, COMMAND, c->from, from, range->is_given ? range->to : (double)INFINITY);
    const pivot_verdict verdict = code == 0 ? find(c, out) : PIVOT_GOOD;

    if (code != 0 || verdict == PIVOT_GOOD)
        return code;
    if (verdict == PIVOT_FEW)
        output_error(COMMAND, "%s: tracked poses of %s there: %zu, expected %d or more", what, c->poses.devices[0],
                     c->poses.count, PIVOT_POSES_MIN);
    else
        output_error(COMMAND, "%s: %s", what, pivot_advice(verdict));
    return CTL_NO;
}

/* ---- what comes of it ---- */

static int fail(calibrate *c)
{
    return output_refuse(COMMAND, "%s", c->failure.text);
}

static int give(calibrate *c)
{
    char *text;

    if (c->write) {
        if (!calibrate_settings_write(&c->settings, c->write, &c->failure))
            return fail(c);
        fprintf(stderr, "Written to %s. clashd takes it when it starts or reloads its settings.\n",
                output_text(c->write));
        return CTL_DONE;
    }
    text = calibrate_settings_text(&c->settings);
    if (!text)
        return output_refuse(COMMAND, "out of memory");
    output_begin(false);
    output_write(text, strlen(text));
    output_write("\n", 1);
    free(text);
    return output_end(COMMAND, CTL_DONE);
}

static int calibrate_tips(calibrate *c, const clash_blade_definition *blades[2])
{
    pivot_result result = {0};
    const int code = c->from
                         ? measure_recorded(c, "the tips", &c->tip, &result)
                         : measure(c, "Hold both swords with their tips together, as if they were one point.", &result);

    if (code != CTL_DONE)
        return code;
    for (int i = 0; i < 2; i++) {
        clash_capsule shape = blades[i]->properties.shape;

        shape.tip = result.points[i];
        print_point(blades[i]->name, result.points[i], &result);
        if (!calibrate_settings_put(&c->settings, blades[i]->name, &shape, NULL, &c->failure))
            return fail(c);
    }
    return give(c);
}

static int calibrate_point(calibrate *c, bool is_tip, clash_vec3 *out)
{
    pivot_result result = {0};
    const int code =
        c->from
            ? measure_recorded(c, is_tip ? "the tip" : "the base", is_tip ? &c->tip : &c->base, &result)
            : measure(c,
                      is_tip ? "Put the TIP of the sword onto a fixed point, such as a mark on the floor."
                             : "Put the BASE, where the blade begins, onto a fixed point, such as a table's corner.",
                      &result);

    if (code == CTL_DONE) {
        print_point(is_tip ? "tip" : "base", result.points[0], &result);
        *out = result.points[0];
    }
    return code;
}

static int calibrate_one(calibrate *c, const clash_blade_definition *blade)
{
    clash_capsule shape = blade->properties.shape;
    int code = CTL_DONE;

    if (c->only != 'b')
        code = calibrate_point(c, true, &shape.tip);
    if (code == CTL_DONE && c->only != 't' && (!c->from || c->base.is_given || c->only == 'b'))
        code = calibrate_point(c, false, &shape.base);
    if (code != CTL_DONE)
        return code;
    if ((double)clash_vec3_distance(shape.base, shape.tip) < LENGTH_MIN) {
        output_error(COMMAND, "base and tip are %.0f mm apart: was the sword put onto the point with its other end?",
                     1e3 * (double)clash_vec3_distance(shape.base, shape.tip));
        return CTL_NO;
    }
    fprintf(stderr, "The blade %s is %.3f m long.\n", blade->name, (double)clash_vec3_distance(shape.base, shape.tip));
    return calibrate_settings_put(&c->settings, blade->name, &shape, NULL, &c->failure) ? give(c) : fail(c);
}

/* Use a controller's shape: for all blades in hands, or the named one. */
static int place_hilts(calibrate *c)
{
    const hilt *h = hilt_find(c->profile);

    if (!h)
        return output_usage_error(COMMAND,
                                  "--profile: expected index, touch, vive, pico, wmr, simple or OpenXR's name");
    if (c->aim && !h->has_aim)
        return output_usage_error(COMMAND, "--aim: that controller's aim pose is not known here: calibrate it");
    for (size_t i = 0; i < c->settings.config->blade_count; i++) {
        const clash_blade_definition *b = &c->settings.config->blades[i];
        clash_capsule shape = b->properties.shape;
        clash_vec3 edge;

        if (b->sword.part_count > 0 ||
            (c->blade ? strcmp(b->name, c->blade) != 0 : strncmp(b->device, "/user/hand/", 11) != 0))
            continue;
        hilt_place(h, c->aim, clash_vec3_length(shape.tip), &shape, &edge);
        if (!calibrate_settings_put(&c->settings, b->name, &shape, b->properties.has_edge ? &edge : NULL, &c->failure))
            return fail(c);
    }
    return give(c);
}

static int align_room(calibrate *c)
{
    const clash_blade_definition *blade = calibrate_settings_find(&c->settings, c->blade, c->device, &c->failure);
    calibrate_room wanted = {.command = COMMAND,
                             .place = c->place,
                             .player = c->room,
                             .device = c->device,
                             .seconds = c->seconds,
                             .countdown_s = c->countdown};
    alignment found;
    int code;

    if (!blade)
        return fail(c);
    wanted.tip = blade->properties.shape.tip;
    code = calibrate_room_measure(&wanted, &found);
    if (code != CTL_DONE)
        return code;
    fprintf(stderr, "The tips were %.1f mm off at places %.2f m apart.\n", 1e3 * found.rms, found.spread);
    return calibrate_settings_put_room(&c->settings, &found, &c->failure) ? give(c) : fail(c);
}

static int begin(calibrate *c)
{
    const bool has_two = c->tips;
    const char *second = has_two ? "/user/hand/right" : NULL;
    const clash_blade_definition *blades[2] = {NULL, NULL};
    int code;

    blades[0] = calibrate_settings_find(&c->settings, c->tips ? NULL : c->blade, c->device, &c->failure);
    if (blades[0] && has_two)
        blades[1] = calibrate_settings_find(&c->settings, NULL, second, &c->failure);
    if (!blades[0] || (has_two && !blades[1]))
        return fail(c);
    if (!calibrate_poses_begin(&c->poses, c->device, second))
        return output_refuse(COMMAND, "out of memory");
    code = c->from ? CTL_DONE : calibrate_poses_connect(&c->poses, COMMAND, &c->place);
    if (code == CTL_DONE && !c->from)
        code = await_poses(c);
    if (code != CTL_DONE)
        return code;
    return has_two ? calibrate_tips(c, blades) : calibrate_one(c, blades[0]);
}

static int run(void *target, char **words)
{
    calibrate *c = target;
    char file[CONFIG_PATH_MAX] = "";
    int code;

    (void)words;
    if (!c->device)
        c->device = c->tips ? "/user/hand/left" : "/user/hand/right";
    if (c->tips && (strcmp(c->device, "/user/hand/left") != 0 || c->blade || c->only))
        return output_usage_error(COMMAND, "--tips is for both hands: leave out --device, --blade and --only-..");
    if (c->aim && !c->profile)
        return output_usage_error(COMMAND, "--aim needs --profile");
    if (!c->from && (c->tip.is_given || c->base.is_given))
        return output_usage_error(COMMAND, "--tip and --base need --from");
    if (c->room && (c->from || c->tips || c->profile || c->only))
        return output_usage_error(
            COMMAND, "--room is measured live and alone: leave out --from, --tips, --profile and --only-..");
    if (!c->write)
        config_default_path(file, sizeof file);
    if (!calibrate_settings_load(&c->settings, c->write ? c->write : file, c->write != NULL, &c->failure))
        code = fail(c);
    else
        code = c->room ? align_room(c) : c->profile ? place_hilts(c) : begin(c);
    calibrate_poses_end(&c->poses);
    calibrate_settings_end(&c->settings);
    return code;
}

const ctl_command ctl_calibrate = {
    .name = COMMAND,
    .summary = "find the base and tip of a sword",
    .arguments = "[OPTION..]",
    .text = "Finds the base and tip of a sword, real or drawn: put its tip onto a\n"
            "fixed point, lean the hilt over to all sides, then do the same with its base.\n"
            "Says how exact that is, and prints the settings, or puts them into a file.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(calibrate),
    .defaults = &(calibrate){.seconds = 8.0, .countdown = 5.0},
    .run = run,
};
