/* clashd: from the command line to a run. */
#include "app/check.h"
#include "app/daemon.h"
#include "cli/printable.h"
#include "config/options.h"
#include "config/settings.h"
#include "log/log_output.h"
#include "viewer/viewer.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define EXIT_USAGE 2
/* Blocks from here on are mapped on their own, and go back to the system when they are freed. Less than the pieces in which
 * the latest events are kept (server/history.h), which would lie between all that comes and goes. */
#define LARGE_BLOCK_BYTES (128 * 1024)

static int refuse_usage(const char *message)
{
    char shown[4096];

    fprintf(stderr, "clashd: %s\nTry 'clashd --help'.\n", printable(message, shown, sizeof shown));
    return EXIT_USAGE;
}

static void print_warning(void *context, const char *line)
{
    failure placed = {0};
    char shown[4096];

    fail_with(&placed, "%s", line);
    config_settings_place(context, &placed);
    printf("but: %s\n", printable(placed.text, shown, sizeof shown));
}

static int check(const config_settings *settings, const config_options *options, logger log)
{
    failure error = {0};

    if (app_check_start(settings, options, &error) < 0) {
        config_settings_place(settings, &error);
        LOG_ERROR(&log, "%s", error.text);
        return EXIT_USAGE;
    }
    printf("%s: all right\n", settings->config_path[0] ? settings->config_path : "no settings file, defaults only");
    if (!config_can_clash(&settings->config))
        printf("but: %s\n", config_why_no_clash(&settings->config));
    config_check_devices(&settings->config, options->source, print_warning, (void *)settings);
    config_check_shapes(&settings->config, print_warning, (void *)settings);
    return EXIT_SUCCESS;
}

static int load_and_run(config_options *options)
{
    config_settings *settings = malloc(sizeof *settings);
    failure error = {0};
    log_output log;
    int code = EXIT_USAGE;

    log_output_init(&log, "clashd", options->level.is_given ? options->level.is : LOG_LEVEL_INFO);
    if (!settings || config_settings_load(settings, options, &error) < 0) {
        logger port = log_output_port(&log);
        LOG_ERROR(&port, "%s", settings ? error.text : "out of memory");
    } else if (options->action == CONFIG_CHECK) {
        code = check(settings, options, log_output_port(&log));
    } else {
        log_output_set_level(&log, settings->config.log_level);
        code = app_daemon_run(settings, options, viewer_assets(), &log);
    }
    free(settings);
    log_output_finish(&log);
    return code;
}

/* Fix the limit: glibc raises its own with every large block that is freed, up to 32 MiB. What waited while a disk was
 * full would then leave holes between small blocks that stay, and a clashd that runs for days would slowly grow. */
static void return_large_blocks(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
#endif
}

int main(int argc, char **argv)
{
    config_options options;
    failure error = {0};

    if (config_options_parse(argc, argv, &options, &error) < 0)
        return refuse_usage(error.text);
    switch (options.action) {
    case CONFIG_HELP:
        config_options_help();
        return EXIT_SUCCESS;
    case CONFIG_VERSION:
        printf("clashd %s\n", CLASH_VERSION_STRING);
        return EXIT_SUCCESS;
    case CONFIG_CHECK:
    case CONFIG_RUN:
        break;
    }
    return_large_blocks();
    return load_and_run(&options);
}
