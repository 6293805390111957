/* The sinks that send to others by the network, as far as the settings name any. Whatever happens there, nobody here waits for it. */
#ifndef CLASHD_SCENE_OUTLETS_H
#define CLASHD_SCENE_OUTLETS_H

#include "cli/failure.h"
#include "config/config.h"
#include "fanout.h"
#include "ports/log.h"
#include "sinks/osc/osc.h"

/** Begins as zero. */
typedef struct outlets {
    osc_sink *osc; /* NULL: none */
} outlets;

/** With what the settings say now, which need not outlive the call. 0, or -1 with a message in out_failure; closed either way by
 *  outlets_close. */
int outlets_open(outlets *o, uv_loop_t *loop, const app_config *config, logger log, failure *out_failure);
void outlets_join(const outlets *o, fanout *to);
void outlets_list_counters(const outlets *o, counter_list *out);
/** The loop has to run once more before it is closed. */
void outlets_close(outlets *o);

#endif
