/* A pair of blades on two devices, and how far their tracks have been swept against each other. Every instant that both
 * tracks cover is swept exactly once, whatever their rates and the order of their samples. A pair that is apart need
 * not be kept: it has been swept as far as both tracks reach, and can begin again there. Walks tracks; what a touch
 * means is in contacts.h. */
#ifndef CLASHD_PIPELINE_PAIRS_H
#define CLASHD_PIPELINE_PAIRS_H

#include "pipeline/contacts.h"
#include "pipeline/track.h"

typedef struct pair {
    int64_t done_ns;      /* swept up to here, or known never to be swept */
    uint64_t cursors[2];  /* per track: index of the last sample not after done_ns, once that track has one */
    uint64_t segments[2]; /* per track: at the last sweep */
    pair_contact contact;
} pair;

/** What a pair reads and writes besides itself. */
typedef struct pair_view {
    const track *tracks[2]; /* NULL at index 1 for a static target, which is always there */
    pipeline_opponents who;
    contacts_output *output;
} pair_view;

/** Begin a pair that is apart and was swept up to done_ns, the earlier of the two tracks' last times (INT64_MIN if one
 *  of them had none). What lies beyond is swept next. Neither track may be empty. */
void pair_begin(pair *p, const pair_view *view, int64_t done_ns);

/** Sweep as far as both tracks reach and send the events. A contact at the end of a cut track is released once the
 *  other track reaches that end too. */
void pair_advance(pair *p, const pair_view *view);

/** Return whether pair_begin() would not give the same pair: it touches, or has gone past the tracks' ends. */
bool pair_is_worth_keeping(const pair *p, const pair_view *view);

/** Release an open contact at the time reached. */
void pair_abandon(pair *p, const pair_view *view, clash_release_reason reason);

#endif
