/* How it is with the OpenXR API layer that feeds clashd from within games, for this user. */
#ifndef CLASHD_CTL_LAYER_STATE_H
#define CLASHD_CTL_LAYER_STATE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define LAYER_LIBRARY "libclash_layer.so"
#define LAYER_NAME "XR_APILAYER_CLASHD_poses"
#define LAYER_OFF "DISABLE_" LAYER_NAME
#define LAYER_PROGRAMS_MAX 256

typedef struct layer_program {
    long pid;
    char name[64];
    bool has_layer; /* else it uses OpenXR without it */
} layer_program;

typedef struct layer_state {
    char manifest[PATH_MAX]; /* as below; "": there is no place for it */
    bool is_there;           /* the manifest.. */
    bool is_enabled;         /* ..which can be understood */
    bool loads;
    char library[PATH_MAX]; /* that the manifest names */
    char problem[PATH_MAX + 256];
    size_t program_count;
    layer_program programs[LAYER_PROGRAMS_MAX];
} layer_state;

/** Where the OpenXR loader looks for layers that are in all of a user's programs. False if there is no such place. */
bool layer_state_find_manifest(char out[PATH_MAX]);
/** Looks at the manifest, at programs (others' cannot be looked into), and loads the library. NULL when out of memory; to be
 *  freed. */
layer_state *layer_state_look(void);

#endif
