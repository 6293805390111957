/* Foxglove's messages of what there is to see: blades, targets, contacts, as SceneUpdates; and what such messages are made of. JSON
 * text in, nothing else. Colors are ours: the left hand's blade blue, the right one's red. */
#ifndef CLASHD_OFFLINE_MCAP_SCENE_H
#define CLASHD_OFFLINE_MCAP_SCENE_H

#include "protocol/messages/encode.h"

#include <clash/blade.h>
#include <clash/event.h>
#include <clash/target.h>

/** Times are ns from the file's epoch on. */
void mcap_json_time(json_writer *w, const char *key, uint64_t time_ns);
void mcap_json_vec3(json_writer *w, const char *key, clash_vec3 v);
void mcap_json_quat(json_writer *w, const char *key, clash_quat q);

/** All blades that there are: what was there before is gone. Each hangs on its device's frame. */
void mcap_scene_blades(json_writer *w, uint64_t time_ns, const clash_blade_definition *blades, size_t count);
/** All targets, likewise; those that stand still in the frame `space`. A surface that comes from a file is only named. */
void mcap_scene_targets(json_writer *w, uint64_t time_ns, const char *space, clash_target_definition *const *targets,
                        size_t count);
/** The spark of a clash, which goes out by itself. */
void mcap_scene_clash(json_writer *w, uint64_t time_ns, const char *space, const clash_event *event);

#endif
