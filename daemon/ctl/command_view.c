/* clashctl view: clashd's page in the browser, of the clashd that runs, else of one that is started for it; or a recording in it. */
#include "cli/name_end.h"
#include "cli/output.h"
#include "config/config.h"
#include "ctl.h"
#include "foreign.h"
#include "talk.h"
#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMMAND "view"

typedef struct view {
    talk_place place;
    bool no_browser, is_overlay, help;
    const char *file;
} view;

static const flag flags[] = {
    TALK_FLAGS(view, place),
    FLAG_SWITCH("no-browser", view, no_browser, "only print the address, and open nothing"),
    FLAG_SWITCH("overlay", view, is_overlay, "the page for a stream, for OBS"),
    FLAG_HELP(view),
};

static bool is_running(const char *path)
{
    static const clash_client_listener nobody = {0};
    clash_client *client = clash_client_create(&nobody);
    const bool result = client && clash_client_connect(client, path) == 0;

    clash_client_destroy(client);
    return result;
}

/* Show the page of the clashd at that place. */
static int show(const view *v, const talk_place *place, const char *log)
{
    bool is_open;

    return view_page_show(&(view_page){COMMAND, *place, v->is_overlay, v->no_browser, log}, &is_open);
}

static int show_own(view *v, view_clashd *c)
{
    const int code = show(v, &(talk_place){.socket = c->socket}, c->log);

    if (code != CTL_DONE) {
        view_clashd_stop(c);
        return code;
    }
    fputs(c->directory[0] ? "Shown until Ctrl-C.\n" : "No clashd was running: this one runs until Ctrl-C.\n", stderr);
    return view_clashd_wait(c);
}

static int view_file(view *v)
{
    view_clashd c;
    struct stat file;
    failure error = {0};
    foreign copy = {0};
    const char *path = v->file;
    int code = CTL_USAGE;

    if (stat(v->file, &file) != 0)
        fail_with(&error, "%s: %s", v->file, strerror(errno));
    else if (!S_ISREG(file.st_mode))
        fail_with(&error, "%s: expected a regular file", v->file);
    else
        path = foreign_begin(&copy, COMMAND, v->file, false, &error);
    if (path == v->file && !error.text[0] && !name_ends_in(path, ".jsonl") && !name_ends_in(path, ".jsonl.zst"))
        fail_with(&error, "%s: expected " FOREIGN_FORMATS, v->file);
    if (!error.text[0] && view_clashd_start_for(&c, path, &error))
        code = show_own(v, &c);
    else
        output_error(COMMAND, "%s", error.text);
    foreign_end(&copy);
    return code;
}

/* Return whether the user's settings say where pages come in. */
static bool has_port(void)
{
    config_values *config = malloc(sizeof *config);
    char path[CONFIG_PATH_MAX];
    failure error = {0};
    bool result = false;

    if (config && config_default_path(path, sizeof path) == 0) {
        config_defaults(config);
        result = config_load(config, path, &error) == CONFIG_OK && config->socket.websocket[0];
    }
    free(config);
    return result;
}

static int view_live(view *v)
{
    char configured[CONFIG_PATH_MAX];
    failure error = {0};
    view_clashd c;

    if (v->place.socket)
        return show(v, &v->place, NULL);
    if (!talk_is_path(NULL, configured, sizeof configured))
        return output_refuse(COMMAND, "the default path of the socket is too long: give --socket ADDRESS");
    if (is_running(configured))
        return show(v, &v->place, NULL);
    if (view_clashd_start(&c, configured, !has_port(), &error))
        return show_own(v, &c);
    output_error(COMMAND, "%s", error.text);
    return CTL_ABSENT;
}

static int run(void *target, char **words)
{
    view *v = target;

    if (words[0] && (v->place.socket || v->place.token_file))
        return output_usage_error(COMMAND, "expected either FILE or --socket");
    v->file = words[0];
    return v->file ? view_file(v) : view_live(v);
}

const ctl_command ctl_view = {
    .name = COMMAND,
    .summary = "open clashd's page in the browser: live, or a recording",
    .arguments = "[FILE] [OPTION..]",
    .text = "Prints the address of clashd's page and opens it in the browser. If no clashd\n"
            "runs it starts one with your settings, which ends with Ctrl-C. With FILE, a\n"
            "recording, it starts one that shows that file and those beside it, and\n"
            "nothing else; an MCAP file or a Beat Saber replay is shown alone. The address\n"
            "contains the token: keep it secret.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 0, .most = 1},
    .expected = "expected at most one recording",
    .size = sizeof(view),
    .run = run,
};
