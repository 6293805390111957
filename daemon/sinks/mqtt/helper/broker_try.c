/* See broker_try.h. */
#include "broker_try.h"

#include "sinks/mqtt/mqtt_files.h"

#include <errno.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libmosquitto's least is 5. Half as much again, and the connection counts as lost. */
#define KEEPALIVE_S 10

/* A key that wants a pass phrase is refused: nobody is asked on clashd's terminal. */
static int give_no_phrase(char *out, int size, int is_encrypting, void *userdata)
{
    (void)is_encrypting;
    (void)userdata;
    if (size > 0)
        out[0] = '\0';
    return 0;
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static bool set_tls(broker_try *t)
{
    const mqtt_target *to = &t->target;
    const char *directory = to->ca_file[0] ? NULL : "/etc/ssl/certs";
    int result;

    if (!to->tls)
        return true;
    result = mosquitto_tls_set(t->mosq, or_null(to->ca_file), directory, or_null(to->certificate_file),
                               or_null(to->key_file), give_no_phrase);
    return result == MOSQ_ERR_SUCCESS ||
           fail_with(&t->why, "mqtt.tls: certificates or keys cannot be used: %s", mosquitto_strerror(result));
}

static bool set_user(broker_try *t)
{
    const mqtt_target *to = &t->target;
    char password[MQTT_PASSWORD_MAX] = "";
    failure reason = {0};
    bool good = true;

    if (!to->user[0])
        return true;
    if (to->password_file[0] && mqtt_read_password(to->password_file, password, &reason) != 0)
        good = fail_with(&t->why, "mqtt.password_file: %s", reason.text);
    if (good && mosquitto_username_pw_set(t->mosq, to->user, or_null(password)) != MOSQ_ERR_SUCCESS)
        good = fail_with(&t->why, "mqtt.user: libmosquitto does not take it");
    explicit_bzero(password, sizeof password);
    return good;
}

static bool set_all(broker_try *t)
{
    if (mosquitto_int_option(t->mosq, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5) != MOSQ_ERR_SUCCESS ||
        mosquitto_int_option(t->mosq, MOSQ_OPT_TCP_NODELAY, 1) != MOSQ_ERR_SUCCESS ||
        mosquitto_will_set(t->mosq, t->target.will_topic, 5, "false", 1, true) != MOSQ_ERR_SUCCESS)
        return fail_with(&t->why, "out of memory");
    return set_user(t) && set_tls(t);
}

/* Take TLS's reason from libmosquitto's log: it stands nowhere else. */
static void note_said(struct mosquitto *mosq, void *context, int level, const char *text)
{
    broker_try *t = context;

    (void)mosq;
    if (level == MOSQ_LOG_ERR)
        snprintf(t->said, sizeof t->said, "%.*s", (int)strcspn(text, "\r\n"), text);
}

/* The broker keeps back what is larger than anything that is asked for: whoever may publish in the room could else have clashd take any
 * amount of memory. libmosquitto has this only for a connect that waits; it keeps the properties of one that it refuses for its port, and
 * the next one has them. */
static void bound_packets(broker_try *t)
{
    mosquitto_property *properties = NULL;

    if (mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE, MQTT_TAKEN_MAX + MQTT_TOPIC_MAX) ==
        MOSQ_ERR_SUCCESS)
        mosquitto_connect_bind_v5(t->mosq, t->target.host, -1, KEEPALIVE_S, NULL, properties);
    mosquitto_property_free_all(&properties);
}

static bool connect_it(broker_try *t)
{
    int result;

    bound_packets(t);
    errno = 0;
    result = mosquitto_connect_bind_async(t->mosq, t->target.host, t->target.port, KEEPALIVE_S, NULL);
    if (result == MOSQ_ERR_SUCCESS && mosquitto_socket(t->mosq) >= 0)
        return true;
    if (result == MOSQ_ERR_EAI || result == MOSQ_ERR_LOOKUP)
        return fail_with(&t->why, "its name is not known");
    if (t->said[0])
        return fail_with(&t->why, "%s%s", t->target.tls ? "mqtt.tls: " : "", t->said);
    return fail_with(&t->why, "%s", result == MOSQ_ERR_ERRNO ? strerror(errno) : mosquitto_strerror(result));
}

void broker_try_connect(void *context)
{
    broker_try *t = context;

    t->mosq = mosquitto_new(t->target.client, true, t);
    if (!t->mosq) {
        fail_with(&t->why, "out of memory");
        return;
    }
    mosquitto_log_callback_set(t->mosq, note_said);
    if (!set_all(t) || !connect_it(t)) {
        mosquitto_destroy(t->mosq);
        t->mosq = NULL;
    }
}

void broker_try_free(void *context)
{
    broker_try *t = context;

    if (t->mosq)
        mosquitto_destroy(t->mosq);
    free(t);
}
