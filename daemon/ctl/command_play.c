/* clashctl play: a recording in the terminal, at its own pace. Runs the replay source and the pipeline on a loop of its
 * own, as clashd does, with keys if standard input is a terminal. Restores the terminal on every way out. */
#include "play_private.h"

#include "cli/output.h"
#include "ctl.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "play"

static const flag flags[] = {
    FLAG_NUMBER_OR_MAX("speed", "N|max", play, speed, 0.001, 1000,
                       "N times as fast as recorded, or as fast as possible"),
    FLAG_TEXT("config", "FILE", play, layers.config_path, "settings that win over the recording's own"),
    FLAG_OTHER("set", "KEY=VALUE", play, layers, ctl_layers_take_set,
               "one setting that wins over all others, as for detect"),
    FLAG_SWITCH("json", play, json, "print events as clashd sends them"),
    FLAG_HELP(play),
};

/* ---- what is played ---- */

static void on_event(void *context, const clash_event *event)
{
    play *p = context;
    size_t length = protocol_encode_event(p->line, PROTOCOL_LINE_MAX, event, 0);
    char text[1024];
    cJSON *message;

    p->contacts += event->kind == CLASH_EVENT_CLASH;
    if (length == 0)
        return;
    play_screen_erase(&p->screen);
    if (!p->json) {
        message = cJSON_ParseWithLength(p->line, length);
        length = event_text_format(&p->text, message, text, sizeof text - 1);
        cJSON_Delete(message);
        if (length == 0)
            return;
        text[length++] = '\n';
    }
    if (!output_write(p->json ? p->line : text, length))
        uv_stop(&p->loop);
}

static void on_hold(void *context, bool is_held)
{
    replay_source_hold(((play *)context)->source, is_held);
}

static void on_ended(void *context)
{
    play *p = context;

    scene_source_gone(&p->scene, p->scene.last_ns, CLASH_TRACKING_SOURCE_ENDED);
    uv_stop(&p->loop);
}

/* ---- the command ---- */

/* Return the width of a column for the longest names of two blades. */
static int pair_width(const config_values *config)
{
    size_t longest = 0, second = 0;

    for (size_t i = 0; i < config->blade_count; i++) {
        const size_t length = strlen(config->blades[i].name);

        second = length > longest ? longest : length > second ? length : second;
        longest = length > longest ? length : longest;
    }
    for (size_t i = 0; i < config->target_count; i++) {
        const size_t length = strlen(config->targets[i].name);

        second = length > second ? length : second;
    }
    return (int)(longest + second + 1);
}

static int run(play *p)
{
    pose_listener listener = scene_listener(&p->scene);
    pose_source_status status;
    char header[512];
    int code = CTL_USAGE;

    listener.ended = on_ended;
    output_begin(true);
    if (!p->json) { /* standard error has it, so that standard output has one line for each event */
        event_text_header(&p->text, header, sizeof header);
        fprintf(stderr, "%s\n", header);
    }
    play_open_handles(p);
    if (p->source->start(p->source, &listener) == 0) {
        uv_run(&p->loop, UV_RUN_DEFAULT);
        p->source->status(p->source, &status);
        code = status.broken ? CTL_USAGE : CTL_DONE;
    }
    play_close_handles(p);
    return output_end(COMMAND, code);
}

static void on_log(void *context, log_level level, const char *message)
{
    play *p = context;

    if (level > LOG_LEVEL_WARNING)
        return;
    play_screen_erase(&p->screen);
    output_error(COMMAND, "%s", message);
}

/* Open everything for a play. Return false with a message in out_failure; some of it may be open. */
static bool open_all(play *p, failure *out_failure)
{
    const replay_settings settings = {.path = p->path, .speed = p->speed};
    const logger log = {.context = p, .write = on_log};

    p->text.pair_width = pair_width(&p->config);
    p->sinks = (event_sink){.context = p, .event = on_event};
    if (scene_open_of(&p->scene, &p->config, &p->sinks, log, out_failure) != 0)
        return false;
    p->loader = surface_loader_create(&p->loop);
    p->source = p->loader && scene_open_pending(&p->scene, p->loader, on_hold) == 0
                    ? replay_source_create(&settings, &p->loop, log, out_failure)
                    : NULL;
    return p->source || fail_with(out_failure, "out of memory");
}

static recording *open_recording(play *p, failure *out_failure)
{
    failure error = {0};
    recording *r;

    p->path = foreign_begin(&p->copy, COMMAND, p->file, false, &error);
    r = p->path ? recording_open_file(p->path, NULL, NULL, &error) : NULL;
    if (!r && p->path == p->file && foreign_is_readable(p->file, false))
        fail_with(out_failure, "%s (what is played: " FOREIGN_FORMATS ")", error.text);
    else if (!r)
        fail_with(out_failure, "%s", error.text);
    return r;
}

static int play_file(play *p)
{
    failure error = {0};
    recording *r = open_recording(p, &error);
    int code = CTL_USAGE;
    bool is_right = r && ctl_layers_make(&p->layers, p->file, recording_get_header(r), &p->config, &error) == 0;

    recording_close(r);
    if (is_right && uv_loop_init(&p->loop) == 0) {
        is_right = open_all(p, &error);
        foreign_end(&p->copy);
        if (is_right)
            code = run(p);
        pose_source_destroy(p->source);
        pending_targets_close(p->scene.late);
        surface_loader_close(p->loader);
        uv_run(&p->loop, UV_RUN_DEFAULT);
        uv_loop_close(&p->loop);
        scene_close(&p->scene);
    }
    foreign_end(&p->copy);
    if (!is_right)
        output_error(COMMAND, "%s", error.text);
    return code;
}

static int run_play(void *target, char **words)
{
    play *p = target;
    int code;

    p->file = words[0];
    code = play_file(p);
    if (p->ended_by) { /* so that a shell knows */
        signal(p->ended_by, SIG_DFL);
        raise(p->ended_by);
    }
    return code;
}

const ctl_command ctl_play = {
    .name = COMMAND,
    .summary = "show a recording in the terminal",
    .arguments = "FILE [OPTION..]",
    .text = "Shows a recording in real time: its clashes as they happen, and on a\n"
            "terminal where it is. Keys: space pauses and goes on, left and right go 5 s back\n"
            "and on, a point steps to the next sample, q quits. FILE may also be an MCAP file\n"
            "or a Beat Saber replay.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 1, .most = 1},
    .expected = "expected one recording",
    .size = sizeof(play),
    .defaults = &(play){.speed = 1.0},
    .run = run_play,
};
