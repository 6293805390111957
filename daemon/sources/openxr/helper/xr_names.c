/* OpenXR's numbers in words; see xr_names.h. */
#include "xr_names.h"

#include <openxr/openxr_reflection.h>
#include <string.h>

#define NAME_CASE(name, value) \
    case name:                 \
        return #name;

const char *xr_result_name(XrResult result)
{
    switch (result) {
        XR_LIST_ENUM_XrResult(NAME_CASE) default : return "an unknown result";
    }
}

static const char *xr_session_state_whole_name(XrSessionState state)
{
    switch (state) {
        XR_LIST_ENUM_XrSessionState(NAME_CASE) default : return "XR_SESSION_STATE_?";
    }
}

const char *xr_session_state_name(XrSessionState state)
{
    return xr_session_state_whole_name(state) + strlen("XR_SESSION_STATE_");
}
