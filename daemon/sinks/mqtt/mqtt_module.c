/* What clashd finds in the module: see mqtt.h. */
#include "mqtt_client.h"

#include <clash/base.h>

__attribute__((visibility("default"))) extern const mqtt_module clashd_mqtt;
const mqtt_module clashd_mqtt = {
    .version = CLASH_VERSION_STRING,
    .open = mqtt_client_open,
    .port = mqtt_client_port,
    .list_counters = mqtt_client_list_counters,
    .close = mqtt_client_close,
};
