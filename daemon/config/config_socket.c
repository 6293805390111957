/* Check the sockets' settings as a whole; see fill.h. Clients from outside this machine must always show the token. */
#include "fill.h"

#include "ipc/address.h"

#include <stdio.h>

static int check_address(const config_values *config, const char *origin, const char *key, const char *text,
                         failure *out_failure)
{
    failure reason = {0};
    address a;

    if (text[0] == '\0')
        return 0;
    if (address_parse(text, &a, &reason) != 0)
        return fail_int(out_failure, "%s: %s: %s", origin, key, reason.text);
    if (!config->socket.require_token && !address_is_loopback(&a))
        return fail_int(
            out_failure,
            "%s: socket.require_token: false is allowed only if no other machine can connect, and %s is %s: "
            "leave require_token true, or listen on 127.0.0.1 or [::1]",
            origin, key, text);
    return 0;
}

int config_check_socket(const config_values *config, const char *origin, failure *out_failure)
{
    if (check_address(config, origin, "socket.tcp", config->socket.tcp, out_failure) < 0)
        return -1;
    return check_address(config, origin, "socket.websocket", config->socket.websocket, out_failure);
}
