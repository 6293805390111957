/* Where a broker is: see mqtt_address.h. */
#include "mqtt_address.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

static bool take_port(const char *text, int *out_port)
{
    const size_t length = strspn(text, "0123456789");
    const long port = length > 0 && length < 6 ? strtol(text, NULL, 10) : 0;

    *out_port = (int)port;
    return text[length] == '\0' && port >= 1 && port <= 65535;
}

int mqtt_address_parse(const char *text, mqtt_address *out_address, failure *out_failure)
{
    const bool brackets = text[0] == '[';
    const size_t length = strspn(text + brackets, brackets ? NAME_CHARACTERS ":%" : NAME_CHARACTERS);
    const char *rest = text + brackets + length;
    bool good = length > 0 && length < MQTT_HOST_MAX && text[0] != '-';

    *out_address = (mqtt_address){.port = 0};
    if (brackets) {
        good = good && *rest == ']';
        rest += good;
    }
    if (good && *rest)
        good = *rest == ':' && take_port(rest + 1, &out_address->port);
    if (!good)
        return fail_int(
            out_failure,
            "'%.80s' is no broker: expected HOST or HOST:PORT, as in \"broker.local\", \"192.168.1.20:1884\" or "
            "\"[::1]:1883\", the port from 1 to 65535",
            text);
    snprintf(out_address->host, sizeof out_address->host, "%.*s", (int)length, text + brackets);
    return 0;
}

bool mqtt_address_is_here(const mqtt_address *address)
{
    return strncmp(address->host, "127.", 4) == 0 || strcmp(address->host, "localhost") == 0 ||
           strcmp(address->host, "::1") == 0;
}
