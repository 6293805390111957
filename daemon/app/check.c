/* The parts of a start that can be tried without consequences; see check.h. */
#include "check.h"

#include "ipc/token.h"
#include "recorder/directory.h"
#include "scene/outlets.h"
#include "scene/scene.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void ignore_event(void *context, const clash_event *event)
{
    (void)context, (void)event;
}

static int check_scene(const config_values *config, failure *out_failure)
{
    const pipeline_settings settings = config_pipeline_settings(config);
    const event_sink sinks = {.event = ignore_event};
    scene tried = {0};
    int result;

    result = scene_open(&tried, &settings, &sinks, (logger){0}) != 0 ||
                     scene_define_blades_of(&tried, config, out_failure) != 0 ||
                     scene_define_targets_of(&tried, config, out_failure) != 0
                 ? fail_int(out_failure, "out of memory") /* unless a more exact reason is noted */
                 : 0;
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
    const char *path = s->path, *slash = strrchr(path, '/');
    char directory[CONFIG_PATH_MAX] = ".";
    struct stat about;

    if (s->token_file[0] && s->require_token && (s->tcp[0] || s->websocket[0]) &&
        token_check_kept(s->token_file, out_failure) != 0)
        return -1;
    if (!path[0])
        return 0;
    if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return fail_int(out_failure, "socket.path: %.800s: too long: %zu bytes at most", path,
                        sizeof((struct sockaddr_un *)0)->sun_path - 1);
    if (slash)
        snprintf(directory, sizeof directory, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (stat(directory, &about) != 0)
        return fail_int(out_failure, "socket.path: %.800s: %s", directory, strerror(errno));
    if (!S_ISDIR(about.st_mode) || access(directory, W_OK | X_OK) != 0)
        return fail_int(out_failure, "socket.path: %.800s: %s", directory,
                        strerror(S_ISDIR(about.st_mode) ? errno : ENOTDIR));
    if (lstat(path, &about) == 0 && !S_ISSOCK(about.st_mode))
        return fail_int(out_failure, "socket.path: %.800s: is there already, and is no socket", path);
    return 0;
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

/* ---- devices ---- */

/* A recording's devices are known only at its end. */
static const char *why_fed(const config_options *options, const char *device)
{
    const config_source *source = &config_sources[options->source];
    const size_t length = strlen(device);
    const char *at = length > 0 ? source->devices : NULL;

    while (at && *at) {
        const size_t one = strcspn(at, " ");

        if (at[one - 1] == '*' ? strncmp(at, device, one - 1) == 0 : one == length && strncmp(at, device, one) == 0)
            return NULL;
        at += one + (at[one] == ' ');
    }
    return at ? source->why : NULL;
}

void app_check_devices(const config_settings *settings, const config_options *options,
                       void (*say)(void *context, const char *line), void *context)
{
    const config_values *config = &settings->config;
    const size_t count = config->blade_count + config->target_count;
    char line[512];

    for (size_t i = 0; i < count; i++) {
        const bool is_blade = i < config->blade_count;
        const size_t k = is_blade ? i : i - config->blade_count;
        const char *name = is_blade ? config->blades[k].name : config->targets[k].name;
        const char *device = is_blade ? config->blades[k].device : config->targets[k].device;
        const char *why = why_fed(options, device);

        if (!why)
            continue;
        snprintf(line, sizeof line, "%s.%s: the device '%s' has poses only while a client feeds it: %s",
                 is_blade ? "blades" : "targets", name, device, why);
        say(context, line);
    }
}
