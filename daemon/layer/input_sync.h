/* Which of the layer's own sets are synced. */
#ifndef CLASHD_LAYER_INPUT_SYNC_H
#define CLASHD_LAYER_INPUT_SYNC_H

#include "layer.h"

/** Entered. Syncs the layer's own set alone, for a game that never has. */
void input_sync_alone(layer_session *session);

#endif
