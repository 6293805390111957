/* Plays clashd's haptic pulses in the player's hands, by the haptic action of the layer's own sets. */
#ifndef CLASHD_LAYER_GAME_HAPTICS_H
#define CLASHD_LAYER_GAME_HAPTICS_H

#include "layer.h"

/* All entered, and only from a thread of the game: so the runtime and other layers get no call from a thread that they do not know. */

/** Play the pulses that have come. */
void game_haptics_play(layer_session *session);
/** The session ends: stop the layer's vibration. */
void game_haptics_stop(const layer_session *session);

#endif
