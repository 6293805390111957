/* Messages as lines for people; see event_text.h. What a message lacks is 0 or left out. */
#include "event_text.h"

#include "cli/printable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR_LENGTH 10
#define DEGREES_PER_RADIAN 57.29577951308232

const char *message_string(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) ? item->valuestring : "";
}

double message_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

static double element(const cJSON *object, const char *key, int index)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, key), index);

    return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

static const char *blade(const cJSON *message, int index)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(message, "blades"), index);

    return cJSON_IsString(item) ? item->valuestring : "?";
}

/* Write "sabre", or for a named part of it "sabre(guard)". */
static void format_blade(const cJSON *message, int index, char *out, size_t size)
{
    const cJSON *part = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(message, "parts"), index);

    if (cJSON_IsString(part))
        snprintf(out, size, "%s(%s)", blade(message, index), part->valuestring);
    else
        snprintf(out, size, "%s", blade(message, index));
}

static void format_pair(const cJSON *message, char *out, size_t size)
{
    char blades[2][120];

    format_blade(message, 0, blades[0], sizeof blades[0]);
    format_blade(message, 1, blades[1], sizeof blades[1]);
    snprintf(out, size, "%s/%s", blades[0], blades[1]);
}

void event_text_init(event_text *text, const cJSON *hello)
{
    const cJSON *item;
    size_t longest = 0, second = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(hello, "blades"))
    {
        size_t length = strlen(message_string(item, "name"));

        if (length > longest) {
            second = longest;
            longest = length;
        } else if (length > second) {
            second = length;
        }
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(hello, "targets"))
    {
        size_t length = strlen(message_string(item, "name"));

        second = length > second ? length : second;
    }
    text->pair_width = (int)(longest + second + 1);
}

static void make_bar(double intensity, char out_bar[BAR_LENGTH + 1])
{
    /* show at least a bit, however weak the clash */
    int full = (int)ceil(fmin(fmax(intensity, 0.0), 1.0) * BAR_LENGTH);

    for (int i = 0; i < BAR_LENGTH; i++)
        out_bar[i] = i < full ? '#' : '.';
    out_bar[BAR_LENGTH] = '\0';
}

static int format_contact(const event_text *text, const cJSON *message, char *out, size_t size)
{
    char pair[256], bar[BAR_LENGTH + 1];

    format_pair(message, pair, sizeof pair);
    make_bar(message_number(message, "intensity"), bar);
    return snprintf(out, size, "%-*s  at %6.2f %6.2f %6.2f m  %6.2f m/s  [%s]  %3.0f deg%s", text->pair_width, pair,
                    element(message, "midpoint", 0), element(message, "midpoint", 1), element(message, "midpoint", 2),
                    message_number(message, "closing_speed"), bar,
                    message_number(message, "crossing_angle") * DEGREES_PER_RADIAN,
                    cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(message, "late")) ? ", late" : "");
}

static int format_release(const event_text *text, const cJSON *message, char *out, size_t size)
{
    const char *reason = message_string(message, "reason");
    char pair[160];

    snprintf(pair, sizeof pair, "%s/%s", blade(message, 0), blade(message, 1));
    return snprintf(out, size, "%-*s  after %.1f ms%s", text->pair_width, pair,
                    message_number(message, "duration_ns") * 1e-6,
                    strcmp(reason, "track_cut") == 0 ? ", no longer followed"
                    : strcmp(reason, "removed") == 0 ? ", the blade is gone"
                                                     : "");
}

const char *event_text_reason(const char *reason)
{
    static const char *const words[][2] = {
        {"untracked", "guessed, not measured"},
        {"lost", "no pose"},
        {"inactive", "switched off, or another program has the focus"},
        {"no_runtime", "no OpenXR runtime"},
        {"no_headset", "no headset"},
        {"runtime_lost", "the OpenXR runtime is gone"},
        {"runtime_stalled", "the OpenXR runtime hangs"},
        {"source_ended", "the recording is over"},
        {"jumped", "another place in the recording"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], reason) == 0)
            return words[i][1];
    return reason;
}

static int format_tracking(const event_text *text, const cJSON *message, char *out, size_t size)
{
    const char *device = message_string(message, "device");

    (void)text;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(message, "tracked")))
        return snprintf(out, size, "%s is tracked", device);
    return snprintf(out, size, "%s is not tracked: %s", device, event_text_reason(message_string(message, "reason")));
}

static int format_space_changed(const event_text *text, const cJSON *message, char *out, size_t size)
{
    (void)text, (void)message;
    return snprintf(out, size, "the reference space has moved");
}

static int format_lagged(const event_text *text, const cJSON *message, char *out, size_t size)
{
    (void)text;
    return snprintf(out, size, "%.0f events were dropped: this end reads too slowly",
                    message_number(message, "missed"));
}

static int format_poses(const event_text *text, const cJSON *message, char *out, size_t size)
{
    const cJSON *pose;
    size_t used = 0;

    (void)text;
    cJSON_ArrayForEach(pose, cJSON_GetObjectItemCaseSensitive(message, "poses"))
    {
        int length = snprintf(out + used, size - used, "%s%s %6.2f %6.2f %6.2f m", used ? ", " : "",
                              message_string(pose, "device"), element(pose, "position", 0),
                              element(pose, "position", 1), element(pose, "position", 2));

        if (length < 0 || used + (size_t)length >= size)
            break;
        used += (size_t)length;
    }
    return (int)used;
}

static const struct format {
    const char *type, *word;
    int (*write)(const event_text *text, const cJSON *message, char *out, size_t size);
} formats[] = {
    {"clash", "clash", format_contact},
    {"hold", "hold", format_contact},
    {"release", "release", format_release},
    {"tracking", "tracking", format_tracking},
    {"space_changed", "space", format_space_changed},
    {"lagged", "lagged", format_lagged},
    {"poses", "poses", format_poses},
};

void event_text_header(const event_text *text, char *out, size_t size)
{
    snprintf(out, size, "%12s  %-8s  %-*s  where: right, up, back        closing  how hard        angle", "time",
             "what", text->pair_width, "who");
}

size_t event_text_format(const event_text *text, const cJSON *message, char *out, size_t size)
{
    const char *type = message_string(message, "type");
    char when[32] = "", line[4096];
    int used;

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].type, type) != 0)
            continue;
        /* a message without a time, such as lagged, belongs between its neighbours */
        if (cJSON_HasObjectItem(message, "time_ns"))
            snprintf(when, sizeof when, "%.3f s", message_number(message, "time_ns") * 1e-9);
        used = snprintf(line, sizeof line, "%12s  %-8s  ", when, formats[i].word);
        formats[i].write(text, message, line + used, sizeof line - (size_t)used);
        return strlen(printable(line, out, size));
    }
    return 0;
}
