/* The settings in force, as `config` reports them: those of the file, overridden by flags and the service manager. See
 * daemon_private.h. */
#include "daemon_private.h"

#include "ipc/socket_path.h"

#include <stdlib.h>

static void put_sockets(app_daemon *d)
{
    const passed_socket *tcp = &d->activation.endpoints[ENDPOINT_TCP];
    const passed_socket *websocket = &d->activation.endpoints[ENDPOINT_WEBSOCKET];

    if (d->activation.local.fd != 0)
        config_listing_put(&d->listing, "socket.path", d->activation.local.path, CONFIG_FROM_MANAGER);
    else if (d->config->socket.path[0] == '\0' && socket_path_default(d->default_path, sizeof d->default_path) == 0)
        config_listing_put(&d->listing, "socket.path", d->default_path,
                           getenv("XDG_RUNTIME_DIR") ? CONFIG_FROM_ENVIRONMENT : CONFIG_FROM_DEFAULT);
    if (tcp->fd != 0)
        config_listing_put(&d->listing, "socket.tcp", tcp->text, CONFIG_FROM_MANAGER);
    if (websocket->fd != 0)
        config_listing_put(&d->listing, "socket.websocket", websocket->text, CONFIG_FROM_MANAGER);
}

void daemon_describe_config(app_daemon *d, protocol_config *out_config)
{
    config_list(d->config, &d->listing);
    config_listing_put_options(&d->listing, d->options);
    put_sockets(d);
    *out_config = (protocol_config){
        .time_ns = session_time_ns(&d->session),
        .file = d->settings->config_path,
        .settings = d->listing.settings,
        .setting_count = d->listing.count,
    };
}
