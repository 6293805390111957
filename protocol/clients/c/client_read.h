/* Reads fields out of one parsed line and notes the first that is missing or of another form; what it returns then means
 * nothing but is safe. Strings are never NULL. */
#ifndef CLASH_CLIENT_READ_H
#define CLASH_CLIENT_READ_H

#include "client_private.h"
#include "protocol/messages/parse.h"

typedef struct reading {
    const cJSON *object;
    const char *wrong, *key; /* NULL: nothing so far; else what is wrong with which field */
} reading;

void read_wrong(reading *r, const char *wrong, const char *key);
/** Take over what is wrong with a part. */
void read_join(reading *whole, const reading *part);

const char *read_string(reading *r, const char *key);
bool read_bool(reading *r, const char *key);
int64_t read_int(reading *r, const char *key);
uint64_t read_count(reading *r, const char *key);
float read_float(reading *r, const char *key);
void read_floats(reading *r, const char *key, int count, float *out_values);
clash_vec3 read_vec3(reading *r, const char *key);
clash_quat read_quat(reading *r, const char *key);
void read_two_vec3(reading *r, const char *key, clash_vec3 out_vectors[2]);
/** `edge_alignment`: left out, or two of which each is a number or null. */
void read_edges(reading *r, bool out_has[2], float out_alignment[2]);
/** `parts`: left out, or two of which each is a string or null; NULL for null and if it is left out. */
void read_parts(reading *r, const char *out_parts[2]);
/** The item of an array that is to be 3 numbers. */
clash_vec3 read_corner(reading *r, const cJSON *item);
void read_names(reading *r, const char *key, const char *out_names[2]);
/** `resolved_pose` of an event: left out, or two of which each is a pose or null. Return false if it is left out. */
bool read_resolved_pair(reading *r, clash_client_resolved out_resolved[2]);
/** `resolved_pose` of a pose: left out, a pose or null. Return false if it is left out. */
bool read_resolved(reading *r, clash_client_resolved *out_resolved);
/** What a clash and a hold say of a target: left out without one. */
void read_surface(reading *r, clash_event *event);
/** The length of an array; its items are the caller's to look at. */
size_t read_array(reading *r, const char *key);

/** `parts` of a blade, in client_sword.c. Return false if there are none, or more than there is room for. */
bool read_sword(reading *r, clash_sword *out);
/** `targets` of hello, in client_shape.c: those of known shapes, of which there are as many as it returns. `out_targets` is
 *  zero and has room for all. */
size_t read_targets(reading *r, clash_client_target *out_targets);
/** In client_hello.c. */
void client_take_hello(clash_client *c, reading *r);

#endif
