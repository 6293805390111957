/* What clashd reports, as one neutral struct: the pipeline makes it, every sink reads it. Stage space, SI units. */
#ifndef CLASH_EVENT_H
#define CLASH_EVENT_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

typedef enum clash_event_kind {
    CLASH_EVENT_CLASH,        /**< a contact starts: `clash` */
    CLASH_EVENT_HOLD,         /**< it goes on: `clash`, and duration_ns */
    CLASH_EVENT_RELEASE,      /**< it ends: `release`, and duration_ns */
    CLASH_EVENT_TRACKING,     /**< a device is tracked again, or no longer: `tracking` */
    CLASH_EVENT_SPACE_CHANGED /**< the reference space moved, or is another's: `space_changed`. Tracks were cut */
} clash_event_kind;

typedef enum clash_release_reason {
    CLASH_RELEASE_APART,     /**< the blades separated */
    CLASH_RELEASE_TRACK_CUT, /**< one of the two is no longer followed (gap, lost tracking, changed space, teleport) */
    CLASH_RELEASE_REMOVED    /**< one of the two blades was removed */
} clash_release_reason;

typedef enum clash_tracking_reason {
    CLASH_TRACKING_OK,              /**< tracked */
    CLASH_TRACKING_UNTRACKED,       /**< the runtime still gives a pose, but only guesses it */
    CLASH_TRACKING_LOST,            /**< the runtime gives no pose */
    CLASH_TRACKING_INACTIVE,        /**< the controller is off, or another session has the focus */
    CLASH_TRACKING_NO_RUNTIME,      /**< no OpenXR runtime, or it refuses */
    CLASH_TRACKING_NO_HEADSET,      /**< a runtime, but no headset */
    CLASH_TRACKING_RUNTIME_LOST,    /**< the runtime died or ended the session */
    CLASH_TRACKING_RUNTIME_STALLED, /**< the runtime does not answer */
    CLASH_TRACKING_SOURCE_ENDED,    /**< the recording has been played to its end */
    CLASH_TRACKING_JUMPED           /**< the recording is played from another place on */
} clash_tracking_reason;

/** More fields of clashes and holds, each a number in one row: its type (int64_t or float), its name here and in
 *  messages, and the value with which it is left out there. The struct, clashd's encoder, the C client and clashctl's
 *  tables use these rows.
 *
 *  interval_ns: length of the sampled interval, ns, the longer one of the two devices; how they moved within it is not
 *  known. */
#define CLASH_EVENT_FIELDS(ROW) ROW(int64_t, interval_ns, 0)

#define CLASH_EVENT_MEMBER(type, member, none) type member;

/** Geometry and mechanics of a contact at one time (clash, hold). Index 0 is the first blade of the pair, 1 the second, or
 *  the target. */
typedef struct clash_event_clash {
    clash_contact contact; /**< contact.fraction: where in the sampled interval, 0..1; along: the part, if it has one */
    const char *parts[2];  /**< names of the parts that touch, NULL for a blade that has none; valid during the call
                                     that delivers the event */
    clash_vec3 velocities[2];  /**< of each blade's material point at the contact, m/s */
    float closing_speed;       /**< (v0 - v1) . normal, m/s, positive when approaching */
    float slide_speed;         /**< length of v0 - v1 across the normal, m/s */
    float crossing_angle;      /**< between the two axes as lines, or the axis and the surface, radians, 0..pi/2 */
    bool has_edge[2];          /**< whether that blade, or that part of it, has an edge direction */
    float edge_alignment[2];   /**< cosine between the edge and the blade's movement relative to the other, both
                                perpendicular to its axis: 1 edge first, 0 flat, -1 back first; 0 without such
                                movement */
    float intensity;           /**< 0..1, rises with closing_speed: see PROTOCOL.md */
    clash_vec3 surface_normal; /**< of a target: see clash_toi_output; else zero */
    uint32_t triangle;         /**< of a target; CLASH_NO_TRIANGLE if it has none, or there is no target */
    bool tracked;              /**< both devices were tracked throughout the sampled interval */
    bool has_since_release;    /**< of a clash: the two have touched before */
    bool late;                 /**< of a clash: the contact began earlier, but only now is as fast as was asked for */
    bool resumed;              /**< of a clash: nothing has struck, but a contact goes on that a cut or a
                                replacement ended at most 1 s ago */
    CLASH_EVENT_FIELDS(CLASH_EVENT_MEMBER)
    int64_t since_release_ns; /**< of a clash: since the two last separated, ns; 0 if they never touched before */
} clash_event_clash;

typedef struct clash_event_release {
    float min_distance;       /**< smallest axis distance of the contact, m */
    float peak_closing_speed; /**< largest closing speed at its start, at holds and at samples, m/s */
    clash_release_reason reason;
} clash_event_release;

/** Who feeds a device: whose poses are its samples. */
typedef enum clash_feed_source {
    CLASH_SOURCE_NONE,   /**< unknown, or a client's own device */
    CLASH_SOURCE_GAME,   /**< a client that feeds it */
    CLASH_SOURCE_LAYER,  /**< the OpenXR API layer in the game */
    CLASH_SOURCE_OPENXR, /**< clashd's own session */
    CLASH_SOURCE_REPLAY, /**< the recording that is played */
    CLASH_SOURCE_PEER    /**< another machine */
} clash_feed_source;

typedef struct clash_event_tracking {
    const char *device; /**< valid during the call that delivers the event */
    bool tracked;
    clash_tracking_reason reason;
    clash_feed_source source;
} clash_event_tracking;

typedef struct clash_event_space_changed {
    clash_feed_source source; /**< of whom the devices' poses are from now on; NONE: the same feed's space moved */
} clash_event_space_changed;

/** Whether the other player's machine has found a contact too: only players who ask for it know. */
typedef enum clash_agreement {
    CLASH_AGREEMENT_NONE, /**< not asked for, or not known yet */
    CLASH_AGREEMENT_YES,
    CLASH_AGREEMENT_NO /**< not within the time that it had */
} clash_agreement;

/** Of a contact between blades of two players, on machines of their own. */
typedef struct clash_event_room {
    int64_t id;             /**< of the contact, the same on both machines; 0: it is none of two players */
    int64_t time_ns;        /**< of the event, by the room's clock */
    int64_t clock_error_ns; /**< by how much the two players' clocks may be apart */
    clash_agreement agreed;
} clash_event_room;

typedef struct clash_event {
    clash_event_kind kind;
    uint64_t seq;    /**< 1, 2, 3 .. over all events of a session */
    int64_t time_ns; /**< CLOCK_MONOTONIC; sinks subtract the session's epoch */
    /* clash, hold, release: */
    uint64_t id;               /**< of the contact, 1, 2, 3 .. */
    const char *blades[2];     /**< names; valid during the call that delivers the event */
    bool has_target;           /**< the second name is a target's */
    float start_closing_speed; /**< closing_speed of the contact's clash, m/s, for filters */
    int64_t duration_ns;       /**< since the contact's clash */
    clash_event_room room;
    union {
        clash_event_clash clash;
        clash_event_release release;
        clash_event_tracking tracking;
        clash_event_space_changed space_changed;
    } as;
} clash_event;

CLASH_END_DECLS

#endif
