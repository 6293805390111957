/* What can be checked before the sink is opened: see mqtt.h. */
#include "mqtt.h"

#include "mqtt_files.h"

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

const sink_place mqtt_place = {
    .section = "mqtt",
#ifdef CLASHD_HAS_HELPER
    .linked = &mqtt_module_own.base,
#endif
};
