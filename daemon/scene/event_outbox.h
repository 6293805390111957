/* The outbox: one list of sinks that receive every event, frame and definition, in the order in which the sinks were added.
 *
 * Alone, it passes on the caller's event as it is and keeps nothing. With other players (a hook that the room sets) it completes
 * events of two blades with what the players share, and keeps those of a contact back until the players agree on it. Sinks that
 * are added with OUTBOX_AT_ONCE do not wait. The events that waited, and those after them, are numbered anew, so that `seq` rises
 * without a gap. Loop's thread. */
#ifndef CLASHD_SCENE_EVENT_OUTBOX_H
#define CLASHD_SCENE_EVENT_OUTBOX_H

#include "ports/event_sink.h"

#define SESSION_OUTBOX_SINKS_MAX 8
/** Events that are kept back at most; if there are more, the contact of the oldest one is given up. */
#define SESSION_OUTBOX_WAITING_MAX 64

/** When a sink receives an event of two blades that other players may have to find too. */
typedef enum session_outbox_when {
    SESSION_OUTBOX_AT_ONCE,
    SESSION_OUTBOX_AGREED, /* once they agree, or without them at once */
} session_outbox_when;

/** The hook of other players. */
typedef struct session_outbox_players {
    /** Receives all that the sinks receive, after them, and events before the players agree. */
    event_sink port;
    /** Complete an event of two blades before any sink receives it. */
    void (*note)(void *context, clash_event *event);
    /** Return whether sinks may receive an event of two blades now; the function may change its `room`. Called again, without the
     *  event's strings, for each event that was kept back. */
    bool (*judge)(void *context, clash_event *event);
    /** Return true for this contact's events from now on. */
    void (*give_up)(void *context, uint64_t contact);
    void *context; /* of the three functions above */
} session_outbox_players;

struct waiting_event;

/** Begins as zero. Do not move it while a port of it is in use. */
typedef struct session_outbox {
    size_t count;
    struct {
        event_sink sink;
        session_outbox_when when;
    } sinks[SESSION_OUTBOX_SINKS_MAX];
    const session_outbox_players *players; /* NULL: none */
    uint64_t last_seq;                     /* that came */
    size_t waiting_count,
        numbered; /* events that are kept back; of these, those with a number of their own: not peaks */
    struct waiting_event *waiting; /* in the order of arrival; NULL without players */
} session_outbox;

/** Add a sink; it is copied, and its context must outlive the outbox. Return 0, or -1 if there is no room. */
int session_outbox_add(session_outbox *o, event_sink sink, session_outbox_when when);
/** Remove all sinks, as before others are added; the players stay. Not from within an event. */
void session_outbox_clear(session_outbox *o);
/** Set the hook of other players, which must outlive its use; NULL removes it and passes on all that is kept back. Return 0, or -1
 *  when out of memory: then there is no hook. */
int session_outbox_set_players(session_outbox *o, const session_outbox_players *players);
/** Pass on what need not wait any more; call it when the judge may have changed its answer. Return how many events. */
size_t session_outbox_settle(session_outbox *o);
/** Return the outbox as a sink. */
event_sink session_outbox_port(session_outbox *o);

#endif
