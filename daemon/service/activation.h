/* Sockets passed by the service manager (socket activation), and which of clashd's three endpoints each one is: by its
 * name (FileDescriptorName=), else a Unix socket by its kind and a TCP socket by the settings' address. A socket that
 * fits none is refused: a client would wait on it for ever. */
#ifndef CLASHD_SERVICE_ACTIVATION_H
#define CLASHD_SERVICE_ACTIVATION_H

#include "cli/failure.h"
#include "config/config.h"
#include "ipc/endpoint.h"
#include "ipc/passed_socket.h"
#include "ports/log.h"
#include "server/server.h"
#include "systemd.h"

#define ACTIVATION_NAME_UNIX "clashd"
#define ACTIVATION_NAME_TCP "clashd-tcp"
#define ACTIVATION_NAME_WEBSOCKET "clashd-websocket"

/** Without a descriptor (0) clashd listens itself. */
typedef struct activation {
    passed_socket local;
    passed_socket endpoints[SERVER_ENDPOINTS]; /* by endpoint_kind */
} activation;

/** Take what the service manager passed; nothing if clashd was started otherwise. See systemd_take_descriptors for
 *  when. Return 0, or -1 with a message in out_failure. */
int activation_take(const config_socket *config, activation *out, failure *out_failure);
/** Return whether it is the path or address that the settings give. */
bool activation_is_at(const passed_socket *socket, const char *text);
/** Like activation_take, for descriptors from `first` on. */
int activation_sort(const systemd_descriptors *descriptors, int first, const config_socket *config, activation *out,
                    failure *out_failure);

/** Warn if the settings name a place and another one was passed: a client would wait there in vain. */
void activation_warn(const activation *passed, const config_socket *config, const logger *log);

#endif
