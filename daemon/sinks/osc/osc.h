/* Sink: clashes as OSC messages over UDP, for light and sound desks, for programs such as TouchDesigner, and for VRChat's avatars.
 * PROTOCOL.md says which messages there are. Nothing it does waits for anybody: a name is looked up on another thread, and what the
 * kernel does not take at once is lost, and counted.
 *
 * It only sends. Its sockets are connected and are never read from, and of liblo it uses nothing but the functions that make messages out
 * of numbers: so no stranger's bytes reach that library, and it needs no process of its own, unlike MQTT's.
 *
 * What it needs of liblo is in a module (ports/sink_module.h) that is loaded when the settings name a receiver. */
#ifndef CLASHD_SINKS_OSC_OSC_H
#define CLASHD_SINKS_OSC_OSC_H

#include "ports/log.h"
#include "ports/sink_module.h"

#include <uv.h>

/** As messages name a receiver, with its terminating zero. */
#define OSC_RECEIVER_TEXT_MAX 128

/** Strings and lists are copied. Paths have been checked (osc_path.h), and so have receivers (osc_receiver.h); a path that is "" is one
 *  nobody wants. */
typedef struct osc_settings {
    uv_loop_t *loop;
    const char (*receivers)[OSC_RECEIVER_TEXT_MAX]; /* of clash, hold, release, intensity */
    size_t receiver_count;
    const char (*avatars)[OSC_RECEIVER_TEXT_MAX]; /* of the avatar's parameters */
    size_t avatar_count;
    const char *clash, *hold, *release, *intensity, *avatar;
    double rate_hz;    /* messages to each receiver, above 0; and that many at once, at least one */
    uint32_t pulse_ms; /* for how long an intensity is shown */
    logger log;
} osc_settings;

/** Its sink is opened with osc_settings. Closed, it shows everybody that nothing touches any more. */
extern const sink_place osc_place;

#endif
