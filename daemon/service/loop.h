/* Create the event loop so that libuv need not end the process later: it calls abort() if it lacks descriptors for its
 * own pipes, or memory for its table of descriptors. */
#ifndef CLASHD_SERVICE_LOOP_H
#define CLASHD_SERVICE_LOOP_H

#include "ports/log.h"

#include <stdint.h>
#include <uv.h>

/** Do uv_loop_init if there are enough descriptors for it. Return 0 or a libuv error. */
int loop_init(uv_loop_t *loop);

/** Allow descriptors for so many clients, and make room in libuv's table for them, as far as the system lets; warn if
 *  that is too few. Call before anybody is served: lack of memory may end the process here. */
void loop_reserve_clients(uv_loop_t *loop, uint32_t clients, const logger *log);

#endif
