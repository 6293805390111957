/* The parts of a start that can be tried without consequences; see check.h. */
#include "check.h"

#include "ipc/socket_path.h"
#include "ipc/token.h"
#include "recorder/directory.h"
#include "scene/outlets.h"
#include "scene/scene.h"

#include <errno.h>
#include <string.h>

static void ignore_event(void *context, const clash_event *event)
{
    (void)context, (void)event;
}

static int check_scene(const config_values *config, failure *out_failure)
{
    const event_sink sinks = {.event = ignore_event};
    scene tried = {0};
    const int result = scene_open_of(&tried, config, &sinks, (logger){0}, out_failure);

    scene_close(&tried);
    return result;
}

static int check_recording(const config_values *config, const config_options *options, failure *out_failure)
{
    const char *directory = config->record.directory;
    const int error = options->record_path || !directory[0] ? 0 : record_directory_check(directory);

    return error == 0
               ? 0
               : fail_int(out_failure, "record.directory: cannot make files in %.800s: %s", directory, strerror(error));
}

/* The start itself finds out whether another clashd runs, or left its socket behind. */
static int check_socket(const config_values *config, failure *out_failure)
{
    const config_socket *s = &config->socket;

    if (s->token_file[0] && s->require_token && (s->tcp[0] || s->websocket[0]) &&
        token_check_kept(s->token_file, out_failure) != 0)
        return -1;
    return s->path[0] ? socket_path_check(s->path, out_failure) : 0;
}

int app_check_start(const config_settings *settings, const config_options *options, failure *out_failure)
{
    return check_socket(&settings->config, out_failure) != 0 ||
                   check_recording(&settings->config, options, out_failure) != 0 ||
                   outlets_check(&settings->config, out_failure) != 0 ||
                   check_scene(&settings->config, out_failure) != 0
               ? -1
               : 0;
}
