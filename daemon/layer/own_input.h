/* The layer's own action sets: created, bound beside the game's bindings, attached, and released. */
#ifndef CLASHD_LAYER_OWN_INPUT_H
#define CLASHD_LAYER_OWN_INPUT_H

#include "layer.h"

/* All entered. */

/** Return the sets that can still be bound, with one for each priority among the game's sets that have a grip, counting this suggestion
 *  too (NULL: there is none). Return NULL if they cannot be created. */
own_input *own_input_open(layer_instance *instance, const XrInteractionProfileSuggestedBinding *suggestion);
/** Write the bindings of both hands to each of the sets, at most OWN_BINDINGS_MAX: of the grips, and of the haptics if wanted. Return
 *  how many. */
uint32_t own_input_bindings(const layer_instance *instance, const own_input *input, bool with_haptics,
                            XrActionSuggestedBinding *out_bindings);
#define OWN_BINDINGS_MAX ((size_t)2 * LAYER_HANDS * OWN_SETS_MAX)
/** Note that the runtime has taken these bindings for a profile. */
void own_input_bound(own_input *input, XrPath profile);
/** Suggest only the layer's bindings, for the usual profiles, if the game suggests nothing. */
void own_input_suggest_alone(layer_instance *instance, own_input *input);
/** The sets were attached to the session: create the grips' spaces. */
void own_input_attached(layer_session *session, own_input *input);
/** A session that had them attached was destroyed. */
void own_input_release(layer_instance *instance, own_input *input);

#endif
