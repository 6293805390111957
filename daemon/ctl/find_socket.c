/* Where clashctl finds clashd: the settings know. */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "ctl.h"
#include "ipc/socket_path.h"

/* As the daemon would find it without flags. A broken configuration is the daemon's to complain about. */
int ctl_find_socket(char *out_path, size_t size)
{
    app_config *config = malloc(sizeof *config);
    char file[APP_PATH_MAX], error[APP_ERROR_MAX];
    bool found = false;

    if (!config)
        return -1;
    app_config_defaults(config);
    if (app_config_default_path(file, sizeof file) == 0 && app_config_load(config, file, error) == APP_CONFIG_OK &&
        config->socket.path[0]) {
        size_t length = strlen(config->socket.path);

        found = length < size;
        memcpy(out_path, config->socket.path, found ? length + 1 : 0);
    }
    free(config);
    return found ? 0 : socket_path_default(out_path, size);
}
