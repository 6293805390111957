/* Fields of the requests that define and move things, and whether their numbers can be sent. */
#ifndef CLASH_CLIENT_WRITE_H
#define CLASH_CLIENT_WRITE_H

#include "client_private.h"

/** `key` NULL: an item of an array. */
void put_floats(json_writer *w, const char *key, const float *values, int count);
void put_vec3(json_writer *w, const char *key, clash_vec3 v);
void put_quat(json_writer *w, const char *key, clash_quat q);
void put_text(json_writer *w, const char *key, const char *text);
void put_number(json_writer *w, const char *key, float value);
void put_count(json_writer *w, const char *key, uint64_t value);

bool is_finite_vec3(clash_vec3 v);
bool is_finite_quat(clash_quat q);
bool is_finite_pose(const clash_pose *pose);
bool is_finite_capsule(const clash_capsule *c);

#endif
