/* A pair of blades on two devices, and how far its two tracks have been swept against each other. Every instant that
 * both tracks cover is swept exactly once, whatever their rates and the order in which their samples come. Knows how
 * to walk tracks; what a touch means is contacts.h. */
#ifndef CLASHD_PIPELINE_PAIRS_H
#define CLASHD_PIPELINE_PAIRS_H

#include "pipeline/contacts.h"
#include "pipeline/track.h"

typedef struct pair {
    uint32_t blades[2];   /* indices; the first was added earlier */
    uint32_t devices[2];  /* theirs, never the same */
    int64_t done_ns;      /* swept, or known never to be swept, up to here */
    uint64_t cursors[2];  /* per track: index of the last sample not after done_ns, once that track has one */
    uint64_t segments[2]; /* per track: of the last sweep */
    contacts_record contact;
} pair;

/** What a pair reads and writes beside itself. */
typedef struct pair_view {
    const track *tracks[2];
    const pipeline_blade *blades[2];
    contacts_output *output;
} pair_view;

/** Begins where both tracks are now: what only one of them has yet to come to is swept, the common past is not. */
void pair_init(pair *p, const uint32_t blades[2], const uint32_t devices[2], const track *const tracks[2]);

/** Sweeps as far as both tracks reach and sends the events. A contact at the end of a cut track is released once the
 *  other track has come to that end too. */
void pair_advance(pair *p, const pair_view *view);

/** The pair is to be no more: its open contact is released (removed). */
void pair_remove(pair *p, const pair_view *view);

#endif
