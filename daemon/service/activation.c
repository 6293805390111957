/* Tell the passed sockets apart; see activation.h. */
#include "activation.h"

#include <stdio.h>
#include <string.h>

bool activation_is_at(const passed_socket *socket, const char *text)
{
    char formatted[ADDRESS_TEXT_MAX];
    failure ignored = {0};
    address a;

    if (socket->is_unix)
        return strcmp(socket->path, text) == 0;
    if (text[0] == '\0' || address_parse(text, &a, &ignored) != 0)
        return false;
    address_format(&a, formatted);
    return strcmp(formatted, socket->text) == 0;
}

/* Return where a socket of that name belongs, or NULL. */
static passed_socket *find_place(const passed_socket *socket, const char *name, const config_socket *config,
                                 activation *out)
{
    const bool names_tcp = strcmp(name, ACTIVATION_NAME_TCP) == 0;
    const bool names_websocket = strcmp(name, ACTIVATION_NAME_WEBSOCKET) == 0;

    if (socket->is_unix)
        return names_tcp || names_websocket ? NULL : &out->local;
    if (names_tcp || (!names_websocket && activation_is_at(socket, config->tcp)))
        return &out->endpoints[ENDPOINT_TCP];
    if (names_websocket || activation_is_at(socket, config->websocket))
        return &out->endpoints[ENDPOINT_WEBSOCKET];
    return NULL;
}

/* Check as for socket.tcp and socket.websocket: without a token the socket must not be reachable from outside. */
static bool is_too_open(const passed_socket *socket, const config_socket *config)
{
    return !socket->is_unix && !config->require_token && !address_is_loopback(&socket->address);
}

static int sort_one(int fd, const char *name, const config_socket *config, activation *out, failure *out_failure)
{
    failure reason = {0};
    passed_socket socket, *place;

    if (passed_socket_look(fd, &socket, &reason) != 0)
        return fail_int(out_failure, "the descriptor %d that was handed over ('%s') %s", fd, name, reason.text);
    place = find_place(&socket, name, config, out);
    if (!place)
        return fail_int(out_failure,
                        "the descriptor %d that was handed over ('%s', %s) is none of clashd's: expected "
                        "FileDescriptorName=" ACTIVATION_NAME_UNIX
                        " for a Unix socket, and for a TCP socket " ACTIVATION_NAME_TCP " or " ACTIVATION_NAME_WEBSOCKET
                        ", or the address of socket.tcp or socket.websocket",
                        fd, name, socket.text);
    if (place->fd != 0)
        return fail_int(out_failure,
                        "two sockets were handed over for the same: descriptor %d (%s) and %d (%s); expected one",
                        place->fd, place->text, fd, socket.text);
    if (is_too_open(&socket, config))
        return fail_int(
            out_failure,
            "the descriptor %d that was handed over ('%s', %s): socket.require_token: false is allowed only "
            "where no other machine can connect: leave require_token true, or listen on 127.0.0.1 or [::1]",
            fd, name, socket.text);
    *place = socket;
    return 0;
}

int activation_sort(const systemd_descriptors *descriptors, int first, const config_socket *config, activation *out,
                    failure *out_failure)
{
    *out = (activation){0};
    for (size_t i = 0; i < descriptors->count; i++)
        if (sort_one(first + (int)i, descriptors->names[i], config, out, out_failure) < 0)
            return -1;
    return 0;
}

int activation_take(const config_socket *config, activation *out, failure *out_failure)
{
    systemd_descriptors descriptors;

    if (systemd_take_descriptors(&descriptors, out_failure) < 0)
        return -1;
    return activation_sort(&descriptors, SYSTEMD_FIRST_DESCRIPTOR, config, out, out_failure);
}

static void warn_of_other_place(const logger *log, const char *key, const char *wanted, const passed_socket *passed)
{
    if (passed->fd != 0 && wanted[0] && !activation_is_at(passed, wanted))
        LOG_WARNING(log, "%s: nobody listens on %s: %s was handed over in its place", key, wanted, passed->text);
}

void activation_warn(const activation *passed, const config_socket *config, const logger *log)
{
    warn_of_other_place(log, "socket.path", config->path, &passed->local);
    warn_of_other_place(log, "socket.tcp", config->tcp, &passed->endpoints[ENDPOINT_TCP]);
    warn_of_other_place(log, "socket.websocket", config->websocket, &passed->endpoints[ENDPOINT_WEBSOCKET]);
}
