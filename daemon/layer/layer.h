/* The layer's state and the lock that every call takes. One mutex guards everything but the link, which has a lock of its own. What the
 * game asks for in its frames is called without it, so that a runtime that hangs in one thread hangs no other through us. What
 * the layer asks for itself it asks with it held: a session cannot go meanwhile.
 *
 * A handle that the layer does not know is the runtime's to judge: the call is passed on as it came. */
#ifndef CLASHD_LAYER_LAYER_H
#define CLASHD_LAYER_LAYER_H

#define XR_USE_TIMESPEC
#include <time.h>

#include <openxr/openxr.h>
#include <openxr/openxr_platform.h>
#include <stdbool.h>
#include <stdint.h>

#include "feed_link.h"

/** Whether a structure that the game passes has the type that it should have. */
#define LAYER_IS(pointer, structure_type) ((pointer) && (pointer)->type == (structure_type))

#define LAYER_HANDS 2
/** How many different priorities of a game's action sets are told apart. */
#define OWN_SETS_MAX 8

/** What the layer calls of those below it. X(name): xrNAME. */
/* clang-format off */
#define LAYER_NEXT(X) \
    X(ApplyHapticFeedback) X(AttachSessionActionSets) X(CreateAction) X(CreateActionSet) X(CreateActionSpace) X(CreateReferenceSpace) \
    X(CreateSession) X(DestroyAction) X(DestroyActionSet) X(DestroyInstance) X(DestroySession) X(DestroySpace) \
    X(EndFrame) X(GetCurrentInteractionProfile) X(LocateSpace) X(LocateViews) X(PollEvent) X(StopHapticFeedback) \
    X(StringToPath) X(SuggestInteractionProfileBindings) X(SyncActions) X(WaitFrame)
/* clang-format on */

typedef struct layer_next {
    PFN_xrGetInstanceProcAddr get_proc;
#define LAYER_MEMBER(name) PFN_xr##name name;
    LAYER_NEXT(LAYER_MEMBER)
#undef LAYER_MEMBER
    PFN_xrConvertTimeToTimespecTimeKHR to_timespec; /* NULL: the runtime has none */
} layer_next;

/** Which hands (bits) have their grip bound under an interaction profile. */
typedef struct grip_binding {
    XrPath profile;
    unsigned hands;
} grip_binding;

typedef struct grip_bindings {
    grip_binding *list;
    size_t count;
} grip_bindings;

typedef struct game_set {
    XrActionSet handle;
    uint32_t priority;
    grip_bindings grips;
} game_set;

typedef struct game_action {
    XrAction handle;
    XrActionSet set;
} game_action;

/** One for each priority of the game's sets. Sync the one whose priority equals that of the game's set with the grip: then neither
 *  takes the grip from the other. The first has priority 0, for when no set of the game has the grip. */
typedef struct own_set {
    XrActionSet handle;
    XrAction grip;
    XrAction haptic; /* XR_NULL_HANDLE: creating it failed */
    uint32_t priority;
    grip_bindings grips;
} own_set;

/** The layer's own sets. Nothing can be bound to a set once it is attached, so new ones are created if the game suggests bindings again
 *  for another session. */
typedef struct own_input {
    struct own_input *older;
    unsigned number;
    bool is_attached;
    unsigned sessions; /* how many living sessions have them attached */
    size_t count;
    own_set sets[OWN_SETS_MAX];
} own_input;

typedef struct layer_instance layer_instance;
typedef struct layer_session layer_session;

struct layer_instance {
    layer_instance *following;
    XrInstance handle;
    layer_next next;
    bool is_idle; /* clashd's own instance: pass everything on */
    XrPath hands[LAYER_HANDS], grips[LAYER_HANDS], grip_parents[LAYER_HANDS], haptics[LAYER_HANDS];
    game_set *sets;
    size_t set_count;
    game_action *actions;
    size_t action_count;
    own_input *input; /* the newest; NULL before any */
    unsigned inputs;  /* made so far */
    layer_session *sessions;
};

/** A reference space of the game's. */
typedef struct game_space {
    XrSpace handle;
    XrReferenceSpaceType type;
    XrPosef pose;
} game_space;

struct layer_session {
    layer_session *following;
    XrSession handle;
    layer_instance *instance;

    bool is_overlay;      /* it draws over another program */
    XrSessionState state; /* as the game has heard of it; UNKNOWN: it has not */
    bool is_feeding;      /* frames have been handed on since it has had the focus */

    own_input *input; /* attached with it; NULL: nothing of ours is */
    bool game_syncs;
    bool profiles_known;
    XrPath profiles[LAYER_HANDS];
    XrSpace grips[OWN_SETS_MAX][LAYER_HANDS];
    size_t active[LAYER_HANDS]; /* which own set was synced last */
    bool has_pulsed;            /* the layer has made a hand vibrate */

    game_space *spaces;
    size_t space_count;
    XrSpace stage;                  /* our own; XR_NULL_HANDLE: the runtime has none */
    XrSpace base;                   /* of the game; XR_NULL_HANDLE: not known yet */
    bool base_is_drawn;             /* known from a projection layer: ignore what views are located in */
    bool base_has_moved;            /* the next frame's poses have another frame of reference than the last one's */
    XrReferenceSpaceType base_type; /* of the base, or the last one: 0 before any */
    XrPosef base_pose;
    XrTime moves_at; /* a recentring that was announced; 0: none */

    XrTime waited, sent;   /* display times: of the last xrWaitFrame, of the last frame that was handed on */
    unsigned without_base; /* frames in a row that ended without one */
    bool has_offset;       /* with the estimate of monotonic less XrTime */
    int64_t offset_ns;
    XrDuration period;
    feed_frame frame; /* as handed on last */
    feed_link *link;  /* NULL: none could be made */
};

/** Take the mutex. Return false if this thread has it already: then this is a call from within one of the layer's own calls, such as
 *  from a debug messenger; pass it on. The functions below may be called in either case, but not without this one. */
bool layer_enter(void);
void layer_leave(bool entered);

/** By its handle; NULL: not known. */
layer_instance *layer_find_instance(XrInstance handle);
layer_session *layer_find_session(XrSession handle);
game_set *layer_find_set(XrActionSet handle, layer_instance **out_instance);
game_action *layer_find_action(XrAction handle, layer_instance **out_instance);
game_space *layer_find_space(XrSpace handle, layer_session **out_session);
/** The functions below an instance; if that is NULL those of any, as they judge handles that nobody knows. NULL: there
 *  is no instance. Valid as long as the instance, which a game must not destroy while it calls. */
const layer_next *layer_next_of(const layer_instance *instance);
/** The same by a handle, for callers without the mutex. */
const layer_next *layer_next_of_instance(XrInstance handle);
const layer_next *layer_next_of_session(XrSession handle);

/** If memory runs out, the object is not noted, and the layer does not know it later. The game is not told. */
void layer_add_instance(layer_instance *instance);
void layer_forget_instance(layer_instance *instance); /* and all that belongs to it, the memory too */
void layer_add_session(layer_instance *instance, XrSession handle, bool is_overlay);
void layer_forget_session(layer_session *session);
/** `list` with room for one item more than `count`, in what is at `*list`; false: out of memory, nothing changed. */
bool layer_grow(void **list, size_t count, size_t item_size);

/** The hands whose grip a binding leads to, as bits. */
unsigned layer_grip_hands(const layer_instance *instance, XrPath binding);
/** Note that `hands` have their grip bound under the profile; 0: none has. */
void grip_bindings_set(grip_bindings *bindings, XrPath profile, unsigned hands);
/** Return the hands as bits; XR_NULL_PATH: those of any profile. */
unsigned grip_bindings_get(const grip_bindings *bindings, XrPath profile);

#endif
