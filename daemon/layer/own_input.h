/* The layer's own action sets: made, bound beside the game's bindings, attached, and let go. */
#ifndef CLASHD_LAYER_OWN_INPUT_H
#define CLASHD_LAYER_OWN_INPUT_H

#include "layer.h"

/* All entered. */

/** The sets that can still be bound, with one for each priority of the game's; NULL where they cannot be made. */
own_input *own_input_open(layer_instance *instance);
/** Bindings of both grips to each of the sets, at most 2 * OWN_SETS_MAX. How many. */
uint32_t own_input_bindings(const layer_instance *instance, const own_input *input,
                            XrActionSuggestedBinding *out_bindings);
/** Notes that those have been taken for a profile. */
void own_input_bound(own_input *input, XrPath profile);
/** Suggests them alone for the usual profiles, for a game that suggests nothing. */
void own_input_suggest_alone(layer_instance *instance, own_input *input);
/** What has been attached with the session: makes the grips' spaces. */
void own_input_attached(layer_session *session, own_input *input);
/** For a game that attaches nothing. */
void own_input_attach_alone(layer_session *session);
/** A session that had them attached is destroyed. */
void own_input_release(layer_instance *instance, own_input *input);

#endif
