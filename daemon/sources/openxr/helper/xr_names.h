/* OpenXR's numbers in words, even without an instance to ask. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_XR_NAMES_H
#define CLASHD_SOURCES_OPENXR_HELPER_XR_NAMES_H

#include <openxr/openxr.h>

/** Return "XR_ERROR_..", or "an unknown result". */
const char *xr_result_name(XrResult result);
/** Return "FOCUSED", ... */
const char *xr_session_state_name(XrSessionState state);

#endif
