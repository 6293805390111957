/* The settings under which clashctl examines a recording, layer over layer: the defaults, the recording's header,
 * --config, --set. Shared by the commands that take these two flags. */
#ifndef CLASHD_CTL_LAYERS_H
#define CLASHD_CTL_LAYERS_H

#include "cli/failure.h"
#include "config/config.h"

#define CTL_LAYERS_SETS_MAX 64

typedef struct ctl_layers {
    const char *config_path; /* NULL: none */
    const char *sets[CTL_LAYERS_SETS_MAX];
    size_t set_count;
} ctl_layers;

/** A flag_function, see cli/flags.h; the member is a ctl_layers. */
int ctl_layers_take_set(void *member, const char *value, failure *out_expected);

/** Return whether a setting of that name can matter for what is found in a recording. */
bool ctl_layers_matters(const char *key);
/** Make the settings. Return 0, or -1 with a message in out_failure. Blocking. `file` is the recording's name in
 *  messages. */
int ctl_layers_make(const ctl_layers *layers, const char *file, const recording_header *header,
                    config_values *out_config, failure *out_failure);

#endif
