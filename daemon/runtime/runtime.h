/* The stand-in runtime's state, and the lock that every call takes. One mutex guards everything: an entry point enters
 * with its handle, works, and leaves. Entering also waits out a stall and carries out the faults that are due. There is
 * one instance and one session at a time, as the loader allows; the faults' state outlives both. */
#ifndef CLASHD_RUNTIME_RUNTIME_H
#define CLASHD_RUNTIME_RUNTIME_H

#include "runtime/faults.h"
#include "runtime/handles.h"
#include "runtime/paths.h"
#include "runtime/playback.h"
#include "runtime/profiles.h"
#include <stdio.h>

/* A wrong or missing structure is the program's mistake; answer it as any runtime does. */
#define RUNTIME_IS(pointer, structure_type) ((pointer) && (pointer)->type == (structure_type))

#define RUNTIME_EVENTS_MAX 64
#define RUNTIME_SYSTEM_ID 1u

/** Headers of 1.0.20 lack it. */
#define RUNTIME_ACTIVE_PRIORITY "XR_EXT_active_action_set_priority"
#define RUNTIME_XDEV_SPACE "XR_MNDX_xdev_space"
#define RUNTIME_TRACKERS "XR_HTCX_vive_tracker_interaction"
#define RUNTIME_TYPE_XDEV_PROPERTIES ((XrStructureType)1000444001)

/** XrSystemXDevSpacePropertiesMNDX. */
typedef struct runtime_xdev_properties {
    XrStructureType type;
    void *next;
    XrBool32 supports;
} runtime_xdev_properties;

/** Top-level user paths as bits: bit i stands for paths_user(i). Only the two hands have controllers; a tracker may be
 *  there too. */
#define RUNTIME_HANDS 2
#define RUNTIME_TRACKER 5
#define RUNTIME_TRACKER_BIT (1u << RUNTIME_TRACKER)

typedef struct runtime_suggestion {
    XrAction action;
    XrPath binding;
    /* what the binding's path says, so that no xrSyncActions reads it again */
    uint32_t hand;      /* the bit of its hand or tracker; 0: it is of neither */
    const char *source; /* "/input/grip" of "/user/hand/left/input/grip/pose", where that goes on */
    size_t length;      /* of the source */
    bool is_grip, is_aim, is_output;
} runtime_suggestion;

typedef struct runtime_suggestions {
    runtime_suggestion *list;
    size_t count;
} runtime_suggestions;

typedef struct runtime_instance {
    XrInstance handle;
    bool lost;             /* all calls but the destroying ones fail from now on */
    bool headless;         /* XR_MND_headless enabled */
    bool convert_timespec; /* XR_KHR_convert_timespec_time enabled */
    bool xdevs;            /* XR_MNDX_xdev_space enabled */
    bool trackers;         /* XR_HTCX_vive_tracker_interaction enabled */
    bool no_event_times;   /* events carry a time of 0 */
    bool system_given;     /* xrGetSystem has succeeded */
    int64_t frame_period_ns;
    int preferred_profile; /* the controllers' profile, an index of profiles.h */
    playback *playback;
    FILE *log; /* NULL: not wanted */
    paths paths;
    runtime_suggestions suggestions[PROFILES_MAX];
    XrEventDataBuffer events[RUNTIME_EVENTS_MAX]; /* a ring */
    size_t event_first, event_count;
    uint32_t events_lost;
} runtime_instance;

typedef struct runtime_session {
    XrSession handle;
    XrSessionState state;
    bool running, exit_requested, lost, attached;
    int64_t begin_ns; /* CLOCK_MONOTONIC; 0 before the first xrBeginSession */
    int profile;      /* current, -1 before the first successful xrSyncActions */
    bool frame_waited, frame_begun;
    int64_t frame_ns; /* when the last xrWaitFrame returned */
} runtime_session;

typedef struct runtime_action_set {
    XrActionSet handle;
    char name[XR_MAX_ACTION_SET_NAME_SIZE], localized[XR_MAX_LOCALIZED_ACTION_SET_NAME_SIZE];
    uint32_t priority;
    uint32_t named; /* user bits for which the last xrSyncActions named it */
    bool attached;
} runtime_action_set;

typedef struct runtime_action {
    XrAction handle;
    runtime_action_set *set;
    XrActionType type;
    char name[XR_MAX_ACTION_NAME_SIZE], localized[XR_MAX_LOCALIZED_ACTION_NAME_SIZE];
    uint32_t declared; /* user bits of the subaction paths; 0: none were given */
    uint32_t bound;    /* hand bits that the current profile binds */
    uint32_t aimed;    /* those bound to the aim pose rather than the grip */
    uint32_t active;   /* hand bits that the last xrSyncActions found active */
} runtime_action;

typedef struct runtime_space {
    XrSpace handle;
    bool of_action;
    bool of_device; /* of a hand's controller itself, whatever is bound */
    XrReferenceSpaceType reference;
    XrAction action;
    uint32_t hands; /* hand bits that the subaction path allows */
    XrPosef offset; /* parent_from_space */
} runtime_space;

/** The whole state, guarded by the mutex in runtime.c. */
typedef struct runtime_state {
    faults faults;
    handles handles;
    runtime_instance *instance; /* NULL if there is none */
    runtime_session *session;   /* NULL if there is none */
    uint32_t refusals;          /* this many more xrCreateInstance calls fail */
    uint32_t absences;          /* this many more xrGetSystem calls find no headset */
    uint32_t hangs;             /* this many more xrDestroyInstance calls do not return */
    int64_t refuse_until_ns;    /* xrCreateInstance fails until then; CLOCK_MONOTONIC, 0 if it does not */
    bool ends_thread;           /* the calling thread ends before it returns */
    bool crashes;               /* the process ends before it returns */
    uint64_t haptics;           /* pulses applied since the process started */
} runtime_state;

extern runtime_state runtime;

/** Enter: on success the mutex is held and the caller must leave; on failure it is not held. Waits out a stall first.
 *  The destroying variants also succeed if the parent is lost. */
XrResult runtime_enter(void);
XrResult runtime_enter_instance(XrInstance handle, runtime_instance **out_instance);
XrResult runtime_enter_session(XrSession handle, runtime_session **out_session);
/** Begin an entry point: declare `session` or `instance`, and `result`, and enter with the handle. What is wrong with the
 *  handle is returned from here. */
#define RUNTIME_ENTER_SESSION(handle)                          \
    runtime_session *session;                                  \
    XrResult result = runtime_enter_session(handle, &session); \
    if (XR_FAILED(result))                                     \
    return result
#define RUNTIME_ENTER_INSTANCE(handle)                           \
    runtime_instance *instance;                                  \
    XrResult result = runtime_enter_instance(handle, &instance); \
    if (XR_FAILED(result))                                       \
    return result
/** Enter with an object of any kind. Fails with XR_ERROR_INSTANCE_LOST or XR_ERROR_SESSION_LOST if its parent is
 *  lost. */
XrResult runtime_enter_object(handle_kind kind, uint64_t handle, void **out_object);
XrResult runtime_enter_to_destroy(handle_kind kind, uint64_t handle, void **out_object);
/** As RUNTIME_ENTER_SESSION, with an object that will be destroyed, as `gone`. */
#define RUNTIME_ENTER_TO_DESTROY(kind, handle)                                     \
    void *gone;                                                                    \
    XrResult result = runtime_enter_to_destroy(kind, HANDLE_VALUE(handle), &gone); \
    if (XR_FAILED(result))                                                         \
    return result
/** Leave and return `result`. */
XrResult runtime_leave(XrResult result);
/** For xrGetInstanceProcAddr, which neither stalls nor is lost: return whether that instance exists, and which
 *  extensions it enabled. */
bool runtime_peek_instance(XrInstance handle, bool *out_convert_timespec, bool *out_xdevs);
/** Make a handle for a copy of `space`. */
XrResult runtime_add_space(runtime_space space, XrSpace *out_space);

/** Queue `size` bytes of an event for the program. A full queue loses its oldest events and reports that. */
void runtime_push_event(const void *event, size_t size);
/** Move the session into `state` and tell the program. */
void runtime_set_session_state(runtime_session *session, XrSessionState state, int64_t now_ns);
/** Make the session FOCUSED, or VISIBLE while a fault holds the focus back. */
void runtime_settle_focus(runtime_session *session, int64_t now_ns);
/** Bring a running session to STOPPING, as the program or the user asked. */
void runtime_stop_session(runtime_session *session, int64_t now_ns);
/** Carry out the faults whose time has come. */
void runtime_carry_out_faults(int64_t now_ns);
/** Return the origin of the recording's space at `time_ns` (CLOCK_MONOTONIC), after all recentring until then. */
XrPosef runtime_origin_at(int64_t time_ns);
/** Choose the interaction profile that fits the controllers now. If it changed, bind the attached actions again and
 *  tell the program. */
void runtime_settle_profile(runtime_session *session);
/** Return the action that a suggestion binds under the session's profile, or NULL. */
runtime_action *runtime_binding(const runtime_suggestion *suggestion);
/** Return the user bits that a subaction path stands for: all for XR_NULL_PATH, else one that must be among
 *  `declared`. */
XrResult runtime_read_subaction(XrPath path, uint32_t declared, uint32_t *out_users);
/** Return the bits of the hands whose controllers are present and switched on, and of the tracker. */
uint32_t runtime_present_hands(const runtime_session *session, int64_t now_ns);

/** Answer the two-call idiom: write `count`, return XR_ERROR_SIZE_INSUFFICIENT if `capacity` is neither 0 nor enough,
 *  and set `out_fill` if the caller is to fill the array. */
XrResult runtime_two_call(uint32_t capacity, uint32_t *count_out, uint32_t count, const void *array, bool *out_fill);

/** Tell the person who set an environment variable wrongly, on stderr. */
void runtime_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Write a line with the CLOCK_MONOTONIC time into CLASH_RUNTIME_LOG, if that is set. */
void runtime_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
