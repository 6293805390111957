/* clashctl's way to a running clashd: libclash_client, lines as JSON, and what people are told if it does not answer. */
#ifndef CLASHD_CTL_TALK_H
#define CLASHD_CTL_TALK_H

#include <cjson/cJSON.h>
#include <clash/client.h>

typedef struct talk talk;
/** A message and its line, valid during the call. False ends the talk. */
typedef bool (*talk_line_function)(talk *t, const cJSON *message, const char *line);

#define TALK_TICK_MS 50

struct talk {
    const char *command;
    const char *socket; /* NULL: where the user's configuration or the default says */
    talk_line_function on_line;
    void *context;
    int code;       /* how the command ends, for the callback to set */
    int silence_ms; /* after which clashd does not answer; 0: 10 s */
    bool (*on_tick)(
        talk *t); /* NULL, or called at least every TALK_TICK_MS; false ends the talk, and silence does not */
    bool live;    /* no end but the callback's, clashd's, or nobody reads standard output any more; else silence_ms */
    bool comes_back;      /* with `live`: where clashd ends it is waited for, and the request is made again */
    bool has_ended;       /* clashd has closed the connection */
    int retry_ms;         /* until the next attempt to connect */
    bool was_heard;       /* it has said something in this one */
    clash_client *client; /* NULL before talk_run */
};

/** Connects, makes the request, and hands over lines until the end; says on standard error why that is not the callback's.
 *  Returns `code`, or CTL_ABSENT if nobody listens. */
int talk_run(talk *t, const char *request);
/** One request more, from within the callback. */
void talk_send(talk *t, const char *request);

/** A connection to clashd, `path` as `socket` above. NULL with the reason said on standard error. */
clash_client *talk_connect(const char *command, const char *path, const clash_client_listener *listener);
/** Where the user's configuration says that clashd listens; NULL if it does not: the library's default then. */
const char *talk_configured_socket(char *out_path, size_t size);

#endif
