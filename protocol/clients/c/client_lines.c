/* In place of client_frames.c and client_upgrade.c where a library must load without libwslay and libmd (CMakeLists.txt,
 * clash_client_alone): an address of WebSocket is refused before any of these functions is reached. */
#include "client_frames.h"
#include "client_upgrade.h"

#include <stdio.h>

const bool client_frames_are_there = false;

client_frames *client_frames_create(size_t limit, const client_frames_listener *listener)
{
    (void)limit;
    (void)listener;
    return NULL;
}

void client_frames_destroy(client_frames *f)
{
    (void)f;
}

const char *client_frames_push(client_frames *f, const char *bytes, size_t length)
{
    (void)f;
    (void)bytes;
    (void)length;
    return "WebSocket is left out of this client";
}

bool client_frames_text(client_frames *f, const char *text, size_t length)
{
    (void)f;
    (void)text;
    (void)length;
    return false;
}

size_t client_upgrade_ask(client_upgrade *u, const char *host, const char *path, const char *token,
                          char out[CLIENT_REQUEST_MAX])
{
    (void)u;
    (void)host;
    (void)path;
    (void)token;
    out[0] = '\0';
    return 0;
}

client_upgrade_verdict client_upgrade_take(client_upgrade *u, const char *bytes, size_t length, size_t *out_used,
                                           char *out_why, size_t size)
{
    (void)u;
    (void)bytes;
    *out_used = length;
    snprintf(out_why, size, "WebSocket is left out of this client");
    return CLIENT_UPGRADE_REFUSED;
}

void client_upgrade_end(client_upgrade *u, char *out_why, size_t size)
{
    (void)u;
    snprintf(out_why, size, "WebSocket is left out of this client");
}
