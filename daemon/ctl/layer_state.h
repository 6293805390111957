/* The state, for this user, of the OpenXR API layer that feeds clashd from within games. */
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
    bool has_layer; /* otherwise it uses OpenXR without it */
} layer_program;

typedef struct layer_state {
    char manifest[PATH_MAX]; /* as below; "": there is no place for it */
    bool is_there;           /* the manifest exists, */
    bool is_enabled;         /* and can be read */
    bool loads;
    char library[PATH_MAX]; /* named by the manifest */
    char problem[PATH_MAX + 256];
    size_t program_count;
    layer_program programs[LAYER_PROGRAMS_MAX];
} layer_state;

/** Find where the OpenXR loader looks for layers of all of a user's programs. Return false if there is no such place. */
bool layer_state_find_manifest(char out[PATH_MAX]);
/** Load the library in a child process: one that is damaged may crash whatever loads it. Return whether it is an API layer that
 *  loads; otherwise why not is in out_problem. Blocks for 10 s at most. */
bool layer_state_load(const char *library, char *out_problem, size_t size);
/** Examine the manifest and the programs (not other users'), and try the library. The caller frees it. Return NULL when out
 *  of memory. */
layer_state *layer_state_look(void);

#endif
