/* The page that clashd serves, as it is built into the program: what build.mjs has made of src, by CMakeLists.txt. */
#ifndef CLASHD_VIEWER_VIEWER_H
#define CLASHD_VIEWER_VIEWER_H

#include "ports/web_asset.h"

/** All its files; or none, and why. Lasts. */
const web_assets *viewer_assets(void);

#endif
