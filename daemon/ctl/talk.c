/* Ask clashd; see talk.h. */
#include "talk.h"

#include "cli/output.h"
#include "config/config.h"
#include "ctl.h"
#include "event_text.h"
#include "ipc/socket_path.h"
#include "ipc/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool talk_is_path(const char *socket, char *out_path, size_t size)
{
    static const char prefix[] = "unix:";
    char configured[CONFIG_PATH_MAX];

    socket = socket ? socket : talk_configured_socket(configured, sizeof configured);
    if (!socket)
        return socket_path_default(out_path, size) >= 0;
    if (strncmp(socket, "tcp:", 4) == 0 || strncmp(socket, "ws://", 5) == 0)
        return false;
    if (strncmp(socket, prefix, sizeof prefix - 1) == 0)
        socket += sizeof prefix - 1;
    return (size_t)snprintf(out_path, size, "%s", socket) < size;
}

bool talk_token_path(const talk_place *place, char *out_path, size_t size)
{
    char path[CONFIG_PATH_MAX];
    const size_t length = place->token_file ? strlen(place->token_file) : 0;

    if (length > 0 && (length < 5 || strcmp(place->token_file + length - 5, ".sock") != 0))
        return (size_t)snprintf(out_path, size, "%s", place->token_file) < size;
    if (length > 0)
        return token_path_for(place->token_file, out_path, size) == 0;
    return (talk_is_path(place->socket, path, sizeof path) || talk_is_path(NULL, path, sizeof path)) &&
           token_path_for(path, out_path, size) == 0;
}

int talk_begin(clash_client *client, const talk_place *place)
{
    char path[CONFIG_PATH_MAX], beside[CONFIG_PATH_MAX];

    /* Without the file clashd may require none; if it does, it says so. */
    if (clash_client_set_token_file(client, place->token_file ? place->token_file
                                            : talk_token_path(place, beside, sizeof beside) && access(beside, F_OK) == 0
                                                ? beside
                                                : NULL) != 0)
        return -1;
    if (place->socket &&
        !strchr(place->socket, '/')) /* the client tells a name from a mistaken address by its prefix */
        return clash_client_connect(client, place->socket);
    return clash_client_connect(client, talk_is_path(place->socket, path, sizeof path) ? path : place->socket);
}

const char *talk_place_text(const talk_place *place, char *out_text, size_t size)
{
    char path[CONFIG_PATH_MAX];

    snprintf(out_text, size, "%s",
             talk_is_path(place->socket, path, sizeof path) ? path
             : place->socket                                ? place->socket
                                                            : "its socket");
    return out_text;
}

static void advise(const talk_place *place, clash_client_cause cause)
{
    const char *socket = place->socket ? place->socket : "";
    const char *port = strrchr(socket, ':');

    if (cause == CLASH_CLIENT_CAUSE_TOKEN)
        fputs("Name the file that has this clashd's token with --token-file FILE.\n", stderr);
    else if (cause == CLASH_CLIENT_CAUSE_UNREACHABLE && port &&
             !talk_is_path(socket, (char[CONFIG_PATH_MAX]){0}, CONFIG_PATH_MAX))
        fprintf(stderr, "Start one there with 'clashd --%s %s', or say where it listens with --socket ADDRESS.\n",
                socket[0] == 't' ? "tcp" : "websocket", output_text(port + 1));
    else if (cause == CLASH_CLIENT_CAUSE_UNREACHABLE)
        fputs("Start one with 'clashd', or say where it listens with --socket ADDRESS.\n", stderr);
}

int talk_explain_end(const char *command, const talk_place *place, const clash_client *client, bool is_met)
{
    const clash_client_cause cause = clash_client_problem_cause(client);

    output_error(command, "%s%s", clash_client_problem(client),
                 cause == CLASH_CLIENT_CAUSE_ENDED && !is_met ? " before it has answered: does clashd listen there?"
                                                              : "");
    if (!place->socket && cause == CLASH_CLIENT_CAUSE_UNREACHABLE)
        report_broken_settings(command);
    advise(place, cause);
    return cause == CLASH_CLIENT_CAUSE_TOKEN || cause == CLASH_CLIENT_CAUSE_ADDRESS ? CTL_USAGE : CTL_ABSENT;
}

clash_client *talk_connect(const char *command, const talk_place *place, const clash_client_listener *listener,
                           int *out_code)
{
    clash_client *client = clash_client_create(listener);

    if (client && talk_begin(client, place) == 0)
        return client;
    *out_code = client ? talk_explain_end(command, place, client, false) : output_refuse(command, "out of memory");
    clash_client_destroy(client);
    return NULL;
}

static bool take_line(void *context, const char *line, size_t length)
{
    talk *t = context;
    cJSON *message;

    if (clash_client_problem_cause(t->client) == CLASH_CLIENT_CAUSE_TOKEN)
        return true; /* take_end explains it */
    message = cJSON_ParseWithLength(line, length);
    if (!t->was_heard && t->has_ended)
        output_error(t->command, "clashd is there again");
    t->was_heard = t->is_met = true;
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
    talk *t = context;
    const bool is_json = strncmp(reply->message, "not JSON", 8) != 0;
    char text[CONFIG_PATH_MAX];

    if (!t->is_met &&
        strstr(reply->message, "expected a value at byte 0")) { /* one line says it, whatever else comes */
        talk_place_text(&t->place, text, sizeof text);
        output_error(t->command, "what listens at %s does not speak clashd's protocol%s%s", text,
                     strncmp(text, "tcp:", 4) == 0 ? "; if it is clashd's WebSocket address: --socket ws://" : "",
                     strncmp(text, "tcp:", 4) == 0 ? text + 4 : "");
        t->comes_back = false;
        t->is_met = t->is_silent_at_end = true;
        t->code = CTL_ABSENT;
        clash_client_close(t->client);
        return;
    }
    output_error(t->command, "left out a line of clashd's%s%s", is_json ? ": " : " that is ", reply->message);
}

static void take_end(void *context, const char *reason)
{
    talk *t = context;

    (void)reason;
    if (t->is_over && t->is_over()) {
        t->comes_back = false;
    } else if (!t->is_met || clash_client_problem_cause(t->client) == CLASH_CLIENT_CAUSE_TOKEN) {
        t->comes_back = false;
        t->code = talk_explain_end(t->command, &t->place, t->client, t->is_met);
    } else if (!t->has_ended && !t->is_silent_at_end) { /* report it once, however often it is tried */
        output_error(t->command, "clashd has closed the connection%s",
                     t->comes_back ? "; waiting until it is back" : "");
    }
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
    char text[CONFIG_PATH_MAX];
    output_ready ready;

    do {
        ready = output_wait(clash_client_fd(t->client), clash_client_wants(t->client) & CLASH_CLIENT_WRITE,
                            t->on_tick                       ? TALK_TICK_MS
                            : t->live && t->is_met           ? -1
                            : t->silence_ms > 0 && t->is_met ? t->silence_ms
                                                             : SILENCE_MS,
                            t->live);
        if (t->on_tick && ready != OUTPUT_NO_READER) {
            if (!t->on_tick(t))
                return;
            ready = OUTPUT_READY; /* there may be nothing to read */
        }
    } while (ready == OUTPUT_READY && clash_client_dispatch(t->client) == 0);
    if (ready == OUTPUT_TIMEOUT) {
        output_error(t->command, "%s does not answer: clashd hangs, or another program listens there",
                     talk_place_text(&t->place, text, sizeof text));
        t->code = CTL_ABSENT;
    }
    if (t->live && t->code == CTL_ABSENT && !output_has_reader())
        t->code = CTL_DONE;
}

/* Connect without a message: that clashd is gone was already reported. */
static bool connect_again(talk *t)
{
    return talk_begin(t->client, &t->place) == 0;
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

    t->client = talk_connect(t->command, &t->place, &listener, &t->code);
    if (!t->client)
        return t->code;
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
