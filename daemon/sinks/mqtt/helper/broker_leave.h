/* Leave a broker so that it hears of it: what is closed with something unread is reset, and the broker loses what it has not read yet. */
#ifndef CLASHD_SINKS_MQTT_HELPER_BROKER_LEAVE_H
#define CLASHD_SINKS_MQTT_HELPER_BROKER_LEAVE_H

#include <mosquitto.h>
#include <stdbool.h>
#include <uv.h>

/** How long to wait for the broker to close the connection. */
#define BROKER_LEAVE_MS 1000

/** Say DISCONNECT after all that was published before, then nothing more, and wait for the broker's end, reading whatever it still says. Takes
 *  the handle; `fd` is another descriptor of its socket, which stays the caller's. Blocks nobody; the loop goes on until it is over. */
void broker_leave(uv_loop_t *loop, struct mosquitto *mosq, int fd);
/** Return whether some connection is being left. */
bool broker_leave_is_going(void);

#endif
