/* Work that takes longer than others may wait for: the end of a step with tens of thousands of touching pairs, and the end of a
 * client that had a hundred things. It is done in parts, one a turn of the loop. Meanwhile clients that change nothing are served;
 * the source delivers nothing, and requests that would change the scene wait. Then these two take turns. Loop's thread. */
#ifndef CLASHD_SCENE_TURNS_H
#define CLASHD_SCENE_TURNS_H

#include "pipeline/pipeline.h"

#include <uv.h>

/* Of one turn, ms: as long as peers' lines may take in it. */
#define TURNS_MS 4

typedef struct turns turns;

typedef struct turns_user {
    void *context;
    /** Whether the source has to wait. */
    void (*hold)(void *context, bool is_held);
    /** A step that was left unfinished has ended: all its events are out. */
    void (*finished)(void *context);
    /** A client has gone: something of it goes. False if nothing is left. */
    bool (*remove)(void *context, const void *client);
    /** Carries out the next request that waits. False if there is none. */
    bool (*serve)(void *context);
} turns_user;

/** Makes the pipeline pause. NULL when out of memory, or of handles. The loop and the pipeline outlive it. */
turns *turns_create(uv_loop_t *loop, pipeline *p, const turns_user *user);
/** Whether what changes the scene has to wait for its turn. */
bool turns_are_taken(const turns *t);
/** A client has gone, or will define nothing more. */
void turns_client_gone(turns *t, const void *client);
/** Does all at once that is left of steps and of clients that have gone, and from now on all at once; serves nobody. Accepts
 *  NULL. */
void turns_end(turns *t);
/** After turns_end; frees itself when the loop has run. Accepts NULL. */
void turns_close(turns *t);

#endif
