/* clashctl's connection to a running clashd: libclash_client, lines as JSON, and messages for people if it does not
 * answer. */
#ifndef CLASHD_CTL_TALK_H
#define CLASHD_CTL_TALK_H

#include "cli/flags.h"

#include <cjson/cJSON.h>
#include <clash/client.h>

typedef struct talk talk;
/** A message and its line, valid during the call. Return false to end the talk. */
typedef bool (*talk_line_function)(talk *t, const cJSON *message, const char *line);

#define TALK_TICK_MS 50

/** Where clashd is. Strings as in clash_client_connect and clash_client_set_token_file. */
typedef struct talk_place {
    const char *socket;     /* NULL: as the user's configuration or the default says */
    const char *token_file; /* NULL: the one beside that socket */
} talk_place;

/** The flags of every command that talks to clashd; `member` of TARGET is a talk_place. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a member's name */
#define TALK_FLAGS(TARGET, member)                                 \
    FLAG_TEXT("socket", "ADDRESS", TARGET, member.socket,          \
              "where clashd listens: a path, unix:PATH,\n"         \
              "tcp:HOST:PORT or ws://HOST:PORT; default: as for\n" \
              "clashd"),                                           \
        FLAG_PATH("token-file", "FILE", TARGET, member.token_file, \
                  "for tcp: and ws: the file with the token;\n"    \
                  "default: the one beside clashd's socket")
/* NOLINTEND(bugprone-macro-parentheses) */

struct talk {
    const char *command;
    talk_place place;
    talk_line_function on_line;
    void *context;
    int code;       /* the command's exit code, set by the callback */
    int silence_ms; /* for how long an answer may take; 0: 10 s, within which the first one comes in any case */
    bool (*on_tick)(
        talk *t);    /* NULL, or called at least every TALK_TICK_MS: return false to end the talk; then silence does not
                     end it */
    bool live;       /* end only if the callback or clashd ends it, or nobody reads standard output any more; not after
                     silence_ms */
    bool comes_back; /* with `live`: when clashd ends, wait for it and make the request again */
    bool is_met;     /* it has sent something in any connection */
    bool has_ended;  /* clashd closed the connection */
    bool is_silent_at_end; /* do not report it: the command does, if it is an error */
    bool (*is_over)(void); /* NULL, or returns true once the user has ended the command: then nothing is reported */
    int retry_ms;          /* until the next attempt to connect */
    bool was_heard;        /* it has sent something in this connection */
    clash_client *client;  /* NULL before talk_run */
};

/** Connect, make the request, and hand over lines until the end; if the callback did not end it, print why on standard
 *  error. Return `code`, or what talk_explain_end returns if clashd never answered. */
int talk_run(talk *t, const char *request);
/** Say that clashd refuses, in its words, and end the talk with CTL_USAGE: returns false, for the callback to return. */
bool talk_refused(talk *t, const cJSON *error);
/** Send one more request, from within the callback. */
void talk_send(talk *t, const char *request);

/** Connect to clashd. NULL after a message on standard error; then *out_code is the exit code. */
clash_client *talk_connect(const char *command, const talk_place *place, const clash_client_listener *listener,
                           int *out_code);
/** Print why the client could not connect or why its connection ended, and what to do. `is_met`: clashd has sent something
 *  before. Return the exit code: CTL_USAGE for a bad address or a wrong token, else CTL_ABSENT. */
int talk_explain_end(const char *command, const talk_place *place, const clash_client *client, bool is_met);
/** Begin a connection to that place, with its token. Results as clash_client_connect. */
int talk_begin(clash_client *client, const talk_place *place);
/** Return whether it is the path of a Unix socket, *out_path; NULL is the user's own. False for other addresses, or if no
 *  path is known. */
bool talk_is_path(const char *socket, char *out_path, size_t size);
/** Write the address of that place, for people. Return out_text. */
const char *talk_place_text(const talk_place *place, char *out_text, size_t size);
/** Write the path of the file that should have the token of the clashd at that place. Return false if it does not fit. */
bool talk_token_path(const talk_place *place, char *out_path, size_t size);
/** Return the socket that the user's configuration names; NULL if none: then the library's default. */
const char *talk_configured_socket(char *out_path, size_t size);

#endif
