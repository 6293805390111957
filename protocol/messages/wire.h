/* What both directions of the protocol share: bounds, and conventions of axes. See codec.h. */
#ifndef CLASHD_PROTOCOL_MESSAGES_WIRE_H
#define CLASHD_PROTOCOL_MESSAGES_WIRE_H

#include <clash/event.h>
#include <clash/pose.h>

#define PROTOCOL_VERSION 1
/** The longest line either side may send, newline included. */
#define PROTOCOL_LINE_MAX 65536
/** A request's id as JSON text (a string with its quotes, or an integer), with the terminating zero: 128 characters, of
 *  which each may need six bytes, like \u001f. */
#define PROTOCOL_ID_MAX 776
#define PROTOCOL_TOKEN_MAX 129
#define PROTOCOL_NAMES_MAX 32
#define PROTOCOL_NAME_MAX 128

/** Conventions for positions, directions and rotations on the wire; inside everything is OpenXR's. */
typedef enum protocol_axes {
    PROTOCOL_AXES_OPENXR, /* right-handed: x right, y up, -z forward */
    PROTOCOL_AXES_UNITY,  /* left-handed: x right, y up, z forward */
    PROTOCOL_AXES_GODOT   /* as OpenXR's */
} protocol_axes;

/** Return whether they are OpenXR's mirrored in z. Every two conventions that answer alike are the same on the wire. */
bool protocol_axes_are_mirrored(protocol_axes axes);
/** Convert from OpenXR's axes, or back: both are the same step. */
clash_vec3 protocol_axes_vec3(protocol_axes axes, clash_vec3 v);
clash_quat protocol_axes_quat(protocol_axes axes, clash_quat q);
clash_pose protocol_axes_pose(protocol_axes axes, clash_pose pose);
/** Every position, direction and velocity of an event; speeds, angles, shares and times are as before. */
void protocol_axes_event(protocol_axes axes, clash_event *event);

#endif
