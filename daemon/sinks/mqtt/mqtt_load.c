/* The module with libmosquitto, loaded when there is a broker: see mqtt.h. It stays loaded. */
#include "mqtt.h"

#include "mqtt_files.h"

#include <clash/base.h>

#include <string.h>

int mqtt_check_broker(const mqtt_broker *broker, failure *out_failure)
{
    const struct {
        const char *key, *path;
    } files[] = {
        {"ca_file", broker->ca_file}, {"certificate_file", broker->certificate_file}, {"key_file", broker->key_file}};
    char password[MQTT_PASSWORD_MAX];
    failure reason = {0};

    if (broker->password_file[0]) {
        const int result = mqtt_read_password(broker->password_file, password, &reason);

        explicit_bzero(password, sizeof password);
        if (result != 0)
            return fail_int(out_failure, "mqtt.password_file: %s", reason.text);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].path[0] && mqtt_check_file(files[i].path, &reason) != 0)
            return fail_int(out_failure, "mqtt.%s: %s", files[i].key, reason.text);
    return 0;
}

#ifdef CLASHD_HAS_MQTT

#include "platform/module.h"

static const mqtt_module *loaded;

bool mqtt_is_built(void)
{
    return true;
}

static int load(failure *out_failure)
{
    char why[900];

    if (!loaded)
        loaded = module_load("clashd-mqtt.so", "CLASHD_MQTT", "sinks/mqtt", "clashd_mqtt", CLASH_VERSION_STRING, why,
                             sizeof why);
    return loaded ? 0 : fail_int(out_failure, "mqtt: %s", why);
}

int mqtt_sink_open(const mqtt_settings *settings, mqtt_sink **out_sink, failure *out_failure)
{
    *out_sink = NULL;
    if (mqtt_check_broker(&settings->broker, out_failure) != 0 || load(out_failure) != 0)
        return -1;
    return loaded->open(settings, out_sink, out_failure);
}

event_sink mqtt_sink_port(mqtt_sink *s)
{
    return loaded->port(s);
}

void mqtt_sink_list_counters(const mqtt_sink *s, counter_list *out)
{
    loaded->list_counters(s, out);
}

void mqtt_sink_close(mqtt_sink *s)
{
    if (s)
        loaded->close(s);
}

#else

bool mqtt_is_built(void)
{
    return false;
}

int mqtt_sink_open(const mqtt_settings *settings, mqtt_sink **out_sink, failure *out_failure)
{
    (void)settings;
    *out_sink = NULL;
    return fail_int(out_failure, "mqtt: this clashd was built without MQTT");
}

event_sink mqtt_sink_port(mqtt_sink *s)
{
    (void)s;
    return (event_sink){0};
}

void mqtt_sink_list_counters(const mqtt_sink *s, counter_list *out)
{
    (void)s;
    (void)out;
}

void mqtt_sink_close(mqtt_sink *s)
{
    (void)s;
}

#endif
