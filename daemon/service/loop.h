/* Create the event loop so that libuv need not end the process later: it calls abort() if it lacks descriptors for its
 * own pipes, or memory for its table of descriptors. */
#ifndef CLASHD_SERVICE_LOOP_H
#define CLASHD_SERVICE_LOOP_H

#include <uv.h>

/** Do uv_loop_init if there are enough descriptors for it. Return 0 or a libuv error. */
int loop_init(uv_loop_t *loop);

/** Make room in libuv's table for descriptors below `count`, as far as they are allowed; if that fails, only the room
 *  is missing. Call before anybody is served: lack of memory may end the process here. */
void loop_reserve(uv_loop_t *loop, int count);

#endif
