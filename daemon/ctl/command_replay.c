/* clashctl replay: control the recording that a running clashd plays, and print where it is then. */
#include "cli/output.h"
#include "ctl.h"
#include "event_text.h"
#include "talk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COMMAND "replay"
#define STATUS "{\"type\":\"status\",\"id\":\"" COMMAND "\"}"
/* Ask again at this interval until it has arrived, at most ASK_MAX times. */
#define ASK_AGAIN_NS 20000000
#define ASK_MAX 3000
/* The largest number of seconds whose nanoseconds are an exact integer in JSON. */
#define SECONDS_MAX 9e6
#define SPEED_MIN 0.001
#define SPEED_MAX 1000.0
#define FRAMES_MAX 100000.0

typedef struct replay_command {
    talk_place place;
    bool help, json;
    const char *action;
    char request[256];
    unsigned asked;
} replay_command;

static const flag flags[] = {
    TALK_FLAGS(replay_command, place),
    FLAG_SWITCH("json", replay_command, json, "print what it does then as an object of JSON"),
    FLAG_HELP(replay_command),
};

/* ---- the answer ---- */

static void print_state(const cJSON *replay)
{
    const double position_s = message_number(replay, "position_ns") * 1e-9;
    const double start_s = message_number(replay, "start_ns") * 1e-9;
    const double end_s = message_number(replay, "end_ns") * 1e-9, speed = message_number(replay, "speed");

    printf("%s at %.3f s, of %.3f s to %.3f s, ", output_text(message_string(replay, "state")), position_s, start_s,
           end_s);
    if (speed == 1.0)
        printf("at its own speed");
    else if (speed > 0.0)
        printf("at %g times its speed", speed);
    else
        printf("as fast as possible");
    printf("%s, %s\n", cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(replay, "loop")) ? ", for ever" : "",
           output_text(message_string(replay, "file")));
}

static void print_json(const cJSON *replay)
{
    char *text = cJSON_PrintUnformatted(replay);

    if (text)
        output_json(text);
    cJSON_free(text);
}

static bool ask_again(talk *t)
{
    const struct timespec pause = {.tv_nsec = ASK_AGAIN_NS};
    replay_command *r = t->context;

    if (r->asked++ > 0)
        nanosleep(&pause, NULL);
    talk_send(t, STATUS);
    return true;
}

static bool take_status(talk *t, const cJSON *message)
{
    const cJSON *replay = cJSON_GetObjectItemCaseSensitive(message, "replay");
    const replay_command *r = t->context;

    if (!replay) {
        t->code = CTL_USAGE;
        output_error(COMMAND, "clashd plays no recording: its poses come from %s", message_string(message, "source"));
        return false;
    }
    if (strcmp(message_string(replay, "state"), "seeking") == 0 && r->asked < ASK_MAX)
        return ask_again(t);
    t->code = CTL_DONE;
    if (r->json)
        print_json(replay);
    else
        print_state(replay);
    return false;
}

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    const char *type = message_string(message, "type");

    (void)line;
    if (strcmp(type, "ok") == 0)
        return ask_again(t);
    if (strcmp(type, "status") == 0)
        return take_status(t, message);
    if (strcmp(type, "error") != 0)
        return true;
    return talk_refused(t, message);
}

/* ---- the words ---- */

#define EXPECTED "expected pause, resume, step [FRAMES], seek SECONDS, speed N|max, or status"
#define EXPECT(text) (output_usage_error(COMMAND, text), false)

static bool add_number(replay_command *r, const char *key, double number)
{
    snprintf(r->request, sizeof r->request,
             "{\"type\":\"replay\",\"id\":\"" COMMAND "\",\"action\":\"%s\",\"%s\":%.17g}", r->action, key, number);
    return true;
}

/* Put a number into its field. Return false after a message if the word is not allowed. */
static bool take_number(replay_command *r, const char *word)
{
    double number = 1.0;
    const bool is_number = !word || flags_parse_number(word, &number);

    if (strcmp(r->action, "step") == 0)
        return is_number && number >= 1.0 && number <= FRAMES_MAX && floor(number) == number
                   ? add_number(r, "frames", number)
                   : EXPECT("step: expected a whole number of frames from 1 to 100000");
    if (strcmp(r->action, "seek") == 0)
        return word && is_number && fabs(number) <= SECONDS_MAX
                   ? add_number(r, "time_ns", nearbyint(number * 1e9))
                   : EXPECT("seek: expected seconds in the recording's own times");
    if (word && strcmp(word, "max") == 0)
        return add_number(r, "speed", 0.0);
    return word && is_number && number >= SPEED_MIN && number <= SPEED_MAX
               ? add_number(r, "speed", number)
               : EXPECT("speed: expected a number from 0.001 to 1000, or max");
}

static bool take_words(replay_command *r, char **words)
{
    static const char *const plain[] = {"pause", "resume", "status"};
    static const char *const numbered[] = {"step", "seek", "speed"};

    for (size_t i = 0; !words[1] && i < 3; i++)
        if (strcmp(words[0], plain[i]) == 0) {
            r->action = plain[i];
            if (i < 2)
                snprintf(r->request, sizeof r->request,
                         "{\"type\":\"replay\",\"id\":\"" COMMAND "\",\"action\":\"%s\"}", r->action);
            return true;
        }
    for (size_t i = 0; i < 3; i++)
        if (strcmp(words[0], numbered[i]) == 0) {
            r->action = numbered[i];
            return take_number(r, words[1]);
        }
    return EXPECT(EXPECTED);
}

static int run(void *target, char **words)
{
    replay_command *r = target;

    if (!take_words(r, words))
        return CTL_USAGE;
    return talk_run(
        &(talk){.command = COMMAND, .place = r->place, .on_line = on_line, .context = r, .code = CTL_ABSENT},
        r->request);
}

const ctl_command ctl_replay = {
    .name = COMMAND,
    .summary = "pause, step and seek in a recording that clashd plays",
    .arguments = "pause|resume|step|seek|speed|status [OPTION..]",
    .text = "Controls the recording that clashd plays (clashd --source replay:FILE),\n"
            "for all its clients, and prints where it is then.\n\n"
            "  pause, resume\n"
            "  step [FRAMES]     go on by so many samples, and pause\n"
            "  seek SECONDS      go to a time of the recording, forward or back\n"
            "  speed N|max       N times that of the recording, or as fast as possible\n"
            "  status            only say where it is\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 1, .most = 2, .first = "pause resume step seek speed status"},
    .expected = EXPECTED,
    .size = sizeof(replay_command),
    .defaults = &(replay_command){.request = STATUS},
    .run = run,
};
