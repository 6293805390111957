/* Interaction profiles, from the section "Interaction Profile Paths" of the OpenXR 1.0 specification. Profiles of
 * extensions are left out: this runtime offers none of those extensions, and refuses suggestions for them. */
#include "runtime/profiles.h"
#include "runtime/paths.h"
#include <string.h>

#define POSES " input/grip/pose input/aim/pose"
#define TRACKPAD " input/trackpad/x input/trackpad/y input/trackpad/click input/trackpad/touch"
#define THUMBSTICK " input/thumbstick/x input/thumbstick/y input/thumbstick/click"

enum { LEFT = 1, RIGHT = 2, HEAD = 4, GAMEPAD = 8, TRACKER = 32 }; /* bits of paths_user */

typedef struct profile {
    const char *path;
    unsigned users;
    const char *both, *left, *right; /* component paths, each after a space; "" for none */
} profile;

static const profile table[PROFILES_MAX] = {
    {"/interaction_profiles/khr/simple_controller", LEFT | RIGHT,
     " input/select/click input/menu/click output/haptic" POSES, "", ""},
    {"/interaction_profiles/google/daydream_controller", LEFT | RIGHT, " input/select/click" TRACKPAD POSES, "", ""},
    {"/interaction_profiles/htc/vive_controller", LEFT | RIGHT,
     " input/system/click input/squeeze/click input/menu/click input/trigger/click input/trigger/value"
     " output/haptic" TRACKPAD POSES,
     "", ""},
    {"/interaction_profiles/htc/vive_pro", HEAD,
     " input/system/click input/volume_up/click input/volume_down/click input/mute_mic/click", "", ""},
    {"/interaction_profiles/microsoft/motion_controller", LEFT | RIGHT,
     " input/menu/click input/squeeze/click input/trigger/value output/haptic" THUMBSTICK TRACKPAD POSES, "", ""},
    {"/interaction_profiles/microsoft/xbox_controller", GAMEPAD,
     " input/menu/click input/view/click input/a/click input/b/click input/x/click input/y/click"
     " input/dpad_down/click input/dpad_right/click input/dpad_up/click input/dpad_left/click"
     " input/shoulder_left/click input/shoulder_right/click input/trigger_left/value input/trigger_right/value"
     " input/thumbstick_left/click input/thumbstick_left/x input/thumbstick_left/y"
     " input/thumbstick_right/click input/thumbstick_right/x input/thumbstick_right/y"
     " output/haptic_left output/haptic_right output/haptic_left_trigger output/haptic_right_trigger",
     "", ""},
    {"/interaction_profiles/oculus/go_controller", LEFT | RIGHT,
     " input/system/click input/trigger/click input/back/click" TRACKPAD POSES, "", ""},
    {"/interaction_profiles/oculus/touch_controller", LEFT | RIGHT,
     " input/squeeze/value input/trigger/value input/trigger/touch input/thumbstick/touch input/thumbrest/touch"
     " output/haptic" THUMBSTICK POSES,
     " input/x/click input/x/touch input/y/click input/y/touch input/menu/click",
     " input/a/click input/a/touch input/b/click input/b/touch input/system/click"},
    {"/interaction_profiles/valve/index_controller", LEFT | RIGHT,
     " input/system/click input/system/touch input/a/click input/a/touch input/b/click input/b/touch"
     " input/squeeze/value input/squeeze/force input/trigger/click input/trigger/value input/trigger/touch"
     " input/thumbstick/touch input/trackpad/x input/trackpad/y input/trackpad/force input/trackpad/touch"
     " output/haptic" THUMBSTICK POSES,
     "", ""},
    [PROFILES_TRACKER] = {"/interaction_profiles/htc/vive_tracker_htcx", TRACKER, " input/grip/pose output/haptic", "",
                          ""},
};

int profiles_find(const char *path)
{
    for (int i = 0; i < PROFILES_MAX; i++) {
        if (strcmp(table[i].path, path) == 0)
            return i;
    }
    return -1;
}

const char *profiles_path(int number)
{
    return table[number].path;
}

/* Return whether the list has `component` itself, or has it as a parent ("input/trigger" of "input/trigger/value"). */
static bool lists(const char *list, const char *component)
{
    size_t length = strlen(component);
    for (const char *word = list; *word; word += strcspn(word, " ")) {
        word++;
        if (strncmp(word, component, length) == 0 && strchr(" /", word[length]))
            return true; /* strchr also finds the string's terminator */
    }
    return false;
}

bool profiles_has_binding(int number, const char *binding)
{
    const profile *p = &table[number];
    int user = paths_find_user(binding, true);
    if (user < 0 || !(p->users & 1u << user))
        return false;
    const char *component = binding + strlen(paths_user((uint32_t)user));
    if (*component++ != '/' || !strchr(component, '/'))
        return false;
    return lists(p->both, component) || (user == 0 && lists(p->left, component)) ||
           (user == 1 && lists(p->right, component));
}
