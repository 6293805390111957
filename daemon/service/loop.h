/* The event loop, so made that libuv need not end the process later: where it lacks descriptors for its own pipes, or memory
 * for its table of descriptors, it calls abort(). */
#ifndef CLASHD_SERVICE_LOOP_H
#define CLASHD_SERVICE_LOOP_H

#include <uv.h>

/** uv_loop_init, where there are descriptors enough for it. 0 or an error of libuv's. */
int app_loop_init(uv_loop_t *loop);

/** Makes room in libuv's table for descriptors below `count`, as far as they are allowed. Where that cannot be, nothing is lost but
 *  the room. To be called before there is anybody to be served: want of memory may end the process here. */
void app_loop_reserve(uv_loop_t *loop, int count);

#endif
