/* Sink: passes events on, but keeps those of a contact back as long as its judge wants that, with all that follows of the same two blades.
 * What is passed on is numbered anew, so that `seq` has no gap and rises; with nothing kept back it is as it was. Loop's thread. */
#ifndef CLASHD_SCENE_DEFERRAL_H
#define CLASHD_SCENE_DEFERRAL_H

#include "ports/event_sink.h"

/** Events that are kept back at most: the oldest one's contact goes on if there are more. */
#define DEFERRAL_MAX 64

typedef struct deferral_user {
    void *context;
    /** May an event of two blades be told? It may be changed then. Asked again, without its strings, of each that was kept back. */
    bool (*judge)(void *context, clash_event *event);
    /** Judge that it may from now on. */
    void (*give_up)(void *context, uint64_t contact);
} deferral_user;

typedef struct deferred_event {
    clash_event event; /* what its strings were is below */
    bool is_peak;
    char blades[2][CLASH_BLADE_NAME_MAX], parts[2][CLASH_PART_NAME_MAX];
} deferred_event;

/** Zero-initialise, then fill in `user` and `to`. Do not move it. */
typedef struct deferral {
    deferral_user user;
    event_sink to;
    uint64_t last_seq;                 /* that came */
    size_t count, numbered;            /* that are kept back; of these, with a number of their own: no peaks */
    deferred_event kept[DEFERRAL_MAX]; /* in order */
} deferral;

event_sink deferral_port(deferral *d);
/** Pass on what need not wait any more: to be called when the judge may say otherwise. Return how many. */
size_t deferral_settle(deferral *d);

#endif
