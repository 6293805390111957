/* Settings of MQTT as a whole: see fill.h. */
#include "fill.h"

#include "sinks/mqtt/mqtt.h"
#include "sinks/mqtt/mqtt_address.h"

/* Settings of a broker that need one another. */
int config_check_mqtt_together(const config_values *config, const char *origin, failure *out_failure)
{
    const config_mqtt *m = &config->mqtt;

    if (!m->broker[0] && m->peers)
        return fail_int(out_failure, "%s: mqtt.peers: there is no mqtt.broker from which other players' blades come",
                        origin);
    if (!m->broker[0])
        return 0;
    if (m->password_file[0] && !m->user[0])
        return fail_int(out_failure, "%s: mqtt.password_file: there is no mqtt.user whose password it is", origin);
    if (!m->tls && (m->ca_file[0] || m->certificate_file[0] || m->key_file[0]))
        return fail_int(out_failure, "%s: mqtt.%s: is for TLS, and mqtt.tls is false", origin,
                        m->ca_file[0]            ? "ca_file"
                        : m->certificate_file[0] ? "certificate_file"
                                                 : "key_file");
    if (!m->certificate_file[0] != !m->key_file[0])
        return fail_int(out_failure, "%s: mqtt.certificate_file and mqtt.key_file: expected both or neither", origin);
    return 0;
}

int config_check_mqtt(const config_values *config, const char *origin, failure *out_failure)
{
    const config_mqtt *m = &config->mqtt;
    mqtt_address ignored;
    failure reason = {0};

    if (!m->broker[0])
        return 0;
    if (mqtt_address_parse(m->broker, &ignored, &reason) != 0)
        return fail_int(out_failure, "%s: mqtt.broker: %s", origin, reason.text);
    if (!mqtt_place.linked)
        return fail_int(out_failure, "%s: mqtt.broker: this clashd was built without MQTT (libmosquitto)", origin);
    return 0;
}
