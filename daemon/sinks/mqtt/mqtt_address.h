/* Where a broker is, as settings have it: "192.168.1.20", "broker.local:1884", "[::1]:1883". Pure: nothing is looked up. */
#ifndef CLASHD_SINKS_MQTT_MQTT_ADDRESS_H
#define CLASHD_SINKS_MQTT_MQTT_ADDRESS_H

#include "cli/failure.h"

#define MQTT_HOST_MAX 256
#define MQTT_PORT_PLAIN 1883
#define MQTT_PORT_TLS 8883

typedef struct mqtt_address {
    char host[MQTT_HOST_MAX]; /* a name, or a number without brackets */
    int port;                 /* 1 to 65535; 0: none was given */
} mqtt_address;

/** Return 0, or -1 with what was expected in out_failure. */
int mqtt_address_parse(const char *text, mqtt_address *out_address, failure *out_failure);
/** Return whether it is this machine, as far as can be seen without asking anybody. */
bool mqtt_address_is_here(const mqtt_address *address);

#endif
