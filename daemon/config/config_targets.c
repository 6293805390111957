/* The configuration's targets: their numbers, files relative to the configuration's directory, and names that nobody
 * else has. See fill.h. */
#include "fill.h"

#include "expand.h"
#include "protocol/messages/parse_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make the path absolute: whoever reads it later may be elsewhere, as a recording names the file too. */
static int find_file(const char *origin, char *file, failure *out_failure)
{
    const char *slash = strrchr(origin, '/');
    char expanded[CONFIG_PATH_MAX], joined[CONFIG_PATH_MAX], *found;
    failure why = {0};
    int directory;

    if (config_expand_path(file, expanded, sizeof expanded, &why) != 0) {
        return fail_int(out_failure, "%.400s: %.400s", why.text, file);
    }
    directory = expanded[0] == '/' || !slash ? 0 : (int)(slash - origin) + 1;
    if (snprintf(joined, sizeof joined, "%.*s%s", directory, origin, expanded) >= (int)sizeof joined) {
        return fail_int(out_failure, "the path is too long");
    }
    found = realpath(joined, NULL);
    if (!found || strlen(found) >= CLASH_TARGET_FILE_MAX) {
        fail_with(out_failure, "%.400s: %s", joined, found ? "the path is too long" : strerror(errno));
        free(found);
        return -1;
    }
    memcpy(file, found, strlen(found) + 1);
    free(found);
    return 0;
}

static int fill_target(clash_target_definition *target, const char *origin, const cJSON *document, failure *out_failure)
{
    const char *name = cJSON_GetObjectItemCaseSensitive(document, "name")->valuestring;
    failure reason = {0};

    if (!parse_target(document, PROTOCOL_AXES_OPENXR, PARSE_TARGET_CONFIG, target, &reason))
        return fail_int(out_failure, "%s: targets.%s.%s", origin, name, reason.text);
    if (target->file[0] && find_file(origin, target->file, &reason) < 0)
        return fail_int(out_failure, "%s: targets.%s.%s.file: %s", origin, name, parse_shape_key(target->kind),
                        reason.text);
    return 0;
}

int config_fill_targets(config_values *config, const char *origin, const cJSON *targets, failure *out_failure)
{
    const int count = cJSON_GetArraySize(targets);
    const cJSON *target;
    size_t index = 0;

    if (count > CONFIG_TARGETS_MAX)
        return fail_int(out_failure, "%s: targets: there are %d, and at most %d are allowed", origin, count,
                        CONFIG_TARGETS_MAX);
    cJSON_ArrayForEach(target, targets)
    {
        if (fill_target(&config->targets[index++], origin, target, out_failure) < 0)
            return -1;
    }
    config->target_count = index;
    return 0;
}

int config_check_targets(const config_values *config, const char *origin, failure *out_failure)
{
    for (size_t i = 0; i < config->target_count; i++) {
        const char *name = config->targets[i].name;

        for (size_t j = 0; j < config->blade_count; j++)
            if (strcmp(config->blades[j].name, name) == 0)
                return fail_int(out_failure,
                                "%s: targets[%zu].name: '%s' is the name of blades[%zu] already: each needs its own",
                                origin, i, name, j);
        for (size_t j = 0; j < i; j++)
            if (strcmp(config->targets[j].name, name) == 0)
                return fail_int(out_failure,
                                "%s: targets[%zu].name: '%s' is the name of targets[%zu] already: each needs its own",
                                origin, i, name, j);
    }
    return 0;
}
