/* Work too long for one turn of the loop: the end of a step with tens of thousands of touching pairs, and the removal
 * of a client that had a hundred things. It is done in parts, one a turn. Meanwhile requests that change nothing are
 * served, the source delivers nothing, and requests that would change the scene wait. Then these two alternate. Loop's
 * thread. */
#ifndef CLASHD_SCENE_TURNS_H
#define CLASHD_SCENE_TURNS_H

#include "pipeline/pipeline.h"

#include <uv.h>

/* Of one turn, ms; as much as sending lines to peers may take. */
#define TURNS_MS 4

typedef struct turns turns;

typedef struct turns_user {
    void *context;
    /** Say whether the source must wait. */
    void (*hold)(void *context, bool is_held);
    /** An unfinished step has ended: all its events are out. */
    void (*finished)(void *context);
    /** Remove something of a client that is gone. Return false if nothing is left. */
    bool (*remove)(void *context, const void *client);
    /** Carry out the next waiting request. Return false if there is none. */
    bool (*serve)(void *context);
} turns_user;

/** Create, and let the pipeline pause. The loop and the pipeline must outlive it. Return NULL when out of memory or of
 *  handles. */
turns *turns_create(uv_loop_t *loop, pipeline *p, const turns_user *user);
/** Return whether what changes the scene must wait. */
bool turns_are_taken(const turns *t);
/** A client is gone, or will define nothing more. */
void turns_client_gone(turns *t, const void *client);
/** Finish at once all that is left of steps and of clients that are gone, and from now on do everything at once; serve
 *  nobody. Accepts NULL. */
void turns_end(turns *t);
/** Close after turns_end; frees itself once the loop has run. Accepts NULL. */
void turns_close(turns *t);

#endif
