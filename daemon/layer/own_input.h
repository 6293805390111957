/* The layer's own action sets: made, bound beside the game's bindings, attached, and let go. */
#ifndef CLASHD_LAYER_OWN_INPUT_H
#define CLASHD_LAYER_OWN_INPUT_H

#include "layer.h"

/* All entered. */

/** The sets that can still be bound, with one for each priority of those of the game's sets that have a grip, be it by that
 *  suggestion (NULL: there is none); NULL if they cannot be made. */
own_input *own_input_open(layer_instance *instance, const XrInteractionProfileSuggestedBinding *suggestion);
/** Bindings of both hands to each of the sets, at most OWN_BINDINGS_MAX: of the grips, and of the haptics where those are wanted. How many. */
uint32_t own_input_bindings(const layer_instance *instance, const own_input *input, bool with_haptics,
                            XrActionSuggestedBinding *out_bindings);
#define OWN_BINDINGS_MAX ((size_t)2 * LAYER_HANDS * OWN_SETS_MAX)
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
