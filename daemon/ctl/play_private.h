/* What the parts of clashctl play share: command_play.c (the command, and what is played) and play_keys.c (keys,
 * signals, the line at the bottom). Nobody else includes it. */
#ifndef CLASHD_CTL_PLAY_PRIVATE_H
#define CLASHD_CTL_PLAY_PRIVATE_H

#include "foreign.h"
#include "layers.h"
#include "play_screen.h"
#include "scene/feeds.h"
#include "scene/target_load.h"

#include "event_text.h"
#include "sources/replay/replay.h"

#include <uv.h>

#define PLAY_SIGNALS 4

typedef struct play {
    scene scene; /* comes first: its listener's context is the play */
    event_sink sinks;
    const char *file;
    foreign copy;
    const char *path; /* of the recording: the file's, or the copy's */
    ctl_layers layers;
    bool help, json;
    double speed;
    config_values config;
    uv_loop_t loop;
    uv_timer_t redraw, reader; /* reader: checks whether standard output still has one */
    uv_poll_t keys;
    uv_signal_t signals[PLAY_SIGNALS];
    bool has_keys;
    int ended_by; /* signal; 0: none */
    play_screen screen;
    pose_source *source;
    surface_loader *loader;
    event_text text;
    uint64_t contacts;
    char line[PROTOCOL_LINE_MAX + 1];
} play;

/** Open the handles, and change the terminal. */
void play_open_handles(play *p);
/** Close them, and restore the terminal. The loop must run once more. */
void play_close_handles(play *p);

#endif
