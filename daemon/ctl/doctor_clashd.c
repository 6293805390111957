/* clashd: whether it answers, what its source does, and which poses come: whose, how often, how evenly and how old. See
 * doctor.h. */
#include "config/config.h"
#include "config/sources.h"
#include "doctor.h"

#include "cli/nearest_word.h"
#include "cli/output.h"
#include "event_text.h"
#include "platform/monotonic.h"
#include "sources/openxr/openxr.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ANSWER_S 5.0
#define DEVICES_MAX 16
#define SLOW_HZ 30.0
#define OLD_NS 100e6
#define CLOCK_ERROR_NS 2e6
/* Least closing speeds, m/s, of which the first leaves out soft hits, the second most of what a human does. */
#define SOFT_SPEED 5.0
#define HUMAN_SPEED 30.0
#define TRACKERS "XR_HTCX_vive_tracker_interaction"

typedef struct device {
    char name[128];
    uint64_t count, tracked;
    int64_t first_ns, last_ns;
    double intervals, squares, ages; /* ns, sums */
} device;

typedef struct talk_state {
    doctor *d;
    cJSON *hello, *config, *status; /* what it has sent; NULL: nothing */
    char version[64], message[256];
    bool is_greeted, is_over;
    clash_client_cause refusal; /* if it does not answer */
    device devices[DEVICES_MAX];
    size_t device_count;
} talk_state;

/* ---- what it says ---- */

static void on_hello(void *context, const clash_client_hello *hello)
{
    talk_state *t = context;

    t->is_greeted = true;
    snprintf(t->version, sizeof t->version, "%s", hello->version);
}

static cJSON **place_for(talk_state *t, const char *type)
{
    if (!type)
        return NULL;
    return strcmp(type, "hello") == 0    ? &t->hello
           : strcmp(type, "config") == 0 ? &t->config
           : strcmp(type, "status") == 0 ? &t->status
                                         : NULL;
}

/* Keep the first of each. hello is the client's, too. */
static bool on_line(void *context, const char *line, size_t length)
{
    talk_state *t = context;
    cJSON *message = t->status ? NULL : cJSON_ParseWithLength(line, length);
    cJSON **place = place_for(t, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "type")));

    if (!place || *place) {
        cJSON_Delete(message);
        return false;
    }
    *place = message;
    return place != &t->hello;
}

static void on_error(void *context, const clash_client_reply *reply)
{
    talk_state *t = context;

    snprintf(t->message, sizeof t->message, "%s", reply->message);
}

static void on_disconnect(void *context, const char *reason)
{
    talk_state *t = context;

    t->is_over = true;
    if (!t->message[0])
        snprintf(t->message, sizeof t->message, "%s", reason);
}

static void take_pose(talk_state *t, int64_t time_ns, const clash_client_pose *pose)
{
    device *d = t->devices;

    while (d < t->devices + t->device_count && strcmp(d->name, pose->device) != 0)
        d++;
    if (d == t->devices + DEVICES_MAX)
        return;
    if (d == t->devices + t->device_count) {
        *d = (device){.first_ns = time_ns, .last_ns = time_ns};
        snprintf(d->name, sizeof d->name, "%s", pose->device);
        t->device_count++;
    } else {
        const double interval = (double)(time_ns - d->last_ns);

        d->intervals += interval;
        d->squares += interval * interval;
    }
    d->last_ns = time_ns;
    d->ages += (double)(monotonic_ns() - time_ns);
    d->tracked += pose->valid && pose->tracked;
    d->count++;
}

static void on_poses(void *context, int64_t time_ns, const clash_client_pose *poses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        take_pose(context, time_ns, &poses[i]);
}

/* ---- whether it answers ---- */

static void pass_time(talk_state *t, clash_client *client, double seconds, bool until_status)
{
    const int64_t until = monotonic_ns() + (int64_t)(1e9 * seconds);

    for (int64_t left = until - monotonic_ns(); left > 0 && !t->is_over && !(until_status && t->status);
         left = until - monotonic_ns()) {
        output_wait(clash_client_fd(client), clash_client_wants(client) & CLASH_CLIENT_WRITE, (int)(left / 1000000) + 1,
                    false);
        clash_client_dispatch(client);
    }
}

static void judge_refusal(const talk_state *t, clash_client_cause cause)
{
    if (cause == CLASH_CLIENT_CAUSE_TOKEN)
        doctor_wrong(
            t->d, "wrong_token",
            "Name the file that clashd wrote beside its Unix socket, clashd.token, with --token-file; it is another "
            "one at each start of clashd.",
            "clashd does not take the token: %s", t->message);
    else
        doctor_wrong(t->d, "clashd_refuses", "Do what it says, or look into its log.", "clashd refuses: %s",
                     t->message);
}

static void judge_absence(const talk_state *t, clash_client_cause cause, const char *problem)
{
    const char *socket = t->d->place.socket;
    const bool is_tcp = socket && strncmp(socket, "tcp:", 4) == 0;

    doctor_wrong(t->d, cause == CLASH_CLIENT_CAUSE_UNREACHABLE ? "no_clashd" : "cannot_connect",
                 is_tcp ? "Start it with 'clashd --tcp PORT', or say where it listens with --socket."
                        : "Start it with 'clashd' or 'systemctl --user start clashd', or say where it listens with "
                          "--socket.",
                 "%s", problem);
}

static bool begin(talk_state *t, clash_client *client)
{
    const clash_client_subscription wanted = {.events = CLASH_CLIENT_POSES};
    clash_client_cause cause;

    if (talk_begin(client, &t->d->place) != 0) {
        judge_absence(t, clash_client_problem_cause(client), clash_client_problem(client));
        return false;
    }
    clash_client_send(client, "{\"type\":\"config\",\"id\":\"doctor-config\"}");
    clash_client_send(client, "{\"type\":\"status\",\"id\":\"doctor\"}");
    clash_client_subscribe(client, "poses", &wanted);
    pass_time(t, client, ANSWER_S, true);
    if (t->status)
        return true;
    cause = t->refusal = clash_client_problem_cause(client);
    if (cause == CLASH_CLIENT_CAUSE_UNREACHABLE)
        judge_absence(t, cause, t->message);
    else if (t->message[0])
        judge_refusal(t, cause);
    else
        doctor_wrong(t->d, "clashd_hangs",
                     "Stop it ('systemctl --user restart clashd', or kill -9), and look into its log.",
                     "clashd takes the connection and does not answer within %.0f s", ANSWER_S);
    return false;
}

/* ---- what it does ---- */

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return text ? text : "";
}

static bool is_source(const char *name, config_source_kind kind)
{
    return strcmp(name, config_sources[kind].name) == 0;
}

/* Return a setting in force; NULL if clashd did not say. */
static const cJSON *setting(const talk_state *t, const char *key)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(t->config, "settings"))
    {
        if (strcmp(text_of(one, "key"), key) == 0)
            return one;
    }
    return NULL;
}

/* Return the number; negative if it is none. */
static double number_of(const talk_state *t, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(setting(t, key), "value");

    return cJSON_IsNumber(value) ? value->valuedouble : -1.0;
}

static const char *file_of(const talk_state *t)
{
    const char *file = text_of(t->config, "file");

    return file[0] ? file : "the settings";
}

static void judge_stall(const talk_state *t)
{
    if (strstr(text_of(t->status, "detail"), OPENXR_HELPER_NAME))
        doctor_wrong(t->d, "helper_hangs", "Let it go on (kill -CONT), or end it: clashd then starts another.",
                     OPENXR_HELPER_NAME
                     ", the process in which clashd has the runtime, does not answer: it was stopped, or the "
                     "machine is overloaded");
    else
        doctor_wrong(t->d, "runtime_hangs",
                     "Restart the runtime, or the headset's software; clashd goes on by itself then.",
                     "clashd's OpenXR runtime has stopped to answer");
}

static void note_no_source(const talk_state *t)
{
    const bool is_flag = strcmp(text_of(setting(t, "openxr.enabled"), "source"), "flag") == 0;
    char what[1024];

    snprintf(what, sizeof what, "Set openxr.enabled to true in %s and start clashd again, or let a game feed it.",
             file_of(t));
    doctor_note(t->d, "no_source",
                is_flag || !t->config ? "Start clashd without --source none, or let a game feed it." : what,
                "clashd was told to take poses from clients only");
}

static void judge_source(const talk_state *t)
{
    const char *source = text_of(t->status, "source"), *state = text_of(t->status, "state"),
               *detail = text_of(t->status, "detail");
    const bool is_openxr = is_source(source, CONFIG_SOURCE_OPENXR);
    const double rate = number_of(t, "openxr.rate_hz");

    t->d->has_other_source = !is_openxr;
    if (is_openxr && strcmp(state, "stalled") == 0)
        judge_stall(t);
    else if (is_openxr && strcmp(state, "running") != 0)
        doctor_wrong(t->d, "source_waits", "See what is said of the runtime above; clashd tries again by itself.",
                     "clashd has no poses of OpenXR: %s", detail[0] ? detail : state);
    else if (is_openxr && strstr(detail, "another program"))
        doctor_wrong(
            t->d, "unfocused",
            t->d->has_layer
                ? "Start the game again, so that the layer is in it, or leave it."
                : "That is so while a game has the focus: let the game feed clashd, or 'clashctl layer enable'.",
            "another program has the focus: %s", detail);
    else if (is_source(source, CONFIG_SOURCE_NONE))
        note_no_source(t);
    if (is_openxr && rate > 0.0 && rate < SLOW_HZ)
        doctor_wrong(t->d, "slow_rate", "Leave out --rate and openxr.rate_hz: then clashd chooses the rate itself.",
                     "clashd asks OpenXR for poses at %g Hz only: fast strokes are guessed between them", rate);
}

static const cJSON *status_of(const talk_state *t, const char *name)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(t->status, "devices"))
    {
        if (strcmp(text_of(one, "device"), name) == 0)
            return one;
    }
    return NULL;
}

static void judge_rate(const talk_state *t, const device *p, double rate, double jitter_ns)
{
    const bool is_openxr = strcmp(text_of(status_of(t, p->name), "source"), "openxr") == 0;
    const double asked = number_of(t, "openxr.rate_hz"), gap_ms = number_of(t, "contact.max_gap_ms");

    if (rate <= 0.0)
        return;
    if (rate < SLOW_HZ && !(is_openxr && asked > 0.0 && asked < SLOW_HZ)) /* that is said of clashd */
        doctor_wrong(t->d, "slow_poses",
                     is_openxr ? "See what keeps the processor or the runtime busy."
                               : "A game that feeds clashd has to do so in each of its frames.",
                     "%s comes %.1f times a second: fast strokes are guessed between its poses", p->name, rate);
    else if (rate >= SLOW_HZ && jitter_ns > 1e9 / rate)
        doctor_wrong(t->d, "uneven_poses", "See what keeps the processor busy; poses need their own times, too.",
                     "the poses of %s come unevenly: %.1f ms, give or take %.1f ms", p->name, 1e3 / rate,
                     1e-6 * jitter_ns);
    if (gap_ms >= 0.0 && gap_ms < 1e3 / rate)
        doctor_wrong(t->d, "gaps_cut", "Raise contact.max_gap_ms, or leave it out.",
                     "the poses of %s come %.1f ms apart, and contact.max_gap_ms is %g: nothing between them is swept",
                     p->name, 1e3 / rate, gap_ms);
}

static void judge_device(const talk_state *t, const device *p, double rate, double jitter_ns, double age_ns)
{
    if (p->tracked == 0)
        doctor_wrong(t->d, "untracked", "Switch it on, and hold it where it is seen.", "%s comes, but is not tracked",
                     p->name);
    else
        judge_rate(t, p, rate, jitter_ns);
    if (fabs(age_ns) > OLD_NS)
        doctor_wrong(
            t->d, age_ns > 0.0 ? "old_poses" : "early_poses",
            "The program that feeds it has to give times of CLOCK_MONOTONIC; see openxr.lookahead_ms in the settings.",
            "the poses of %s are %.0f ms %s", p->name, 1e-6 * fabs(age_ns), age_ns > 0.0 ? "old" : "ahead");
}

static void print_device(const talk_state *t, const device *p)
{
    const double count = (double)p->count - 1.0, mean = count > 0.0 ? p->intervals / count : 0.0;
    const double rate = mean > 0.0 ? 1e9 / mean : 0.0, age_ns = p->ages / (double)p->count;
    const double jitter_ns = count > 0.0 ? sqrt(fmax(p->squares / count - mean * mean, 0.0)) : 0.0;
    const bool is_replay = strcmp(text_of(t->status, "source"), "replay") == 0;
    const char *from = text_of(status_of(t, p->name), "source");
    cJSON *entry = cJSON_CreateObject();

    if (!from[0] && strncmp(p->name, "/user/", 6) == 0)
        from = text_of(t->status, "source");
    cJSON_AddStringToObject(entry, "device", p->name);
    cJSON_AddStringToObject(entry, "from", from[0] ? from : "client");
    cJSON_AddNumberToObject(entry, "rate_hz", rate);
    cJSON_AddNumberToObject(entry, "jitter_ms", 1e-6 * jitter_ns);
    cJSON_AddNumberToObject(entry, "age_ms", 1e-6 * age_ns);
    cJSON_AddBoolToObject(entry, "tracked", p->tracked > 0);
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(t->d->report, "poses"), entry);
    doctor_print(t->d, "poses", "%s from %s: %.1f a second, jitter %.2f ms, age %.1f ms%s", p->name,
                 from[0] ? from : "a client", rate, 1e-6 * jitter_ns, 1e-6 * age_ns, p->tracked ? "" : ", not tracked");
    if (!is_replay) /* a replay's pace is that of its --speed */
        judge_device(t, p, rate, jitter_ns, age_ns);
}

static void judge_poses(const talk_state *t)
{
    const char *source = text_of(t->status, "source"), *state = text_of(t->status, "state");
    const cJSON *one;
    size_t missing = 0;

    for (size_t i = 0; i < t->device_count; i++)
        print_device(t, &t->devices[i]);
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(t->status, "devices"))
    {
        missing += !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(one, "tracked"));
    }
    if (t->device_count == 0 && is_source(source, CONFIG_SOURCE_OPENXR) && strcmp(state, "running") == 0 &&
        !strstr(text_of(t->status, "detail"), "another program"))
        doctor_wrong(t->d, "no_poses", "Switch the controllers on, and move them where the headset sees them.",
                     "no poses arrive, %zu device%s not tracked", missing, missing == 1 ? " is" : "s are");
}

/* ---- whether anything can touch ---- */

/* What a client defines or feeds may still come: then it is a note. */
__attribute__((format(printf, 5, 6))) static void complain(const talk_state *t, bool is_wrong, const char *code,
                                                           const char *what_to_do, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_wrong)
        doctor_wrong(t->d, code, what_to_do, "%s", text);
    else
        doctor_note(t->d, code, what_to_do, text);
}

static bool is_switched_off(const cJSON *thing)
{
    return cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(thing, "enabled"));
}

/* Return whether a blade that is switched on and another thing are on devices that differ. */
static bool can_clash(const talk_state *t)
{
    const cJSON *a, *b;

    cJSON_ArrayForEach(a, cJSON_GetObjectItemCaseSensitive(t->hello, "blades"))
    {
        cJSON_ArrayForEach(b, cJSON_GetObjectItemCaseSensitive(t->hello, "blades"))
        {
            if (!is_switched_off(a) && !is_switched_off(b) && strcmp(text_of(a, "device"), text_of(b, "device")) != 0)
                return true;
        }
        cJSON_ArrayForEach(b, cJSON_GetObjectItemCaseSensitive(t->hello, "targets"))
        {
            if (!is_switched_off(a) && strcmp(text_of(a, "device"), text_of(b, "device")) != 0)
                return true;
        }
    }
    return false;
}

static void judge_scene(const talk_state *t)
{
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(t->hello, "blades"), 0);
    const bool is_wrong = !is_source(text_of(t->status, "source"), CONFIG_SOURCE_NONE);
    char what[1024];

    if (!first || is_switched_off(first)) {
        snprintf(what, sizeof what, "Define one in %s, under blades, or let a game define it.", file_of(t));
        if (!can_clash(t))
            complain(t, is_wrong, "no_blades", what, "%s",
                     first ? "the blades are switched off" : "there are no blades, so nothing can clash");
        return;
    }
    if (can_clash(t))
        return;
    snprintf(what, sizeof what, "Give one of them another device in %s, or define a target.", file_of(t));
    complain(t, is_wrong, "one_device", what, "all blades are on %s, so nothing can clash", text_of(first, "device"));
}

static bool is_known_device(const char *name)
{
    return strcmp(name, OPENXR_DEVICE_LEFT) == 0 || strcmp(name, OPENXR_DEVICE_RIGHT) == 0;
}

static bool runtime_has(const talk_state *t, const char *name)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(doctor_area(t->d, "runtime"), "extensions"))
    {
        if (strcmp(cJSON_GetStringValue(one), name) == 0)
            return true;
    }
    return false;
}

static void judge_tracker(const talk_state *t, const char *blade, const char *name)
{
    if (!runtime_has(t, TRACKERS))
        doctor_wrong(t->d, "no_trackers", "Use a runtime that has it, or let a client feed the device.",
                     "'%s' is on the tracker %s, and the runtime lacks " TRACKERS, blade, name);
    else
        doctor_wrong(t->d, "no_tracker", "Switch it on, and give it this role in the headset's software.",
                     "'%s' is on the tracker %s, from which no poses come", blade, name);
}

/* A name that is nothing of OpenXR's may be a client's, which has yet to come. */
static void judge_name(const talk_state *t, const char *blade, const char *name)
{
    nearest_word near = nearest_word_begin(name);
    char what[512];

    nearest_word_offer(&near, OPENXR_DEVICE_LEFT);
    nearest_word_offer(&near, OPENXR_DEVICE_RIGHT);
    nearest_word_offer(&near, "left");
    nearest_word_offer(&near, "right");
    snprintf(what, sizeof what,
             "Correct it in %s: OpenXR has " OPENXR_DEVICE_LEFT ", " OPENXR_DEVICE_RIGHT " and " OPENXR_TRACKER_PREFIX
             "ROLE. Only a client can feed another one.",
             file_of(t));
    complain(t, strncmp(name, "/user/", 6) == 0 || near.found != NULL, "unknown_device", what,
             "'%s' is on the device '%s', from which no poses come", blade, name);
}

static bool has_poses(const talk_state *t, const char *name)
{
    for (size_t i = 0; i < t->device_count; i++)
        if (strcmp(t->devices[i].name, name) == 0)
            return true;
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(status_of(t, name), "tracked"));
}

/* Of things without poses; that no poses come at all is said elsewhere. */
static void judge_things(const talk_state *t, const char *list)
{
    const bool is_openxr = is_source(text_of(t->status, "source"), CONFIG_SOURCE_OPENXR) &&
                           strcmp(text_of(t->status, "state"), "running") == 0;
    const cJSON *one;

    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(t->hello, list))
    {
        const char *name = text_of(one, "name"), *on = text_of(one, "device");

        if (!is_openxr || !on[0] || is_switched_off(one) || has_poses(t, on))
            continue;
        if (openxr_tracker(on) != 0)
            judge_tracker(t, name, on);
        else if (!is_known_device(on))
            judge_name(t, name, on);
        else if (t->device_count > 0)
            doctor_wrong(t->d, "no_poses", "Switch it on, and move it where the headset sees it.",
                         "'%s' is on %s, from which no poses come: %s", name, on,
                         event_text_reason(text_of(status_of(t, on), "reason")));
    }
}

static void judge_settings(const talk_state *t)
{
    const double least = number_of(t, "contact.min_closing_speed");
    char file[CONFIG_PATH_MAX];
    config_values *config = malloc(sizeof *config);
    failure error = {0};
    bool is_known;

    if (least > SOFT_SPEED)
        complain(t, least > HUMAN_SPEED, "min_closing_speed", "Lower contact.min_closing_speed, or leave it out.",
                 "contact.min_closing_speed is %g m/s: contacts that begin slower are not reported", least);
    is_known = t->config ? (size_t)snprintf(file, sizeof file, "%s", text_of(t->config, "file")) < sizeof file
                         : config_default_path(file, sizeof file) == 0;
    if (config && is_known && file[0]) {
        config_defaults(config);
        if (config_load(config, file, &error) == CONFIG_BAD)
            complain(t, !t->status, "bad_settings", "Correct the file; 'clashd --check-config' says when it is right.",
                     "clashd cannot start with these settings: %s", error.text);
        else if (!t->status)
            t->d->has_other_source = !config->openxr.enabled;
    }
    free(config);
}

static void print_status(const talk_state *t)
{
    const double error_ns = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(t->status, "clock_error_ns"));
    static const char *const kept[] = {"source", "state", "runtime", "detail"};
    cJSON *area = doctor_area(t->d, "clashd");

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        cJSON_AddStringToObject(area, kept[i], text_of(t->status, kept[i]));
    cJSON_AddNumberToObject(area, "clock_error_ns", isnan(error_ns) ? 0.0 : error_ns);
    doctor_print(t->d, "clashd", "%s answers; poses come from %s, %s%s%s", t->version, text_of(t->status, "source"),
                 text_of(t->status, "state"), text_of(t->status, "detail")[0] ? ": " : "",
                 text_of(t->status, "detail"));
    if (t->d->runtime[0] && is_source(text_of(t->status, "source"), CONFIG_SOURCE_OPENXR) &&
        text_of(t->status, "runtime")[0] && strcmp(text_of(t->status, "runtime"), t->d->runtime) != 0)
        doctor_note(t->d, "other_runtime",
                    "Start clashd anew, with the environment that this command has, if it should be the same.",
                    "clashd has another OpenXR runtime than the one that is active here");
    if (error_ns > CLOCK_ERROR_NS)
        doctor_wrong(t->d, "runtime_clock", "Use a runtime that has XR_KHR_convert_timespec_time.",
                     "the runtime does not say which clock its times are of: they may be wrong by %.1f ms",
                     1e-6 * error_ns);
}

void doctor_look_at_clashd(doctor *d)
{
    talk_state t = {.d = d};
    clash_client *client = clash_client_create(&(clash_client_listener){.context = &t,
                                                                        .hello = on_hello,
                                                                        .poses = on_poses,
                                                                        .error = on_error,
                                                                        .disconnect = on_disconnect,
                                                                        .line = on_line});
    const bool answers = client && begin(&t, client);

    cJSON_AddBoolToObject(doctor_area(d, "clashd"), "answers", answers);
    cJSON_AddItemToObject(d->report, "poses", cJSON_CreateArray());
    if (answers) {
        cJSON_AddStringToObject(doctor_area(d, "clashd"), "version", t.version);
        print_status(&t);
        judge_source(&t);
        judge_scene(&t);
        pass_time(&t, client, d->look_s, false);
        judge_poses(&t);
        judge_things(&t, "blades");
        judge_things(&t, "targets");
    } else {
        doctor_print(d, "clashd",
                     t.refusal == CLASH_CLIENT_CAUSE_TOKEN ? "refuses the token"
                     : t.message[0]                        ? "refuses"
                                                           : "does not answer");
    }
    judge_settings(&t);
    cJSON_Delete(t.hello);
    cJSON_Delete(t.config);
    cJSON_Delete(t.status);
    clash_client_destroy(client);
}
