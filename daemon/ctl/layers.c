/* Settings over a recording's; see layers.h. */
#include "layers.h"

#include <stdio.h>
#include <string.h>

bool ctl_layers_matters(const char *key)
{
    return strncmp(key, "contact.", 8) == 0 || strncmp(key, "blades", 6) == 0;
}

int ctl_layers_take_set(void *member, const char *value, failure *out_expected)
{
    ctl_layers *layers = member;

    if (!ctl_layers_matters(value))
        return fail_int(
            out_expected,
            "expected contact.KEY=VALUE, blades.NAME.KEY=VALUE or blades=[..]: no other setting changes what is found");
    if (layers->set_count == CTL_LAYERS_SETS_MAX)
        return fail_int(out_expected, "at most %d of these", CTL_LAYERS_SETS_MAX);
    layers->sets[layers->set_count++] = value;
    return 0;
}

int ctl_layers_make(const ctl_layers *layers, const char *file, const recording_header *header,
                    config_values *out_config, failure *out_failure)
{
    bool right;

    config_defaults(out_config);
    right = config_apply_header(out_config, file, header, out_failure) == CONFIG_OK &&
            (!layers->config_path || config_load(out_config, layers->config_path, out_failure) == CONFIG_OK);
    for (size_t i = 0; right && i < layers->set_count; i++)
        right = config_set(out_config, layers->sets[i], out_failure) == CONFIG_OK;
    return right ? 0 : -1;
}
