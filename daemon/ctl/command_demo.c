/* clashctl demo: play the recording that is installed with clashd through a clashd of its own, and show the clashes on the page or here. */
#include "cli/output.h"
#include "ctl.h"
#include "event_text.h"
#include "platform/helper_place.h"
#include "talk.h"
#include "view.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "demo"
#define RECORDING "swings.jsonl.zst"
#define REQUEST "{\"type\":\"subscribe\",\"id\":\"demo\",\"events\":[\"clash\",\"release\",\"tracking\"]}"
/* What a game at 90 Hz may miss if it tests its frames alone. */
#define FRAME_NS (1e9 / 90.0)

typedef struct demo {
    bool no_browser, once, help;
    unsigned clashes, short_ones;
    double fastest;
    event_text text;
} demo;

static const flag flags[] = {
    FLAG_SWITCH("no-browser", demo, no_browser, "open nothing, and print the clashes here"),
    FLAG_SWITCH("once", demo, once, "play the swings once, instead of again and again"),
    FLAG_HELP(demo),
};

/* ---- clashes in the terminal ---- */

static bool show_clash(demo *d, const cJSON *message)
{
    const double speed = message_number(message, "closing_speed");
    char text[4096];
    const size_t length = event_text_format(&d->text, message, text, sizeof text);

    d->clashes++;
    d->fastest = speed > d->fastest ? speed : d->fastest;
    return output_write(text, length) && output_write("\n", 1);
}

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    demo *d = t->context;
    const char *type = message_string(message, "type");

    (void)line;
    if (strcmp(type, "hello") == 0) {
        char header[512];

        event_text_init(&d->text, message);
        event_text_header(&d->text, header, sizeof header);
        printf("%s\n", header);
    } else if (strcmp(type, "error") == 0) {
        return talk_refused(t, message);
    } else if (strcmp(type, "clash") == 0) {
        return show_clash(d, message);
    } else if (strcmp(type, "release") == 0) {
        d->short_ones += message_number(message, "duration_ns") < FRAME_NS;
    }
    return !d->once || strcmp(message_string(message, "reason"), "source_ended") != 0;
}

static void print_summary(const demo *d)
{
    if (d->clashes == 0)
        return;
    printf("\n%u clash%s, the fastest at %.1f m/s. %u %s over within one frame of a 90 Hz game, where a test of\n"
           "each frame alone can miss them.\n\n"
           "With a headset: start its OpenXR runtime, then 'clashd', and beside it 'clashctl watch'.\n",
           d->clashes, d->clashes == 1 ? "" : "es", d->fastest, d->short_ones, d->short_ones == 1 ? "was" : "were");
    fflush(stdout);
}

static int show_here(demo *d, view_clashd *c)
{
    talk t = {.command = COMMAND,
              .place = {.socket = c->socket},
              .on_line = on_line,
              .context = d,
              .code = CTL_DONE,
              .live = true,
              .is_silent_at_end = true,
              .is_over = view_clashd_is_told_to_end};
    int code = talk_run(&t, REQUEST);

    if (view_clashd_is_told_to_end())
        code = CTL_DONE; /* clashd may have ended before it answered */
    else if (code == CTL_DONE && t.has_ended)
        code = output_refuse(COMMAND, "clashd ended early: see above");
    if (code == CTL_DONE && output_has_reader())
        print_summary(d);
    view_clashd_stop(c);
    return code;
}

/* ---- the command ---- */

/* Find the recording where it is installed, or built. Return false after a message. */
static bool find_recording(char *out_path, size_t size)
{
    if (helper_place(CLASHD_DEMO_FROM_LIBEXEC "/" RECORDING, "CLASHD_DEMO", "ctl/demo", out_path, size) == 0 &&
        access(out_path, R_OK) == 0)
        return true;
    if (helper_place(RECORDING, "CLASHD_DEMO", "ctl/demo", out_path, size) == 0 && access(out_path, R_OK) == 0)
        return true;
    helper_place(CLASHD_DEMO_FROM_LIBEXEC "/" RECORDING, "CLASHD_DEMO", "ctl/demo", out_path, size);
    output_error(COMMAND, "cannot read the recording %s: %s", output_text(out_path), strerror(errno));
    return false;
}

static int run(void *target, char **words)
{
    demo *d = target;
    char recording[PATH_MAX];
    view_clashd c;
    failure error = {0};
    bool is_open = false;

    (void)words;
    if (!find_recording(recording, sizeof recording))
        return CTL_USAGE;
    if (!view_clashd_start_demo(&c, recording, !d->once, &error)) {
        output_error(COMMAND, "%s", error.text);
        return CTL_ABSENT;
    }
    fprintf(stderr, "A real person swings two sabers, for 20 s%s.\n", d->once ? "" : ", again and again until Ctrl-C");
    if (!d->no_browser)
        view_page_show(&(view_page){.command = COMMAND, .place = {.socket = c.socket}}, &is_open);
    if (view_clashd_is_told_to_end()) { /* while the browser was started */
        view_clashd_stop(&c);
        return CTL_DONE;
    }
    return is_open ? view_clashd_wait(&c) : show_here(d, &c);
}

const ctl_command ctl_demo = {
    .name = COMMAND,
    .summary = "play 20 s of real swings: clashes without a headset",
    .arguments = "[OPTION..]",
    .text = "Plays 20 s of a real person's saber swings through a clashd of its own, live,\n"
            "and opens the page that shows them. Without a browser it prints the clashes.\n"
            "Needs no headset, no OpenXR runtime and no settings, and does not affect a\n"
            "clashd that runs. Ends with Ctrl-C.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(demo),
    .run = run,
};
