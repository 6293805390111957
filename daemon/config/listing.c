/* See listing.h. */
#include "listing.h"

#include "fields.h"

#include <stdio.h>
#include <string.h>

static const char *const source_names[] = {
    [CONFIG_FROM_DEFAULT] = "default", [CONFIG_FROM_RECORDING] = "recording", [CONFIG_FROM_FILE] = "file",
    [CONFIG_FROM_SET] = "set",         [CONFIG_FROM_FLAG] = "flag",           [CONFIG_FROM_ENVIRONMENT] = "environment",
    [CONFIG_FROM_MANAGER] = "manager",
};

static protocol_setting *add(config_listing *l, const char *key, config_setting_source source)
{
    protocol_setting *s = &l->settings[l->count];

    snprintf(l->keys[l->count], sizeof l->keys[0], "%s", key);
    *s = (protocol_setting){.key = l->keys[l->count++], .source = source_names[source]};
    return s;
}

/* Put in the names that were added to l->names since it had `first` of them. */
static void put_names(const config_listing *l, protocol_setting *s, size_t first)
{
    s->kind = PROTOCOL_VALUE_STRINGS;
    s->strings = &l->names[first];
    s->string_count = l->name_count - first;
}

static void list_scene(const config_values *config, config_listing *l)
{
    size_t first = l->name_count;

    for (size_t i = 0; i < config->blade_count; i++)
        l->names[l->name_count++] = config->blades[i].name;
    put_names(l, add(l, "blades", config->blades_source), first);
    first = l->name_count;
    for (size_t i = 0; i < config->target_count; i++)
        l->names[l->name_count++] = config->targets[i].name;
    put_names(l, add(l, "targets", config->targets_source), first);
}

static void take_field(void *context, const char *key, config_setting_source source, const protocol_setting *value,
                       const config_names *names)
{
    config_listing *l = context;
    protocol_setting *s = add(l, key, source);
    const char *own_key = s->key, *own_source = s->source;
    const size_t first = l->name_count;

    *s = *value;
    s->key = own_key;
    s->source = own_source;
    for (size_t i = 0; i < value->pose_count; i++)
        l->poses[i] = value->poses[i];
    s->poses = l->poses;
    for (size_t i = 0; names && i < names->count; i++)
        l->names[l->name_count++] = names->names[i];
    if (names)
        put_names(l, s, first);
}

void config_list(const config_values *config, config_listing *out_listing)
{
    out_listing->count = 0;
    out_listing->name_count = 0;
    list_scene(config, out_listing);
    config_visit_fields(config, out_listing, take_field);
}

static protocol_setting *find(config_listing *listing, const char *key)
{
    for (size_t i = 0; i < listing->count; i++)
        if (strcmp(listing->settings[i].key, key) == 0)
            return &listing->settings[i];
    return NULL;
}

void config_listing_put(config_listing *listing, const char *key, const char *text, config_setting_source source)
{
    protocol_setting *s = find(listing, key);

    s->kind = text ? PROTOCOL_VALUE_STRING : PROTOCOL_VALUE_NULL;
    s->string = text;
    s->source = source_names[source];
}

void config_listing_put_options(config_listing *listing, const config_options *options)
{
    protocol_setting *enabled = find(listing, "openxr.enabled");

    if (options->has_source) {
        enabled->is = options->source == CONFIG_SOURCE_OPENXR;
        enabled->source = source_names[CONFIG_FROM_FLAG];
    }
    if (options->record_path)
        config_listing_put(listing, "record.directory", NULL, CONFIG_FROM_FLAG);
}
