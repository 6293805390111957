/* The sink itself, in the module: as mqtt.h says of mqtt_sink_open and so on. */
#ifndef CLASHD_SINKS_MQTT_MQTT_CLIENT_H
#define CLASHD_SINKS_MQTT_MQTT_CLIENT_H

#include "mqtt.h"

int mqtt_client_open(const mqtt_settings *settings, mqtt_sink **out_sink, failure *out_failure);
event_sink mqtt_client_port(mqtt_sink *s);
void mqtt_client_list_counters(const mqtt_sink *s, counter_list *out);
void mqtt_client_close(mqtt_sink *s);

#endif
