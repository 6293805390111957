/* Axes of the engines. Inside, all is in OpenXR's; on the wire, a client has what it asked for. Mirroring in z is its own
 * inverse: positions, directions and velocities change the sign of z; a rotation turns the other way about the mirrored
 * axis, which is the sign of its x and y. Lengths, dot products and angles between lines stay as they are. */
#include "codec.h"

bool protocol_axes_are_mirrored(protocol_axes axes)
{
    return axes == PROTOCOL_AXES_UNITY;
}

/* No "-0" for a 0. */
static float negate(float value)
{
    return 0.0f - value;
}

clash_vec3 protocol_axes_vec3(protocol_axes axes, clash_vec3 v)
{
    if (protocol_axes_are_mirrored(axes))
        v.z = negate(v.z);
    return v;
}

clash_quat protocol_axes_quat(protocol_axes axes, clash_quat q)
{
    if (protocol_axes_are_mirrored(axes)) {
        q.x = negate(q.x);
        q.y = negate(q.y);
    }
    return q;
}

clash_pose protocol_axes_pose(protocol_axes axes, clash_pose pose)
{
    return (clash_pose){protocol_axes_quat(axes, pose.orientation), protocol_axes_vec3(axes, pose.position)};
}

void protocol_axes_event(protocol_axes axes, clash_event *event)
{
    clash_event_clash *c = &event->as.clash;

    if (event->kind != CLASH_EVENT_CLASH && event->kind != CLASH_EVENT_HOLD)
        return;
    c->contact.midpoint = protocol_axes_vec3(axes, c->contact.midpoint);
    c->contact.normal = protocol_axes_vec3(axes, c->contact.normal);
    if (event->has_target)
        c->surface_normal = protocol_axes_vec3(axes, c->surface_normal);
    for (int i = 0; i < 2; i++) {
        c->contact.points[i] = protocol_axes_vec3(axes, c->contact.points[i]);
        c->velocities[i] = protocol_axes_vec3(axes, c->velocities[i]);
    }
}
