/* The module with libmosquitto, loaded when there is a broker: see mqtt.h. It stays loaded. */
#include "mqtt.h"

#include "mqtt_files.h"

#include <clash/base.h>

#include <errno.h>
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

#include "platform/helper_place.h"

#include <dlfcn.h>
#include <limits.h>

static const mqtt_module *loaded;

bool mqtt_is_built(void)
{
    return true;
}

static int load(failure *out_failure)
{
    char path[PATH_MAX];
    void *library;

    if (loaded)
        return 0;
    if (helper_place("clashd-mqtt.so", "CLASHD_MQTT", "sinks/mqtt", path, sizeof path) != 0)
        return fail_int(out_failure, "mqtt: %s", strerror(errno));
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    loaded = library ? dlsym(library, CLASHD_MQTT_MODULE) : NULL;
    if (!loaded)
        return fail_int(out_failure, "mqtt: %.900s", dlerror());
    if (strcmp(loaded->version, CLASH_VERSION_STRING) == 0)
        return 0;
    fail_with(out_failure, "mqtt: %.800s is of version %.32s, and this clashd is %s", path, loaded->version,
              CLASH_VERSION_STRING);
    loaded = NULL;
    return -1;
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
