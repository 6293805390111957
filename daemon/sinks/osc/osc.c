/* Clashes into OSC messages. Events go as they come, those over the rate are lost; what is shown of them (osc_pulse.h) is a state, of
 * which each receiver gets what has changed since it last did, later if the rate wants it so. See osc.h. */
#include "osc.h"

#include "osc_message.h"
#include "osc_path.h"
#include "osc_pulse.h"
#include "osc_sender.h"

#include <clash/base.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a path as settings have it. */
#define PATH_MAX_BYTES 256
/* .. and with names in it. */
#define EXPANDED_MAX 800

typedef enum path_kind { PATH_CLASH, PATH_HOLD, PATH_RELEASE, PATH_INTENSITY, PATH_AVATAR, PATH_KINDS } path_kind;

typedef struct receiver {
    osc_sender *sender;
    bool is_avatar;
    bool has_shown; /* all of an avatar once: it may remember what it was told before clashd's start */
    osc_shown shown;
    char intensity_path[EXPANDED_MAX]; /* at which it was shown intensity */
} receiver;

typedef struct osc_sink {
    uv_loop_t *loop;
    uv_timer_t timer; /* of what is shown no longer, or not yet */
    char paths[PATH_KINDS][PATH_MAX_BYTES];
    char intensity_path[EXPANDED_MAX]; /* with the names of the last clash */
    uint64_t pulse_ms, step_ms;
    osc_pulse pulse;
    osc_counts counts;
    uint64_t not_encoded;
    bool has_ended; /* the last state goes whatever the rate */
    size_t count;
    receiver receivers[];
} osc_sink;

/* ---- what is shown ---- */

/* Return true if it went, or will never. */
static bool send_state(osc_sink *s, receiver *r, size_t length, const char *bytes)
{
    if (length == 0) {
        s->not_encoded++;
        return true;
    }
    return (s->has_ended || osc_sender_take(r->sender)) && osc_sender_send(r->sender, bytes, length);
}

static bool send_parameter(osc_sink *s, receiver *r, const char *name,
                           size_t (*encode)(const char *, const osc_shown *, char *), const osc_shown *shown)
{
    char path[EXPANDED_MAX], bytes[OSC_MESSAGE_MAX];
    const char *const names[] = {name};

    if (!osc_path_expand(s->paths[PATH_AVATAR], osc_path_avatar, names, path, sizeof path))
        return true;
    return send_state(s, r, encode(path, shown, bytes), bytes);
}

static size_t encode_intensity(const char *path, const osc_shown *shown, char *out)
{
    return osc_message_float(path, shown->intensity, out);
}

static size_t encode_touching(const char *path, const osc_shown *shown, char *out)
{
    return osc_message_bool(path, shown->touching, out);
}

static size_t encode_count(const char *path, const osc_shown *shown, char *out)
{
    return osc_message_int(path, shown->clashes, out);
}

static void show_avatar(osc_sink *s, receiver *r, const osc_shown *now)
{
    osc_shown *before = &r->shown;

    const bool first = !r->has_shown;

    if ((first || before->intensity != now->intensity) && send_parameter(s, r, "ClashIntensity", encode_intensity, now))
        before->intensity = now->intensity;
    if ((first || before->touching != now->touching) && send_parameter(s, r, "ClashTouching", encode_touching, now))
        before->touching = now->touching;
    if ((first || before->clashes != now->clashes) && send_parameter(s, r, "ClashCount", encode_count, now)) {
        before->clashes = now->clashes;
        r->has_shown = true;
    }
}

/* If names stand in its path, the light of the pair before goes out first. */
static void show_intensity(osc_sink *s, receiver *r, const osc_shown *now)
{
    char bytes[OSC_MESSAGE_MAX];
    const bool is_wanted = s->intensity_path[0] != '\0';

    if (strcmp(r->intensity_path, s->intensity_path) != 0) {
        const osc_shown dark = {0};

        if (r->shown.intensity > 0.0f && !send_state(s, r, encode_intensity(r->intensity_path, &dark, bytes), bytes))
            return;
        r->shown.intensity = 0.0f;
        memcpy(r->intensity_path, s->intensity_path, sizeof r->intensity_path);
    }
    if (!is_wanted || send_state(s, r, encode_intensity(s->intensity_path, now, bytes), bytes))
        r->shown = *now;
}

static bool is_shown(const receiver *r, const osc_shown *now)
{
    return r->shown.intensity == now->intensity && r->shown.clashes == now->clashes &&
           (!r->is_avatar || (r->has_shown && r->shown.touching == now->touching));
}

static void on_timer(uv_timer_t *timer);

/* .. and again when there is something else to show, or somebody has not been shown it. */
static void show(osc_sink *s)
{
    const uint64_t now_ms = uv_now(s->loop);
    const osc_shown now = osc_pulse_show(&s->pulse, now_ms);
    uint64_t wait_ms = now_ms < s->pulse.until_ms ? s->pulse.until_ms - now_ms : UINT64_MAX;

    for (size_t i = 0; i < s->count; i++) {
        receiver *r = &s->receivers[i];

        if (!osc_sender_is_found(r->sender))
            continue;
        if (!is_shown(r, &now))
            (r->is_avatar ? show_avatar : show_intensity)(s, r, &now);
        if (!is_shown(r, &now) && osc_sender_is_found(r->sender))
            wait_ms = wait_ms < s->step_ms ? wait_ms : s->step_ms;
    }
    if (wait_ms != UINT64_MAX)
        uv_timer_start(&s->timer, on_timer, wait_ms, 0);
}

static void on_timer(uv_timer_t *timer)
{
    show(timer->data);
}

/* ---- events ---- */

static void send_event(osc_sink *s, path_kind kind, const clash_event *event)
{
    char path[EXPANDED_MAX], bytes[OSC_MESSAGE_MAX];
    size_t length;

    if (!s->paths[kind][0])
        return;
    length = !osc_path_expand(s->paths[kind], osc_path_blades, event->blades, path, sizeof path) ? 0
             : kind == PATH_RELEASE ? osc_message_release(path, event, bytes)
                                    : osc_message_contact(path, event, bytes);
    s->not_encoded += length == 0;
    for (size_t i = 0; i < s->count && length > 0; i++) {
        const receiver *r = &s->receivers[i];

        if (r->is_avatar)
            continue;
        if (!osc_sender_is_found(r->sender))
            s->counts.lost++;
        else if (osc_sender_take(r->sender))
            osc_sender_send(r->sender, bytes, length);
        else
            s->counts.limited++;
    }
}

static void name_intensity(osc_sink *s, const clash_event *event)
{
    const bool is_wanted = s->paths[PATH_INTENSITY][0] != '\0';

    if (is_wanted && osc_path_expand(s->paths[PATH_INTENSITY], osc_path_blades, event->blades, s->intensity_path,
                                     sizeof s->intensity_path))
        return;
    s->not_encoded += is_wanted;
    s->intensity_path[0] = '\0';
}

static void on_event(void *context, const clash_event *event)
{
    osc_sink *s = context;

    switch (event->kind) {
    case CLASH_EVENT_CLASH:
        send_event(s, PATH_CLASH, event);
        name_intensity(s, event);
        osc_pulse_clash(&s->pulse, event->as.clash.resumed ? 0.0f : event->as.clash.intensity, uv_now(s->loop),
                        event->as.clash.resumed ? 0 : s->pulse_ms);
        break;
    case CLASH_EVENT_HOLD:
        send_event(s, PATH_HOLD, event);
        return;
    case CLASH_EVENT_RELEASE:
        send_event(s, PATH_RELEASE, event);
        osc_pulse_release(&s->pulse);
        break;
    case CLASH_EVENT_TRACKING:
    case CLASH_EVENT_SPACE_CHANGED:
        return;
    }
    show(s);
}

static event_sink osc_port(void *sink)
{
    return (event_sink){.context = sink, .event = on_event};
}

static void osc_list_counters(const void *sink, counter_list *out)
{
    const osc_sink *s = sink;
    const counter_row all[] = {
        {"osc_sent", "clashd_osc_messages_total", "OSC messages that the kernel has taken.", s->counts.sent},
        {"osc_limited", "clashd_osc_messages_limited_total",
         "OSC messages of events that were left out for osc.rate_hz.", s->counts.limited},
        {"osc_refused", "clashd_osc_messages_refused_total",
         "Times that a machine said that nobody listens for OSC there.", s->counts.refused},
        {"osc_lost", "clashd_osc_messages_lost_total",
         "OSC messages for which there was no way, no address of the name, or no room in the kernel.", s->counts.lost},
        {"osc_not_encoded", "clashd_osc_messages_not_encoded_total",
         "OSC messages that were too long, or had no memory.", s->not_encoded},
    };

    counter_list_add(out, all, sizeof all / sizeof all[0]);
}

/* ---- its life ---- */

static void on_found(void *context)
{
    show(context);
}

static bool add_receivers(osc_sink *s, const osc_settings *settings, bool is_avatar)
{
    const size_t count = is_avatar ? settings->avatar_count : settings->receiver_count;

    for (size_t i = 0; i < count; i++) {
        const osc_sender_settings one = {
            .loop = settings->loop,
            .key = is_avatar ? "osc.avatars" : "osc.receivers",
            .text = is_avatar ? settings->avatars[i] : settings->receivers[i],
            .rate_hz = settings->rate_hz,
            .counts = &s->counts,
            .log = settings->log,
            .context = s,
            .found = on_found,
        };
        osc_sender *sender = osc_sender_create(&one);

        if (!sender)
            return false;
        s->receivers[s->count++] = (receiver){.sender = sender, .is_avatar = is_avatar};
    }
    return true;
}

static void copy_paths(osc_sink *s, const osc_settings *settings)
{
    const char *const paths[PATH_KINDS] = {settings->clash, settings->hold, settings->release, settings->intensity,
                                           settings->avatar};

    for (size_t i = 0; i < PATH_KINDS; i++)
        snprintf(s->paths[i], sizeof s->paths[i], "%s", paths[i]);
}

static void free_sink(uv_handle_t *timer)
{
    free(timer->data);
}

static void osc_close(void *sink)
{
    osc_sink *s = sink;

    s->pulse.until_ms = 0;
    s->pulse.open = 0;
    s->has_ended = true;
    show(s);
    for (size_t i = 0; i < s->count; i++)
        osc_sender_close(s->receivers[i].sender);
    uv_close((uv_handle_t *)&s->timer, free_sink);
}

static int osc_open(const void *opaque, void **out_sink, failure *out_failure)
{
    const osc_settings *settings = opaque;
    const size_t count = settings->receiver_count + settings->avatar_count;
    osc_sink *s = calloc(1, sizeof *s + count * sizeof s->receivers[0]);

    *out_sink = NULL;
    if (!s || uv_timer_init(settings->loop, &s->timer) != 0) {
        free(s);
        return fail_int(out_failure, "osc: out of memory");
    }
    s->loop = settings->loop;
    s->timer.data = s;
    uv_unref((uv_handle_t *)&s->timer);
    s->pulse_ms = settings->pulse_ms;
    s->step_ms = (uint64_t)ceil(1000.0 / settings->rate_hz);
    copy_paths(s, settings);
    if (!add_receivers(s, settings, false) || !add_receivers(s, settings, true)) {
        osc_close(s);
        return fail_int(out_failure, "osc: out of memory");
    }
    show(s);
    *out_sink = s;
    return 0;
}

/* What clashd finds in the module. */
__attribute__((visibility("default"))) extern const sink_module clashd_osc;
const sink_module clashd_osc = {
    .version = CLASH_VERSION_STRING,
    .open = osc_open,
    .port = osc_port,
    .list_counters = osc_list_counters,
    .close = osc_close,
};
