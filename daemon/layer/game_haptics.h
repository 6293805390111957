/* What clashd wants to be felt, in the hands of the player, by the haptic action of the layer's own sets. */
#ifndef CLASHD_LAYER_GAME_HAPTICS_H
#define CLASHD_LAYER_GAME_HAPTICS_H

#include "layer.h"

/* All entered, in a thread of the game's: no call comes to the runtime, or to another layer, that the game does not wait for. */

/** Passes on what has come. */
void game_haptics_play(layer_session *session);
/** The session ends: nothing of ours is felt any more. */
void game_haptics_stop(const layer_session *session);

#endif
