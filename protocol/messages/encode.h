/* Pieces of lines that several messages share. */
#ifndef CLASHD_PROTOCOL_MESSAGES_ENCODE_H
#define CLASHD_PROTOCOL_MESSAGES_ENCODE_H

#include "codec.h"
#include "protocol/json/json_writer.h"

/** {"type":"TYPE" */
void encode_begin(json_writer *w, char *out, size_t size, const char *type);
/** } and the newline. */
size_t encode_end(json_writer *w);
void encode_floats(json_writer *w, const float *values, size_t count);
void encode_vec3(json_writer *w, clash_vec3 v);
void encode_quat(json_writer *w, clash_quat q);
/* The members of these shapes. */
void encode_sphere(json_writer *w, const clash_sphere *sphere);
void encode_capsule(json_writer *w, const clash_capsule *capsule);
void encode_box(json_writer *w, const clash_box *box);
void encode_key_quat(json_writer *w, const char *key, clash_quat q);
void encode_key_vec3(json_writer *w, const char *key, clash_vec3 v);
/** The members of a blade. `with_stand_in`: parts have beside them the capsule and the edge that stand for them, which a definition
 *  has not. */
/** Put `layers` and `mask`, each only if it is not the default. */
void encode_layers(json_writer *w, const clash_layers *layers);
void encode_blade(json_writer *w, const clash_blade *blade, bool with_stand_in);
void encode_key_float(json_writer *w, const char *key, float value);
void encode_key_int(json_writer *w, const char *key, int64_t value);
void encode_key_uint(json_writer *w, const char *key, uint64_t value);
void encode_key_string(json_writer *w, const char *key, const char *text);
/** Nothing for NONE. */
void encode_source(json_writer *w, clash_feed_source source);
void encode_key_bool(json_writer *w, const char *key, bool value);
/** Nothing of what is not known. */
void encode_equipment(json_writer *w, const protocol_equipment *equipment);
/** With its key. */
void encode_contact_settings(json_writer *w, const protocol_contact_settings *settings);
/** What `replay` and `status` say alike. */
void encode_replay(json_writer *w, const protocol_replay_state *replay);
/** A target as hello lists it: all of a ball, capsule or box, of a surface only what it is. */
void encode_target_listed(json_writer *w, const clash_target_definition *target);
/** Nothing for an empty id. */
void encode_id(json_writer *w, const char *id);

#endif
