/* Whether the numbers of what requests define and move can be sent. */
#ifndef CLASH_CLIENT_WRITE_H
#define CLASH_CLIENT_WRITE_H

#include "client_private.h"
#include "protocol/messages/encode.h"

bool is_finite_vec3(clash_vec3 v);
bool is_finite_quat(clash_quat q);
bool is_finite_pose(const clash_pose *pose);
bool is_finite_capsule(const clash_capsule *c);

#endif
