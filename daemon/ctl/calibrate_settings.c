/* See calibrate_settings.h. */
#include "calibrate_settings.h"

#include "config/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- numbers ---- */

/* Return the shortest decimal that reads back as the same float: 0.015, not 0.0149999997. */
static double shortest(float value)
{
    char text[32];

    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    return strtod(text, NULL);
}

static cJSON *vector(clash_vec3 v)
{
    const double numbers[3] = {shortest(v.x), shortest(v.y), shortest(v.z)};

    return cJSON_CreateDoubleArray(numbers, 3);
}

static clash_vec3 rounded(clash_vec3 v)
{
    return (clash_vec3){roundf(v.x * 1e4f) / 1e4f + 0.0f, roundf(v.y * 1e4f) / 1e4f + 0.0f,
                        roundf(v.z * 1e4f) / 1e4f + 0.0f};
}

static void put(cJSON *blade, const char *key, clash_vec3 v)
{
    cJSON_DeleteItemFromObjectCaseSensitive(blade, key);
    cJSON_AddItemToObject(blade, key, vector(v));
}

/* ---- in ---- */

/* Add the default blades, which settings without blades have. */
static void add_blades(calibrate_settings *s)
{
    cJSON *blades = cJSON_AddArrayToObject(s->document, "blades");

    for (size_t i = 0; i < s->config->blade_count; i++) {
        const clash_blade_definition *b = &s->config->blades[i];
        cJSON *blade = cJSON_CreateObject();

        cJSON_AddStringToObject(blade, "name", b->name);
        cJSON_AddStringToObject(blade, "device", b->device);
        put(blade, "base", b->properties.shape.base);
        put(blade, "tip", b->properties.shape.tip);
        cJSON_AddNumberToObject(blade, "radius", shortest(b->properties.shape.radius));
        if (b->properties.has_edge)
            put(blade, "edge", b->properties.edge);
        cJSON_AddItemToArray(blades, blade);
    }
}

/** Return whether a file's text, which parses, has comments; blank them out. */
static bool has_comments(char *text)
{
    char *before = strdup(text);
    bool is_other = before && !config_text_blank_comments(text) && strcmp(before, text) != 0;

    free(before);
    return is_other;
}

bool calibrate_settings_load(calibrate_settings *s, const char *file, bool is_to_be_written, failure *out_failure)
{
    failure error = {0};
    bool is_lost;
    char *text;

    *s = (calibrate_settings){.config = malloc(sizeof *s->config)};
    if (!s->config)
        return fail_with(out_failure, "out of memory");
    config_defaults(s->config);
    if (config_load(s->config, file, &error) == CONFIG_BAD)
        return fail_with(out_failure, "%s", error.text);
    text = config_text_read(file);
    s->document = text ? config_text_parse(file, text, &error) : cJSON_CreateObject();
    is_lost = s->document && text && is_to_be_written && has_comments(text);
    free(text);
    if (!s->document)
        return fail_with(out_failure, "%s", error.text);
    if (is_lost)
        return fail_with(out_failure,
                         "%.300s has comments, which would be lost: without --write what is found is printed", file);
    if (!cJSON_HasObjectItem(s->document, "blades"))
        add_blades(s);
    return true;
}

void calibrate_settings_end(calibrate_settings *s)
{
    cJSON_Delete(s->document);
    free(s->config);
}

const clash_blade_definition *calibrate_settings_find(const calibrate_settings *s, const char *name, const char *device,
                                                      failure *out_failure)
{
    for (size_t i = 0; i < s->config->blade_count; i++) {
        const clash_blade_definition *b = &s->config->blades[i];

        if (name ? strcmp(b->name, name) != 0 : strcmp(b->device, device) != 0)
            continue;
        if (strcmp(b->device, device) != 0)
            fail_with(out_failure, "the blade %.63s is on %.127s and not on %.127s: say it with --device", b->name,
                      b->device, device);
        else if (b->sword.part_count > 0)
            fail_with(out_failure, "the blade %.63s has parts: only base and tip can be found out", b->name);
        return out_failure->text[0] ? NULL : b;
    }
    if (name)
        fail_with(out_failure, "the settings have no blade %.63s", name);
    else
        fail_with(out_failure, "the settings have no blade on %.127s", device);
    return NULL;
}

/* Return whether the document is one of settings. */
static bool check(const calibrate_settings *s, failure *out_failure)
{
    config_values *again = malloc(sizeof *again);
    char *text = cJSON_PrintUnformatted(s->document);
    bool is_right = false;

    if (again && text) {
        config_defaults(again);
        is_right = config_apply_text(again, "what was found", text, out_failure) == CONFIG_OK;
    }
    free(again);
    cJSON_free(text);
    return is_right || fail_with(out_failure, "out of memory");
}

bool calibrate_settings_put(calibrate_settings *s, const char *name, const clash_capsule *shape, const clash_vec3 *edge,
                            failure *out_failure)
{
    cJSON *blade;

    cJSON_ArrayForEach(blade, cJSON_GetObjectItemCaseSensitive(s->document, "blades"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(blade, "name")), name) != 0)
            continue;
        put(blade, "base", rounded(shape->base));
        put(blade, "tip", rounded(shape->tip));
        if (edge)
            put(blade, "edge", rounded(*edge));
    }
    return check(s, out_failure);
}

/* What a stage is turned and moved by on top of where it is: the room has the other one where it was. */
bool calibrate_settings_put_room(calibrate_settings *s, const alignment *found, failure *out_failure)
{
    const config_room *was = &s->config->room;
    const double turn = was->turn - found->turn, c = cos(turn), n = sin(turn);
    const double *t = found->shift;
    const double values[] = {was->x - (c * t[0] + n * t[2]), was->y - t[1], was->z - (c * t[2] - n * t[0]),
                             remainder(turn, 2.0 * M_PI)};
    static const char *const keys[] = {"x", "y", "z", "turn"};
    cJSON *room;

    cJSON_DeleteItemFromObjectCaseSensitive(s->document, "room");
    room = cJSON_AddObjectToObject(s->document, "room");
    for (size_t i = 0; i < 4; i++)
        cJSON_AddNumberToObject(room, keys[i], round(values[i] * 1e4) / 1e4 + 0.0);
    return check(s, out_failure);
}

/* ---- out ---- */

/* cJSON indents with tabs, and puts one after each colon. In strings it escapes them, so every other tab is one of these. */
char *calibrate_settings_text(const calibrate_settings *s)
{
    char *tabbed = cJSON_Print(s->document), *text = tabbed ? malloc(2 * strlen(tabbed) + 1) : NULL, *out = text;

    for (const char *in = tabbed; text && *in; in++) {
        *out++ = *in == '\t' ? ' ' : *in;
        if (*in == '\t' && in[-1] != ':')
            *out++ = ' ';
    }
    if (text)
        *out = '\0';
    cJSON_free(tabbed);
    return text;
}

static bool write_whole(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    size_t length = strlen(text);
    bool is_whole = fd >= 0;

    while (is_whole && length > 0) {
        const ssize_t written = write(fd, text, length);

        is_whole = written >= 0 || errno == EINTR;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    is_whole = is_whole && write(fd, "\n", 1) == 1 && fsync(fd) == 0;
    return fd >= 0 && close(fd) == 0 && is_whole;
}

bool calibrate_settings_write(const calibrate_settings *s, const char *file, failure *out_failure)
{
    char target[PATH_MAX], fresh[PATH_MAX];
    char *text = calibrate_settings_text(s);
    bool is_done = false;

    if (!realpath(file, target)) /* so that a link stays one */
        snprintf(target, sizeof target, "%s", file);
    if (text && (size_t)snprintf(fresh, sizeof fresh, "%s.new", target) < sizeof fresh) {
        unlink(fresh);
        is_done = write_whole(fresh, text) && rename(fresh, target) == 0;
        if (!is_done) {
            fail_with(out_failure, "%.400s: %s", file, strerror(errno));
            unlink(fresh);
        }
    }
    free(text);
    return is_done || fail_with(out_failure, "%.400s: cannot be written", file);
}
