/* Interaction profiles, after the registry of OpenXR 1.1.61 (xr.xml, <interaction_profiles>): those of /user/hand/left and
 * /user/hand/right that list input/grip/pose. Profiles of heads, gamepads, eyes, wrists and body trackers are not here. */
#include "xr_profiles.h"

#define PROFILE(name) "/interaction_profiles/" name
#define NONE XR_PROFILE_EXTENSION_ONLY

const xr_profile xr_profiles[] = {
    /* OpenXR 1.0 */
    {PROFILE("khr/simple_controller"), NULL, 0, true},
    {PROFILE("google/daydream_controller"), NULL, 0, false},
    {PROFILE("htc/vive_controller"), NULL, 0, true},
    {PROFILE("microsoft/motion_controller"), NULL, 0, true},
    {PROFILE("oculus/go_controller"), NULL, 0, false},
    {PROFILE("oculus/touch_controller"), NULL, 0, true},
    {PROFILE("valve/index_controller"), NULL, 0, true},
    /* extensions that became part of OpenXR 1.1 */
    {PROFILE("htc/vive_cosmos_controller"), "XR_HTC_vive_cosmos_controller_interaction", 1, true},
    {PROFILE("htc/vive_focus3_controller"), "XR_HTC_vive_focus3_controller_interaction", 1, true},
    {PROFILE("samsung/odyssey_controller"), "XR_EXT_samsung_odyssey_controller", 1, true},
    {PROFILE("hp/mixed_reality_controller"), "XR_EXT_hp_mixed_reality_controller", 1, true},
    {PROFILE("ml/ml2_controller"), "XR_ML_ml2_controller_interaction", 1, true},
    {PROFILE("bytedance/pico_neo3_controller"), "XR_BD_controller_interaction", 1, true},
    {PROFILE("bytedance/pico4_controller"), "XR_BD_controller_interaction", 1, true},
    {PROFILE("bytedance/pico_g3_controller"), "XR_BD_controller_interaction", 1, false},
    /* the same controllers under two names, the extension's and OpenXR 1.1's */
    {PROFILE("facebook/touch_controller_pro"), "XR_FB_touch_controller_pro", NONE, true},
    {PROFILE("meta/touch_pro_controller"), NULL, 1, true},
    {PROFILE("meta/touch_controller_plus"), "XR_META_touch_controller_plus", NONE, true},
    {PROFILE("meta/touch_plus_controller"), NULL, 1, true},
    /* new in OpenXR 1.1 */
    {PROFILE("meta/touch_controller_rift_cv1"), NULL, 1, true},
    {PROFILE("meta/touch_controller_quest_1_rift_s"), NULL, 1, true},
    {PROFILE("meta/touch_controller_quest_2"), NULL, 1, true},
    /* extensions only */
    {PROFILE("khr/generic_controller"), "XR_KHR_generic_controller", NONE, true},
    {PROFILE("ext/hand_interaction_ext"), "XR_EXT_hand_interaction", NONE, false},
    {PROFILE("microsoft/hand_interaction"), "XR_MSFT_hand_interaction", NONE, false},
    {PROFILE("huawei/controller"), "XR_HUAWEI_controller_interaction", NONE, true},
    {PROFILE("bytedance/pico_ultra_controller_bd"), "XR_BD_ultra_controller_interaction", NONE, true},
    {PROFILE("oppo/mr_controller_oppo"), "XR_OPPO_controller_interaction", NONE, true},
    {PROFILE("yvr/touch_controller_yvr"), "XR_YVR_controller_interaction", NONE, true},
    {PROFILE("varjo/xr-4_controller"), "XR_VARJO_xr4_controller_interaction", NONE, true},
    {PROFILE("logitech/mx_ink_stylus_logitech"), "XR_LOGITECH_mx_ink_stylus_interaction", NONE, true},
};

const size_t xr_profile_count = sizeof xr_profiles / sizeof *xr_profiles;
