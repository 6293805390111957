/* The game's frame of reference. */
#ifndef CLASHD_LAYER_GAME_SPACE_H
#define CLASHD_LAYER_GAME_SPACE_H

#include "layer.h"

/* All entered. */

/** Note that the game draws, or locates its views, in that space. */
void game_space_used(layer_session *session, XrSpace space, bool is_drawn);
/** If the game has drawn nothing for long, guess its space from the ones it created. */
void game_space_guess(layer_session *session);
/** Write into the session's frame what the base space is, and where STAGE lies in it at that time. */
void game_space_describe(layer_session *session, XrTime time);

#endif
