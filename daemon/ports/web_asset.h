/* The files of the web page that clashd serves, as they are built into the program: daemon/viewer makes them, main hands them on.
 * They last as long as the program. */
#ifndef CLASHD_PORTS_WEB_ASSET_H
#define CLASHD_PORTS_WEB_ASSET_H

#include <stddef.h>

typedef struct web_asset {
    const char *path; /* "/page.js" */
    const char *content_type;
    const char *etag; /* of these bytes and no others, with its quotes */
    const unsigned char *bytes;
    size_t length;
} web_asset;

typedef struct web_assets {
    const web_asset *list;
    size_t count;
    const char *missing; /* if there are none: why, and what helps, one line for people */
} web_assets;

#endif
