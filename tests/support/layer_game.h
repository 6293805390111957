/* A game as e2e/layer_test.py plays it: on the OpenXR loader, without graphics. Any error ends it with a message. */
#ifndef CLASHD_TESTS_LAYER_GAME_H
#define CLASHD_TESTS_LAYER_GAME_H

#include <openxr/openxr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(call) check(call, #call)
#define EXPECT(what)                                                            \
    do {                                                                        \
        if (!(what)) {                                                          \
            fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

static inline void check(XrResult result, const char *call)
{
    if (XR_SUCCEEDED(result))
        return;
    fprintf(stderr, "%s: %d\n", call, (int)result);
    exit(1);
}

#define HANDS 2
#define SETS 12
#define INDEX "/interaction_profiles/valve/index_controller"
#define IDENTITY ((XrPosef){{0, 0, 0, 1}, {0, 0, 0}})

typedef struct game {
    XrInstance instance;
    XrSystemId system;
    XrSession session;
    XrPath hands[HANDS];
    XrActionSet sets[SETS];
    XrAction grips[SETS];
    XrSpace spaces[SETS][HANDS];
    XrSpace base;  /* views are located in it */
    XrSpace drawn; /* a projection layer is in it; XR_NULL_HANDLE: none is drawn */
    XrSessionState state;
    XrTime begun; /* when the runtime's script began */
    int frame;
    char fed[512]; /* a file that appears when the session's first poses have come; "": do not wait for them */
} game;

static inline void create_instance(game *g, const char *name)
{
    const char *extensions[] = {XR_MND_HEADLESS_EXTENSION_NAME};
    XrInstanceCreateInfo info = {.type = XR_TYPE_INSTANCE_CREATE_INFO,
                                 .applicationInfo = {.apiVersion = XR_MAKE_VERSION(1, 0, 0)},
                                 .enabledExtensionCount = 1,
                                 .enabledExtensionNames = extensions};
    XrSystemGetInfo system = {.type = XR_TYPE_SYSTEM_GET_INFO, .formFactor = XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY};

    snprintf(info.applicationInfo.applicationName, sizeof info.applicationInfo.applicationName, "%s", name);
    CHECK(xrCreateInstance(&info, &g->instance));
    CHECK(xrGetSystem(g->instance, &system, &g->system));
    CHECK(xrStringToPath(g->instance, "/user/hand/left", &g->hands[0]));
    CHECK(xrStringToPath(g->instance, "/user/hand/right", &g->hands[1]));
}

static inline void create_session(game *g)
{
    const XrSessionCreateInfoOverlayEXTX overlay = {.type = XR_TYPE_SESSION_CREATE_INFO_OVERLAY_EXTX};
    XrSessionCreateInfo info = {.type = XR_TYPE_SESSION_CREATE_INFO, .systemId = g->system};

    if (getenv("LAYER_GAME_OVERLAY"))
        info.next = &overlay;

    CHECK(xrCreateSession(g->instance, &info, &g->session));
    g->state = XR_SESSION_STATE_UNKNOWN;
    g->begun = 0;
}

static inline XrSpace create_reference(const game *g, XrReferenceSpaceType type, XrPosef pose)
{
    XrReferenceSpaceCreateInfo info = {
        .type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO, .referenceSpaceType = type, .poseInReferenceSpace = pose};
    XrSpace space = XR_NULL_HANDLE;

    CHECK(xrCreateReferenceSpace(g->session, &info, &space));
    return space;
}

/** Create set `number` with a grip of both hands; `generation` varies its name. */
static inline void create_set(game *g, int number, uint32_t priority, int generation)
{
    XrActionSetCreateInfo set = {.type = XR_TYPE_ACTION_SET_CREATE_INFO, .priority = priority};
    XrActionCreateInfo grip = {.type = XR_TYPE_ACTION_CREATE_INFO,
                               .actionName = "grip",
                               .localizedActionName = "Grip",
                               .actionType = XR_ACTION_TYPE_POSE_INPUT,
                               .countSubactionPaths = HANDS,
                               .subactionPaths = g->hands};

    snprintf(set.actionSetName, sizeof set.actionSetName, "set_%d_%d", number, generation);
    snprintf(set.localizedActionSetName, sizeof set.localizedActionSetName, "Set %d %d", number, generation);
    CHECK(xrCreateActionSet(g->instance, &set, &g->sets[number]));
    CHECK(xrCreateAction(g->sets[number], &grip, &g->grips[number]));
}

/** Suggest the grips of the first `sets`. */
static inline void suggest(const game *g, int sets, const char *profile)
{
    static const char *const paths[] = {"/user/hand/left/input/grip/pose", "/user/hand/right/input/grip/pose"};
    XrActionSuggestedBinding bindings[SETS * HANDS];
    XrInteractionProfileSuggestedBinding info = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
                                                 .countSuggestedBindings = (uint32_t)(sets * HANDS),
                                                 .suggestedBindings = bindings};

    for (int i = 0; i < sets * HANDS; i++) {
        bindings[i].action = g->grips[i / HANDS];
        CHECK(xrStringToPath(g->instance, paths[i % HANDS], &bindings[i].binding));
    }
    CHECK(xrStringToPath(g->instance, profile, &info.interactionProfile));
    CHECK(xrSuggestInteractionProfileBindings(g->instance, &info));
}

static inline void attach(game *g, int sets)
{
    XrSessionActionSetsAttachInfo info = {
        .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = (uint32_t)sets, .actionSets = g->sets};

    CHECK(xrAttachSessionActionSets(g->session, &info));
    for (int i = 0; i < sets * HANDS; i++) {
        XrActionSpaceCreateInfo space = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                         .action = g->grips[i / HANDS],
                                         .subactionPath = g->hands[i % HANDS],
                                         .poseInActionSpace = IDENTITY};
        CHECK(xrCreateActionSpace(g->session, &space, &g->spaces[i / HANDS][i % HANDS]));
    }
}

static inline void poll(game *g)
{
    XrEventDataBuffer event = {.type = XR_TYPE_EVENT_DATA_BUFFER};

    while (xrPollEvent(g->instance, &event) == XR_SUCCESS) {
        const XrEventDataSessionStateChanged *changed = (const XrEventDataSessionStateChanged *)&event;

        if (event.type == XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED) {
            g->state = changed->state;
            if (changed->state == XR_SESSION_STATE_SYNCHRONIZED) {
                g->begun = changed->time;
                printf("{\"begun\":%lld}\n", (long long)g->begun);
            }
        }
        event = (XrEventDataBuffer){.type = XR_TYPE_EVENT_DATA_BUFFER};
    }
}

static inline void begin_session(game *g)
{
    static int sessions;
    const char *fed = getenv("LAYER_GAME_FED");
    XrSessionBeginInfo info = {.type = XR_TYPE_SESSION_BEGIN_INFO,
                               .primaryViewConfigurationType = XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO};

    if (fed)
        snprintf(g->fed, sizeof g->fed, "%s.%d", fed, ++sessions);
    poll(g);
    EXPECT(g->state == XR_SESSION_STATE_READY);
    CHECK(xrBeginSession(g->session, &info));
    poll(g);
}

static inline XrTime wait_frame(game *g)
{
    XrFrameState state = {.type = XR_TYPE_FRAME_STATE};

    CHECK(xrWaitFrame(g->session, NULL, &state));
    return state.predictedDisplayTime;
}

/* XrActiveActionSetPrioritiesEXT, which headers of 1.0.20 do not have. */
typedef struct set_priority {
    XrActionSet set;
    uint32_t priority;
} set_priority;

typedef struct set_priorities {
    XrStructureType type;
    const void *next;
    uint32_t count;
    const set_priority *list;
} set_priorities;

/** Sync the sets whose bits are set, with other priorities for this call if not NULL. */
static inline void sync_sets(const game *g, unsigned sets, const set_priorities *others)
{
    XrActiveActionSet active[SETS];
    XrActionsSyncInfo info = {.type = XR_TYPE_ACTIONS_SYNC_INFO, .next = others, .activeActionSets = active};

    for (unsigned i = 0; i < SETS; i++)
        if (sets & 1u << i)
            active[info.countActiveActionSets++] = (XrActiveActionSet){g->sets[i], XR_NULL_PATH};
    CHECK(xrSyncActions(g->session, &info));
}

/** Return whether a set's grip of a hand is active. */
static inline bool is_active(const game *g, int set, int hand)
{
    XrActionStateGetInfo info = {
        .type = XR_TYPE_ACTION_STATE_GET_INFO, .action = g->grips[set], .subactionPath = g->hands[hand]};
    XrActionStatePose state = {.type = XR_TYPE_ACTION_STATE_POSE};

    CHECK(xrGetActionStatePose(g->session, &info, &state));
    return state.isActive;
}

static inline void locate_views(const game *g, XrTime time)
{
    XrViewLocateInfo info = {.type = XR_TYPE_VIEW_LOCATE_INFO,
                             .viewConfigurationType = XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
                             .displayTime = time,
                             .space = g->base};
    XrViewState state = {.type = XR_TYPE_VIEW_STATE};
    XrView views[2] = {{.type = XR_TYPE_VIEW}, {.type = XR_TYPE_VIEW}};
    uint32_t count;

    CHECK(xrLocateViews(g->session, &info, &state, 2, &count, views));
}

static inline void end_frame(game *g, XrTime time)
{
    XrCompositionLayerProjection layer = {.type = XR_TYPE_COMPOSITION_LAYER_PROJECTION, .space = g->drawn};
    const XrCompositionLayerBaseHeader *layers[] = {(const XrCompositionLayerBaseHeader *)&layer};
    XrFrameEndInfo info = {.type = XR_TYPE_FRAME_END_INFO,
                           .displayTime = time,
                           .environmentBlendMode = XR_ENVIRONMENT_BLEND_MODE_OPAQUE,
                           .layerCount = g->drawn != XR_NULL_HANDLE,
                           .layers = layers};

    CHECK(xrEndFrame(g->session, &info));
    printf("{\"frame\":%d,\"time\":%lld}\n", g->frame++, (long long)time);
}

#endif
