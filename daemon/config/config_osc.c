/* Settings of OSC, by the rules of the sink that goes by them: see fill.h. */
#include "fill.h"

#include "sinks/osc/osc.h"
#include "sinks/osc/osc_path.h"
#include "sinks/osc/osc_receiver.h"

_Static_assert(OSC_RECEIVER_TEXT_MAX == CONFIG_NAME_SIZE, "the sink takes the lists of names as they are");

static int check_receivers(const config_names *list, const char *origin, const char *key, failure *out_failure)
{
    osc_receiver ignored;
    failure reason = {0};

    for (size_t i = 0; i < list->count; i++)
        if (osc_receiver_parse(list->names[i], &ignored, &reason) != 0)
            return fail_int(out_failure, "%s: osc.%s[%zu]: %s", origin, key, i, reason.text);
    return 0;
}

static int check_path(const char *text, const char *const *places, const char *origin, const char *key,
                      failure *out_failure)
{
    failure reason = {0};

    if (text[0] == '\0' || osc_path_check(text, places, &reason) == 0)
        return 0;
    return fail_int(out_failure, "%s: osc.%s: %s", origin, key, reason.text);
}

int config_check_osc(const config_values *config, const char *origin, failure *out_failure)
{
    const config_osc *osc = &config->osc;

    if (check_receivers(&osc->receivers, origin, "receivers", out_failure) < 0 ||
        check_receivers(&osc->avatars, origin, "avatars", out_failure) < 0 ||
        check_path(osc->clash, osc_path_blades, origin, "clash", out_failure) < 0 ||
        check_path(osc->hold, osc_path_blades, origin, "hold", out_failure) < 0 ||
        check_path(osc->release, osc_path_blades, origin, "release", out_failure) < 0 ||
        check_path(osc->intensity, osc_path_blades, origin, "intensity", out_failure) < 0 ||
        check_path(osc->avatar, osc_path_avatar, origin, "avatar", out_failure) < 0)
        return -1;
    if (osc->receivers.count + osc->avatars.count > 0 && !osc_place.file)
        return fail_int(out_failure, "%s: osc.%s: this clashd was built without OSC (liblo)", origin,
                        osc->receivers.count > 0 ? "receivers" : "avatars");
    return 0;
}
