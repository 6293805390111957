/* The way to one receiver: a UDP socket that is connected to it, so that the system tells when nobody listens there. A name is looked up
 * on a thread of its own; one that leads nowhere, or to which there is no route, is tried again every OSC_RETRY_MS. On the loop's thread. */
#ifndef CLASHD_SINKS_OSC_OSC_SENDER_H
#define CLASHD_SINKS_OSC_OSC_SENDER_H

#include "osc_receiver.h"
#include "ports/log.h"

#include <stddef.h>
#include <uv.h>

#define OSC_RETRY_MS 15000

/** Messages, of all receivers. */
typedef struct osc_counts {
    uint64_t sent;    /* the kernel has them */
    uint64_t limited; /* over the rate */
    uint64_t refused; /* of those sent: nobody listened */
    uint64_t lost;    /* no way there, its name not known, or the kernel had no room */
} osc_counts;

typedef struct osc_sender_settings {
    uv_loop_t *loop;
    const char *key;    /* of the setting that names it, which stays */
    const char *text;   /* as that has it; copied */
    double rate_hz;     /* above 0 */
    osc_counts *counts; /* outlives it */
    logger log;
    void *context;
    void (*found)(void *context); /* from now on messages can go */
} osc_sender_settings;

typedef struct osc_sender osc_sender;

/** Return NULL when out of memory. A number is connected at once. */
osc_sender *osc_sender_create(const osc_sender_settings *settings);
/** Call nobody any more; the loop has to run once more before it is closed. */
void osc_sender_close(osc_sender *s);
/** Return whether there is somewhere to send to. */
bool osc_sender_is_found(const osc_sender *s);
/** Return whether one more message may go now: then it counts against the rate. */
bool osc_sender_take(osc_sender *s);
/** Return whether the kernel has it. */
bool osc_sender_send(osc_sender *s, const char *bytes, size_t length);

#endif
