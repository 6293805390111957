/* Which of the layer's own sets are synced. */
#ifndef CLASHD_LAYER_INPUT_SYNC_H
#define CLASHD_LAYER_INPUT_SYNC_H

#include "layer.h"

/** Entered. Sync only the layer's own set, if the game never syncs. */
void input_sync_alone(layer_session *session);

#endif
