/* A Beat Saber replay (protocol/recording/bsor.h) as a recording: head and sabers, and nothing of who played what. */
#ifndef CLASHD_OFFLINE_BSOR_IMPORT_H
#define CLASHD_OFFLINE_BSOR_IMPORT_H

#include "cli/failure.h"
#include "config/config.h"
#include "protocol/recording/bsor.h"

typedef struct bsor_report {
    bsor_counters counters;
    uint64_t lines;
    double song_speed;
} bsor_report;

/** Make the new file `to`, "-" being standard output, and leave none if that fails. `from` may be "-" too. Return 0, or -1 with a
 *  message in out_failure. Blocking. */
int bsor_import(const char *from, const char *to, bool is_compressed, bsor_report *out_report, failure *out_failure);

#endif
