/* The protocol's words: see names.h. */
#include "names.h"

#include <string.h>

static const char *const tracking_reasons[] = {
    [CLASH_TRACKING_OK] = "ok",
    [CLASH_TRACKING_UNTRACKED] = "untracked",
    [CLASH_TRACKING_LOST] = "lost",
    [CLASH_TRACKING_INACTIVE] = "inactive",
    [CLASH_TRACKING_NO_RUNTIME] = "no_runtime",
    [CLASH_TRACKING_NO_HEADSET] = "no_headset",
    [CLASH_TRACKING_RUNTIME_LOST] = "runtime_lost",
    [CLASH_TRACKING_RUNTIME_STALLED] = "runtime_stalled",
    [CLASH_TRACKING_SOURCE_ENDED] = "source_ended",
    [CLASH_TRACKING_JUMPED] = "jumped",
};

static const char *const sources[] = {
    [CLASH_SOURCE_NONE] = NULL,       [CLASH_SOURCE_GAME] = "game",     [CLASH_SOURCE_LAYER] = "layer",
    [CLASH_SOURCE_OPENXR] = "openxr", [CLASH_SOURCE_REPLAY] = "replay", [CLASH_SOURCE_PEER] = "peer",
};

static const char *const release_reasons[] = {
    [CLASH_RELEASE_APART] = "apart",
    [CLASH_RELEASE_TRACK_CUT] = "track_cut",
    [CLASH_RELEASE_REMOVED] = "removed",
};

static const char *const error_codes[] = {
    [PROTOCOL_ERROR_NONE] = "none",
    [PROTOCOL_ERROR_LINE_TOO_LONG] = "line_too_long",
    [PROTOCOL_ERROR_BAD_JSON] = "bad_json",
    [PROTOCOL_ERROR_BAD_MESSAGE] = "bad_message",
    [PROTOCOL_ERROR_UNKNOWN_TYPE] = "unknown_type",
    [PROTOCOL_ERROR_UNKNOWN_NAME] = "unknown_name",
    [PROTOCOL_ERROR_LIMIT] = "limit",
    [PROTOCOL_ERROR_UNAUTHORIZED] = "unauthorized",
    [PROTOCOL_ERROR_UNKNOWN_SEQ] = "unknown_seq",
    [PROTOCOL_ERROR_NAME_TAKEN] = "name_taken",
    [PROTOCOL_ERROR_BAD_TIME] = "bad_time",
    [PROTOCOL_ERROR_CANNOT_RECORD] = "cannot_record",
    [PROTOCOL_ERROR_CANNOT_REPLAY] = "cannot_replay",
    [PROTOCOL_ERROR_CANNOT_RELOAD] = "cannot_reload",
};

/* Bit i of protocol_events is word i. */
static const char *const events[] = {"clash",         "hold",  "release",  "tracking",
                                     "space_changed", "poses", "recorder", "replay"};

static const char *const curve_names[] = {
    [PROTOCOL_INTENSITY_LINEAR] = "linear",
    [PROTOCOL_INTENSITY_LOGARITHMIC] = "logarithmic",
};

static const char *const axes_names[] = {
    [PROTOCOL_AXES_OPENXR] = "openxr",
    [PROTOCOL_AXES_UNITY] = "unity",
    [PROTOCOL_AXES_GODOT] = "godot",
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* Its index; `count` if it is none of these. A row may be empty. */
static size_t find(const char *const *words, size_t count, const char *word)
{
    size_t i = 0;

    while (i < count && (!words[i] || strcmp(word, words[i]) != 0))
        i++;
    return i;
}

const char *names_tracking_reason(clash_tracking_reason reason)
{
    return (size_t)reason < COUNT(tracking_reasons) ? tracking_reasons[reason] : "lost";
}

bool names_find_tracking_reason(const char *word, clash_tracking_reason *out_reason)
{
    const size_t i = find(tracking_reasons, COUNT(tracking_reasons), word);

    if (i < COUNT(tracking_reasons))
        *out_reason = (clash_tracking_reason)i;
    return i < COUNT(tracking_reasons);
}

const char *names_source(clash_feed_source source)
{
    return (size_t)source < COUNT(sources) ? sources[source] : NULL;
}

clash_feed_source names_find_source(const char *word)
{
    const size_t i = find(sources, COUNT(sources), word);

    return i < COUNT(sources) ? (clash_feed_source)i : CLASH_SOURCE_NONE;
}

const char *names_release_reason(clash_release_reason reason)
{
    return (size_t)reason < COUNT(release_reasons) ? release_reasons[reason] : "apart";
}

bool names_find_release_reason(const char *word, clash_release_reason *out_reason)
{
    const size_t i = find(release_reasons, COUNT(release_reasons), word);

    if (i < COUNT(release_reasons))
        *out_reason = (clash_release_reason)i;
    return i < COUNT(release_reasons);
}

const char *names_error_code(protocol_error_code code)
{
    return (size_t)code < COUNT(error_codes) ? error_codes[code] : "bad_message";
}

const char *names_intensity_curve(protocol_intensity_curve curve)
{
    return curve_names[curve];
}

protocol_intensity_curve names_find_intensity_curve(const char *word)
{
    return strcmp(word, curve_names[PROTOCOL_INTENSITY_LOGARITHMIC]) == 0 ? PROTOCOL_INTENSITY_LOGARITHMIC
                                                                          : PROTOCOL_INTENSITY_LINEAR;
}

protocol_axes names_find_axes(const char *word)
{
    const size_t i = find(axes_names, COUNT(axes_names), word);

    return i < COUNT(axes_names) ? (protocol_axes)i : PROTOCOL_AXES_OPENXR;
}

uint32_t names_find_event(const char *word)
{
    const size_t i = find(events, COUNT(events), word);

    return i < COUNT(events) ? 1u << i : 0;
}

const char *names_all_events(void)
{
    return "clash, hold, release, tracking, space_changed, poses, recorder";
}
