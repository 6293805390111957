/* Who OSC messages go to: see osc_receiver.h. */
#include "osc_receiver.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NAME_CHARACTERS LETTERS "0123456789.-_"
/* .. and the zone of a link's own address, as in fe80::1%eth0. */
#define IPV6_CHARACTERS NAME_CHARACTERS ":%"

static bool take_port(const char *text, char out[OSC_PORT_MAX])
{
    const size_t length = strspn(text, "0123456789");
    const long port = length > 0 && length < OSC_PORT_MAX ? strtol(text, NULL, 10) : 0;

    if (text[length] != '\0' || port < 1 || port > 65535)
        return false;
    snprintf(out, OSC_PORT_MAX, "%ld", port);
    return true;
}

static bool take_host(const char *text, size_t length, char out[OSC_HOST_MAX])
{
    const bool brackets = length > 2 && text[0] == '[' && text[length - 1] == ']';
    const char *host = brackets ? text + 1 : text;
    const size_t count = brackets ? length - 2 : length;

    if (count == 0 || count >= OSC_HOST_MAX || host[0] == '-' ||
        strspn(host, brackets ? IPV6_CHARACTERS : NAME_CHARACTERS) < count)
        return false;
    snprintf(out, OSC_HOST_MAX, "%.*s", (int)count, host);
    if (strcmp(out, "localhost") == 0)
        snprintf(out, OSC_HOST_MAX, "127.0.0.1");
    return true;
}

int osc_receiver_parse(const char *text, osc_receiver *out_receiver, failure *out_failure)
{
    const char *colon = strrchr(text, ':');

    *out_receiver = (osc_receiver){.host = "127.0.0.1"};
    if (take_port(colon ? colon + 1 : text, out_receiver->port) &&
        (!colon || take_host(text, (size_t)(colon - text), out_receiver->host)))
        return 0;
    return fail_int(
        out_failure,
        "'%.80s' is nobody to send to: expected HOST:PORT or PORT, as in \"desk.local:7000\", \"[::1]:7000\" or "
        "\"9000\" (which is 127.0.0.1:9000), the port from 1 to 65535",
        text);
}
