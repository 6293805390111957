/* clashctl's connection to a running clashd: libclash_client, lines as JSON, and messages for people if it does not
 * answer. */
#ifndef CLASHD_CTL_TALK_H
#define CLASHD_CTL_TALK_H

#include <cjson/cJSON.h>
#include <clash/client.h>

typedef struct talk talk;
/** A message and its line, valid during the call. Return false to end the talk. */
typedef bool (*talk_line_function)(talk *t, const cJSON *message, const char *line);

#define TALK_TICK_MS 50

struct talk {
    const char *command;
    const char *socket; /* NULL: as the user's configuration or the default says */
    talk_line_function on_line;
    void *context;
    int code;       /* the command's exit code, set by the callback */
    int silence_ms; /* without an answer for so long clashd counts as dead; 0: 10 s */
    bool (*on_tick)(
        talk *t);    /* NULL, or called at least every TALK_TICK_MS: return false to end the talk; then silence does not
                     end it */
    bool live;       /* end only if the callback or clashd ends it, or nobody reads standard output any more; not after
                     silence_ms */
    bool comes_back; /* with `live`: when clashd ends, wait for it and make the request again */
    bool has_ended;  /* clashd closed the connection */
    bool is_silent_at_end; /* do not report it: the command does, if it is an error */
    int retry_ms;          /* until the next attempt to connect */
    bool was_heard;        /* it has sent something in this connection */
    clash_client *client;  /* NULL before talk_run */
};

/** Connect, make the request, and hand over lines until the end; if the callback did not end it, print why on standard
 *  error. Return `code`, or CTL_ABSENT if nobody listens. */
int talk_run(talk *t, const char *request);
/** Say that clashd refuses, in its words, and end the talk with CTL_USAGE: returns false, for the callback to return. */
bool talk_refused(talk *t, const cJSON *error);
/** Send one more request, from within the callback. */
void talk_send(talk *t, const char *request);

/** Connect to clashd; `path` as `socket` above. NULL after a message on standard error. */
clash_client *talk_connect(const char *command, const char *path, const clash_client_listener *listener);
/** Return the socket that the user's configuration names; NULL if none: then the library's default. */
const char *talk_configured_socket(char *out_path, size_t size);

#endif
