/* The game's frames, each handed on once. */
#ifndef CLASHD_LAYER_GAME_FRAME_H
#define CLASHD_LAYER_GAME_FRAME_H

#include "layer.h"

/** Entered. Call this when the game has synced its actions: if a frame is under way, the game is about to locate its hands, so the
 *  layer locates them too. */
void game_frame_synced(layer_session *session);
/** Entered. Call this when the game has received another state of its session: it feeds only while it has the focus. */
void game_frame_state(layer_session *session, XrSessionState state);

#endif
