/* The pipeline as the configuration wants it: settings, blades and the devices that carry them, in the order in which they
 * are written down, so that ids and pairs are the same for the daemon and for detect. */
#ifndef CLASHD_SCENE_ASSEMBLY_H
#define CLASHD_SCENE_ASSEMBLY_H

#include "config/config.h"
#include "ports/log.h"

/** NULL with a message in out_error, APP_ERROR_MAX bytes. */
pipeline *app_pipeline_create(const app_config *config, pipeline_event_function on_event, void *context,
                              char *out_error);

/** At the end of all samples: nothing is followed any more. Contacts that are still open are released. */
void app_pipeline_lose_all(pipeline *p, int64_t time_ns, clash_tracking_reason reason);

/** A blade of an owner of scene.h's. NULL, or why it is refused. */
const char *app_pipeline_add(pipeline *p, const void *owner, const clash_blade *from);
/** Of nobody's; one of the same name is removed first. NULL, or why it is refused. */
const char *app_pipeline_define(pipeline *p, const clash_blade *from);
/** Says once what the configuration's blades and targets have that is taken otherwise than it is written. */
void app_config_warn(const app_config *config, const logger *log);
/** That of a blade or target ("blade", "target") of a collider of Unity's. */
void app_warn_of_negative(const logger *log, const char *what, const char *name);

/** UINT32_MAX where there is no such device; makes none. */
uint32_t app_pipeline_find_device(const pipeline *p, const char *name);

#endif
