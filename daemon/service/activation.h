/* Sockets handed over by the service manager (socket activation): which of clashd's three ways in each of them is. By its
 * name (FileDescriptorName=), else a Unix socket by being one, and a TCP socket by the settings' address. What fits
 * nothing is refused: a client that waits there would wait for ever. */
#ifndef CLASHD_SERVICE_ACTIVATION_H
#define CLASHD_SERVICE_ACTIVATION_H

#include "cli/failure.h"
#include "config/config.h"
#include "ipc/endpoint.h"
#include "ipc/passed_socket.h"
#include "server/socket.h"
#include "systemd.h"

#define ACTIVATION_NAME_UNIX "clashd"
#define ACTIVATION_NAME_TCP "clashd-tcp"
#define ACTIVATION_NAME_WEBSOCKET "clashd-websocket"

/** A descriptor of 0: there is none, and clashd listens itself. */
typedef struct activation {
    passed_socket local;
    passed_socket endpoints[SOCKET_SINK_ENDPOINTS]; /* by endpoint_kind */
} activation;

/** What came from the service manager; nothing if clashd was started otherwise. See systemd_take_descriptors for when.
 *  0, or -1 with a message in out_failure. */
int activation_take(const app_socket_config *config, activation *out, failure *out_failure);
/** Whether it is the one that the settings call so, a path or an address. */
bool activation_is_at(const passed_socket *socket, const char *text);
/** As activation_take, of descriptors from `first` on. */
int activation_sort(const systemd_descriptors *descriptors, int first, const app_socket_config *config, activation *out,
                    failure *out_failure);

#endif
