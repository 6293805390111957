/* Who owns what, and which names they may use. See scene.h. */
#include "displaced.h"
#include "feeds.h"
#include "scene_private.h"

#include <string.h>

const char scene_settings[] = "the configuration", scene_recording[] = "the recording";

bool scene_is_client(const void *owner)
{
    return owner != scene_settings && owner != scene_recording;
}

const char *scene_owner_text(const void *owner)
{
    return scene_is_client(owner) ? "a client" : owner;
}

const void *scene_owner_of_blades(const config_values *config)
{
    return config->blades_of_recording ? scene_recording : scene_settings;
}

const void *scene_owner_of(const scene *s, const char *name)
{
    const pipeline_blade *blade = pipeline_find_blade(s->pipeline, name);
    const pipeline_target *target = pipeline_find_target(s->pipeline, name);

    return blade ? blade->owner : target ? scene_target_of(target)->owner : NULL;
}

bool scene_is_displaced(const scene *s, const char *name)
{
    return displaced_find(s, name) != NULL;
}

static bool counts(const void *asked, const void *owner)
{
    return asked ? owner == asked : scene_is_client(owner);
}

size_t scene_count(const scene *s, const void *owner, bool is_target)
{
    const size_t all = is_target ? pipeline_target_count(s->pipeline) : pipeline_blade_count(s->pipeline);
    size_t count = is_target ? 0 : displaced_count(s, owner);

    for (size_t i = 0; i < all; i++)
        count += counts(owner, is_target ? scene_target_of(pipeline_target_at(s->pipeline, i))->owner
                                         : pipeline_blade_at(s->pipeline, i)->owner);
    return count;
}

bool scene_is_clients_device(const scene *s, const char *name)
{
    const uint32_t id = pipeline_find_device(s->pipeline, name);

    return id != UINT32_MAX && s->devices[id].client;
}

/* ---- names ---- */

int scene_refuse_name(const void *owner, const void *its, const char *name, const char *kind, protocol_error *out_error)
{
    if (scene_is_client(owner))
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "name: the %s \"%s\" is not this client's", kind,
                               name);
    return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "%s has that name", scene_owner_text(its));
}

/* A client's blade goes before one of the settings or a recording, which is set aside meanwhile. */
static int check_name(const scene *s, const void *owner, const char *name, bool is_target, protocol_error *out_error)
{
    const displaced *hidden = displaced_find(s, name);
    const char *kind = pipeline_find_blade(s->pipeline, name) || hidden ? "blade" : "target";
    const void *its = scene_owner_of(s, name);

    if (!its && !hidden)
        return 0;
    if ((kind[0] == 't') != is_target)
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "name: \"%s\" is the name of a %s", name, kind);
    if (scene_is_client(owner))
        return !its || its == owner || (!is_target && !scene_is_client(its))
                   ? 0
                   : scene_refuse_name(owner, its, name, kind, out_error);
    if (hidden)
        its = hidden->owner;
    return its == owner || (!is_target && scene_is_client(its)) ? 0
                                                                : scene_refuse_name(owner, its, name, kind, out_error);
}

/* A device that the pipeline knows and that is not this client's belongs to somebody else. OpenXR's names stay free for
 * its source, which may come later. */
static int check_device(const scene *s, const void *owner, const char *device, protocol_error *out_error)
{
    const uint32_t id = pipeline_find_device(s->pipeline, device);

    if (!scene_is_client(owner))
        return scene_is_clients_device(s, device)
                   ? protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "a client has the device \"%s\"", device)
                   : 0;
    if (feeds_has(s, owner, id))
        return 0;
    if (strncmp(device, "/user/", 6) == 0)
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN,
                               "device: \"%s\": names under /user/ are OpenXR's, but for who feeds them", device);
    if (id != UINT32_MAX && s->devices[id].client != owner)
        return protocol_refuse(out_error, PROTOCOL_ERROR_NAME_TAKEN, "device: \"%s\" is not this client's", device);
    return 0;
}

int scene_check(const scene *s, const void *owner, const char *name, bool is_target, const char *device,
                protocol_error *out_error)
{
    if (check_name(s, owner, name, is_target, out_error) != 0)
        return -1;
    return device[0] ? check_device(s, owner, device, out_error) : 0;
}
