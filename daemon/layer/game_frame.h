/* The game's frames, each handed on once. */
#ifndef CLASHD_LAYER_GAME_FRAME_H
#define CLASHD_LAYER_GAME_FRAME_H

#include "layer.h"

/** Entered. The game has just synced its actions: where a frame is under way it is about to look where its hands are, and so
 *  do we. */
void game_frame_synced(layer_session *session);

#endif
