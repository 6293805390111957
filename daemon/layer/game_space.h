/* The game's frame of reference. */
#ifndef CLASHD_LAYER_GAME_SPACE_H
#define CLASHD_LAYER_GAME_SPACE_H

#include "layer.h"

/* All entered. */

/** The game draws, or locates its views, in that space. */
void game_space_used(layer_session *session, XrSpace space, bool is_drawn);
/** It has drawn nothing for long: what it would use is guessed from the spaces it made. */
void game_space_guess(layer_session *session);
/** Puts what the base is, and how it lies to STAGE at that time, into the session's frame. */
void game_space_describe(layer_session *session, XrTime time);

#endif
