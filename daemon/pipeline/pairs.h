/* A pair of blades on two devices, and how far its two tracks have been swept against each other. Every instant that
 * both tracks cover is swept exactly once, whatever their rates and the order in which their samples come. A pair need
 * not be kept while it is apart: it has then been swept as far as both tracks reach, and can be begun again there. Knows
 * how to walk tracks; what a touch means is contacts.h. */
#ifndef CLASHD_PIPELINE_PAIRS_H
#define CLASHD_PIPELINE_PAIRS_H

#include "pipeline/contacts.h"
#include "pipeline/track.h"

typedef struct pair {
    int64_t done_ns;      /* swept, or known never to be swept, up to here */
    uint64_t cursors[2];  /* per track: index of the last sample not after done_ns, once that track has one */
    uint64_t segments[2]; /* per track: of the last sweep */
    pair_contact contact;
} pair;

/** What a pair reads and writes beside itself. */
typedef struct pair_view {
    const track *tracks[2]; /* NULL at index 1: a static target, which is there at all times */
    pipeline_opponents who;
    contacts_output *output;
} pair_view;

/** A pair that is apart and has been swept up to done_ns, the earlier of the two tracks' last times; INT64_MIN if one of
 *  them had none. What lies beyond is yet to be swept. Neither track is empty. */
void pair_begin(pair *p, const pair_view *view, int64_t done_ns);

/** Sweeps as far as both tracks reach and sends the events. A contact at the end of a cut track is released once the
 *  other track has come to that end too. */
void pair_advance(pair *p, const pair_view *view);

/** Whether pair_begin() would not give the same pair: it touches, or has gone beyond the tracks' ends. */
bool pair_is_worth_keeping(const pair *p, const pair_view *view);

/** Releases a contact that is open, where it has come to. */
void pair_abandon(pair *p, const pair_view *view, clash_release_reason reason);

#endif
