/* Turn one "KEY=VALUE" into a document with just that, which is then applied like any other. A blade is found by its
 * name, so its document has all blades, with one of them changed. */
#include "config.h"
#include "fill.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

#define BLADES_PREFIX "blades."
#define KEY_MAX 256
#define SET_ORIGIN "--set"

/* A bare word is a string, so that openxr.space=local needs no quotes inside quotes. */
static cJSON *parse_value(const char *text)
{
    cJSON *value = cJSON_ParseWithOpts(text, NULL, true);

    return value ? value : cJSON_CreateString(text);
}

/* Wrap "a.b" as {"a":{"b":value}}. Takes `value`. */
static cJSON *wrap_value(const char *key, cJSON *value)
{
    const char *dot = strchr(key, '.');
    char head[KEY_MAX];
    cJSON *object = cJSON_CreateObject();
    cJSON *child = value;

    snprintf(head, sizeof head, "%.*s", (int)(dot ? dot - key : (ptrdiff_t)strlen(key)), key);
    if (dot)
        child = wrap_value(dot + 1, value);
    if (object && child && cJSON_AddItemToObject(object, head, child))
        return object;
    cJSON_Delete(child);
    cJSON_Delete(object);
    return NULL;
}

static int find_blade(const config_values *config, const char *name, size_t length)
{
    for (size_t i = 0; i < config->blade_count; i++)
        if (strlen(config->blades[i].name) == length && strncmp(config->blades[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

static void list_blades(const config_values *config, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < config->blade_count && used < size; i++) {
        int length = snprintf(out + used, size - used, "%s%s", i ? ", " : "", config->blades[i].name);
        used += length > 0 ? (size_t)length : 0;
    }
}

/* Remove what the parts replace. */
static void remove_capsule(cJSON *blade)
{
    static const char *const keys[] = {"base", "tip", "radius", "edge"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(blade, keys[i]);
}

/* Return a document of all blades with one key of one of them changed. Takes `value`; NULL when out of memory. */
static cJSON *blades_with(const config_values *config, size_t changed, const char *key, cJSON *value)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *blades = object ? cJSON_AddArrayToObject(object, "blades") : NULL;
    bool ok = blades != NULL;

    for (size_t i = 0; ok && i < config->blade_count; i++) {
        cJSON *blade = config_blade_document(&config->blades[i]);

        ok = blade && cJSON_AddItemToArray(blades, blade);
        if (ok && i == changed) {
            if (strcmp(key, "parts") == 0)
                remove_capsule(blade);
            cJSON_DeleteItemFromObjectCaseSensitive(blade, key);
            ok = cJSON_AddItemToObject(blade, key, value);
            value = ok ? NULL : value;
        }
    }
    cJSON_Delete(value);
    if (ok)
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* Return the document of "blades.NAME.KEY": the name may contain dots, the key does not. Takes `value`. */
static cJSON *blade_document(const config_values *config, const char *key, cJSON *value, failure *out_failure)
{
    const char *name = key + strlen(BLADES_PREFIX);
    const char *dot = strrchr(name, '.');
    int index = dot ? find_blade(config, name, (size_t)(dot - name)) : -1;
    char names[512];
    cJSON *document;

    if (index >= 0) {
        document = blades_with(config, (size_t)index, dot + 1, value);
        if (!document)
            fail_with(out_failure, SET_ORIGIN ": out of memory");
        return document;
    }
    cJSON_Delete(value);
    list_blades(config, names, sizeof names);
    fail_with(out_failure, SET_ORIGIN ": %s: no such blade: expected blades.NAME.KEY with a name of: %s", key, names);
    return NULL;
}

static config_result set(config_values *config, const char *assignment, failure *out_failure)
{
    const char *equals = strchr(assignment, '=');
    char key[KEY_MAX];
    config_result result;
    cJSON *document;

    if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof key)
        return fail_int(out_failure, SET_ORIGIN ": %.80s: expected KEY=VALUE, as in contact.margin=0.01", assignment);
    snprintf(key, sizeof key, "%.*s", (int)(equals - assignment), assignment);
    if (strncmp(key, BLADES_PREFIX, strlen(BLADES_PREFIX)) == 0)
        document = blade_document(config, key, parse_value(equals + 1), out_failure);
    else if ((document = wrap_value(key, parse_value(equals + 1))) == NULL)
        return fail_int(out_failure, SET_ORIGIN ": out of memory");
    if (document && config_text_check(SET_ORIGIN, document, out_failure) < 0) {
        cJSON_Delete(document);
        return CONFIG_BAD;
    }
    result = config_apply_document(config, SET_ORIGIN, CONFIG_FROM_SET, document, out_failure);
    cJSON_Delete(document);
    return result;
}

config_result config_set(config_values *config, const char *assignment, failure *out_failure)
{
    config_result result = set(config, assignment, out_failure);

    if (result != CONFIG_OK)
        config_text_one_line(out_failure->text);
    return result;
}
