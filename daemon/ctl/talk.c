/* Ask clashd; see talk.h. */
#include "talk.h"

#include "cli/output.h"
#include "config/config.h"
#include "ctl.h"
#include "event_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A live daemon answers in a fraction of a millisecond. */
#define SILENCE_MS 10000
/* Between two attempts to connect again. */
#define RETRY_MIN_MS 100
#define RETRY_MAX_MS 5000

const char *talk_configured_socket(char *out_path, size_t size)
{
    config_values *config = malloc(sizeof *config);
    char file[CONFIG_PATH_MAX];
    failure error = {0};
    const char *found = NULL;

    if (!config)
        return NULL;
    config_defaults(config);
    /* A broken configuration is the daemon's to report. */
    if (config_default_path(file, sizeof file) == 0 && config_load(config, file, &error) == CONFIG_OK &&
        config->socket.path[0] && (size_t)snprintf(out_path, size, "%s", config->socket.path) < size)
        found = out_path;
    free(config);
    return found;
}

/* If socket.path cannot be read from the settings, the default may be the wrong place. */
static void report_broken_settings(const char *command)
{
    config_values *config = malloc(sizeof *config);
    char file[CONFIG_PATH_MAX];
    failure error = {0};

    if (config && config_default_path(file, sizeof file) == 0) {
        config_defaults(config);
        if (config_load(config, file, &error) == CONFIG_BAD)
            output_error(command, "the settings, which may name another socket, cannot be read: %s", error.text);
    }
    free(config);
}

clash_client *talk_connect(const char *command, const char *path, const clash_client_listener *listener)
{
    clash_client *client = clash_client_create(listener);
    char configured[CONFIG_PATH_MAX];
    bool is_absent;

    if (client &&
        clash_client_connect(client, path ? path : talk_configured_socket(configured, sizeof configured)) == 0)
        return client;
    is_absent = client && (errno == ENOENT || errno == ECONNREFUSED);
    output_error(command, "%s", client ? clash_client_problem(client) : "out of memory");
    if (!path && client)
        report_broken_settings(command);
    if (is_absent)
        fputs("Start one with 'clashd', or say where it listens with --socket PATH.\n", stderr);
    clash_client_destroy(client);
    return NULL;
}

static bool take_line(void *context, const char *line, size_t length)
{
    talk *t = context;
    cJSON *message = cJSON_ParseWithLength(line, length);

    if (!t->was_heard && t->has_ended)
        output_error(t->command, "clashd is there again");
    t->was_heard = true;
    t->has_ended = false;
    if (message && !t->on_line(t, message, line))
        clash_client_close(t->client);
    cJSON_Delete(message);
    return true;
}

/* cJSON accepts more than JSON allows, e.g. raw control characters in a string, which a terminal would obey. The
 * library does not. */
static void take_bad_line(void *context, const clash_client_reply *reply)
{
    const talk *t = context;
    const bool is_json = strncmp(reply->message, "not JSON", 8) != 0;

    output_error(t->command, "left out a line of clashd's%s%s", is_json ? ": " : " that is ", reply->message);
}

static void take_end(void *context, const char *reason)
{
    talk *t = context;

    (void)reason;
    if (!t->has_ended && !t->is_silent_at_end) /* report it once, however often it is tried */
        output_error(t->command, "clashd has closed the connection%s",
                     t->comes_back ? "; what comes when it is back is shown" : "");
    t->has_ended = true;
}

bool talk_refused(talk *t, const cJSON *error)
{
    t->code = CTL_USAGE;
    output_error(t->command, "clashd refuses: %s", message_string(error, "message"));
    return false;
}

void talk_send(talk *t, const char *request)
{
    /* A refused connection has an error to read, so a failed send is no reason to stop. */
    clash_client_send(t->client, request);
}

/* Follow until the connection ends. */
static void follow(talk *t)
{
    output_ready ready;

    do {
        ready = output_wait(clash_client_fd(t->client), clash_client_wants(t->client) & CLASH_CLIENT_WRITE,
                            t->on_tick          ? TALK_TICK_MS
                            : t->live           ? -1
                            : t->silence_ms > 0 ? t->silence_ms
                                                : SILENCE_MS,
                            t->live);
        if (t->on_tick && ready != OUTPUT_NO_READER) {
            if (!t->on_tick(t))
                return;
            ready = OUTPUT_READY; /* there may be nothing to read */
        }
    } while (ready == OUTPUT_READY && clash_client_dispatch(t->client) == 0);
    if (ready == OUTPUT_TIMEOUT)
        output_error(t->command, "clashd does not answer");
    if (t->live && t->code == CTL_ABSENT && !output_has_reader())
        t->code = CTL_DONE;
}

/* Connect without a message: that clashd is gone was already reported. */
static bool connect_again(talk *t)
{
    char configured[CONFIG_PATH_MAX];

    return clash_client_connect(t->client,
                                t->socket ? t->socket : talk_configured_socket(configured, sizeof configured)) == 0;
}

/* Return false if nobody reads standard output any more. */
static bool come_back(talk *t)
{
    t->retry_ms = t->was_heard || t->retry_ms == 0 ? RETRY_MIN_MS
                  : 2 * t->retry_ms < RETRY_MAX_MS ? 2 * t->retry_ms
                                                   : RETRY_MAX_MS;
    t->was_heard = false;
    while (output_wait(-1, false, t->retry_ms, true) == OUTPUT_TIMEOUT) {
        if (connect_again(t))
            return true;
        t->retry_ms = 2 * t->retry_ms < RETRY_MAX_MS ? 2 * t->retry_ms : RETRY_MAX_MS;
    }
    return false;
}

int talk_run(talk *t, const char *request)
{
    const clash_client_listener listener = {
        .context = t, .line = take_line, .error = take_bad_line, .disconnect = take_end};

    t->client = talk_connect(t->command, t->socket, &listener);
    if (!t->client)
        return CTL_ABSENT;
    output_begin(t->live);
    do {
        talk_send(t, request);
        follow(t);
    } while (t->comes_back && t->has_ended && come_back(t));
    if (t->comes_back && t->has_ended)
        t->code = CTL_DONE; /* nobody reads */
    clash_client_destroy(t->client);
    return output_end(t->command, t->code);
}
