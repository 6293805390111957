/* The games of e2e/layer_test.py: layer_game SCENARIO FRAMES. Each prints when the runtime's script began and each
 * frame's display time, all as XrTime; at the end, how many times memory was allocated in its frames. */
#include "support/layer_game.h"

#include <pthread.h>

/* malloc, counted while a frame is in progress in this thread. A sanitizer has its own. */
static __thread bool is_counting;
static unsigned long allocations;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* NOLINTBEGIN(readability-redundant-declaration,readability-inconsistent-declaration-parameter-name) */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    allocations += is_counting;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations += is_counting;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    allocations += is_counting;
    return __libc_realloc(block, size);
}
/* NOLINTEND(readability-redundant-declaration,readability-inconsistent-declaration-parameter-name) */
#endif

typedef struct plan {
    unsigned sets; /* synced in each frame, as bits; 0: never */
    bool early;    /* synced before xrWaitFrame rather than after */
    bool unfed;    /* nobody receives these frames */
    bool views;
    const set_priorities *others; /* in each sync */
} plan;

static void play_frame(game *g, const plan *p)
{
    XrTime time;

    poll(g);
    if (p->sets && p->early)
        sync_sets(g, p->sets, p->others);
    time = wait_frame(g);
    if (p->sets && !p->early)
        sync_sets(g, p->sets, p->others);
    CHECK(xrBeginFrame(g->session, NULL));
    if (p->views)
        locate_views(g, time);
    end_frame(g, time);
}

/** Play so many frames from the first one that somebody receives. No memory may be allocated then, nor, if nobody
 *  receives them, once the session has run for a while. */
static void play(game *g, int frames, const plan *p)
{
    for (int i = 0; i < 60000 && !p->unfed && g->fed[0] && access(g->fed, F_OK) != 0; i++)
        play_frame(g, p);
    for (int i = 0; i < frames; i++) {
        is_counting = i > 60 || g->fed[0];
        play_frame(g, p);
        is_counting = false;
    }
}

static void start(game *g, int sets, int generation)
{
    for (int i = 0; i < sets; i++)
        create_set(g, i, i == 0 ? 0 : 7, generation);
    create_session(g);
    if (sets > 0) {
        suggest(g, sets, "/interaction_profiles/khr/simple_controller");
        suggest(g, sets, getenv("LAYER_GAME_PROFILE") ? getenv("LAYER_GAME_PROFILE") : INDEX);
    }
    g->base = create_reference(
        g, getenv("LAYER_GAME_STAGE") ? XR_REFERENCE_SPACE_TYPE_STAGE : XR_REFERENCE_SPACE_TYPE_LOCAL, IDENTITY);
}

static const plan usual = {.sets = 1, .views = true};

static void play_plain(game *g, int frames)
{
    start(g, 1, 0);
    attach(g, 1);
    begin_session(g);
    play(g, frames, &usual);
}

/* Sync before waiting, as hello_xr does. */
static void play_early(game *g, int frames)
{
    start(g, 1, 0);
    attach(g, 1);
    begin_session(g);
    play(g, frames, &(plan){.sets = 1, .early = true, .views = true});
}

static void play_none(game *g, int frames)
{
    start(g, 0, 0);
    begin_session(g);
    play(g, frames, &(plan){.views = true});
}

/* Create sets early, and attach them long after the first frames. */
static void play_late(game *g, int frames)
{
    start(g, 1, 0);
    begin_session(g);
    play(g, 300, &(plan){.unfed = true, .views = true});
    attach(g, 1);
    play(g, frames, &usual);
    EXPECT(is_active(g, 0, 0) && is_active(g, 0, 1));
}

static void play_never_synced(game *g, int frames)
{
    start(g, 1, 0);
    attach(g, 1);
    begin_session(g);
    play(g, frames, &(plan){.views = true});
}

static void end_session(game *g)
{
    CHECK(xrDestroySession(g->session));
    printf("{\"session\":\"destroyed\"}\n");
}

/* Two sessions, with new sets for the second, and a third with those of the second. */
static void play_sessions(game *g, int frames)
{
    for (int generation = 0; generation < 2; generation++) {
        start(g, 1, generation);
        attach(g, 1);
        begin_session(g);
        play(g, frames, &usual);
        EXPECT(is_active(g, 0, 0) && is_active(g, 0, 1));
        end_session(g);
        if (generation == 0)
            CHECK(xrDestroyActionSet(g->sets[0]));
    }
    create_session(g);
    g->base = create_reference(g, XR_REFERENCE_SPACE_TYPE_LOCAL, IDENTITY);
    attach(g, 1);
    begin_session(g);
    play(g, frames, &usual);
    EXPECT(is_active(g, 0, 0));
}

/* A set of priority 0 and one of 7, one after the other and both: the higher one has the grip, and nobody else takes
 * it. */
static void play_priorities(game *g, int frames)
{
    start(g, 2, 0);
    attach(g, 2);
    begin_session(g);
    for (unsigned sets = 1; sets <= 3; sets++) {
        play(g, frames, &(plan){.sets = sets, .views = true});
        for (int hand = 0; hand < HANDS; hand++) {
            EXPECT(is_active(g, 0, hand) == (sets == 1));
            EXPECT(is_active(g, 1, hand) == (sets != 1));
        }
    }
}

/* The same sets with other priorities in each call: the one that is higher in that call has the grip. In the end the
 * second set's right hand has no priority at all. */
static void play_overrides(game *g, int frames)
{
    start(g, 2, 0);
    attach(g, 2);
    begin_session(g);
    for (uint32_t higher = 0; higher < 2; higher++) {
        const set_priority list[] = {{g->sets[0], higher == 0 ? 9 : 2}, {g->sets[1], 3}};
        const set_priorities others = {(XrStructureType)1000373000, NULL, 2, list};

        play(g, frames, &(plan){.sets = 3, .views = true, .others = &others});
        for (int hand = 0; hand < HANDS; hand++) {
            EXPECT(is_active(g, 0, hand) == (higher == 0));
            EXPECT(is_active(g, 1, hand) == (higher == 1));
        }
    }
    play(g, frames,
         &(plan){.sets = 1, .views = true, .others = &(set_priorities){(XrStructureType)1000373000, NULL, 0, NULL}});
    EXPECT(is_active(g, 0, 0) && is_active(g, 0, 1));
}

/* Sets of twelve priorities, one after the other; nobody takes the grip from any. */
static void play_many(game *g, int frames)
{
    for (int i = 0; i < SETS; i++)
        create_set(g, i, 5 * (uint32_t)i, 0);
    create_session(g);
    suggest(g, SETS, INDEX);
    g->base = create_reference(g, XR_REFERENCE_SPACE_TYPE_LOCAL, IDENTITY);
    attach(g, SETS);
    begin_session(g);
    for (int i = 0; i < SETS; i++) {
        play(g, frames, &(plan){.sets = 1u << i, .views = true});
        EXPECT(is_active(g, i, 0) && is_active(g, i, 1));
        printf("{\"set\":%d}\n", i);
    }
}

/* Twelve priorities, of which only the highest has a grip. */
static void play_menus(game *g, int frames)
{
    for (int i = 0; i < SETS; i++)
        create_set(g, i, 5 * (uint32_t)(SETS - 1 - i), 0);
    create_session(g);
    suggest(g, 1, INDEX);
    g->base = create_reference(g, XR_REFERENCE_SPACE_TYPE_LOCAL, IDENTITY);
    attach(g, SETS);
    begin_session(g);
    play(g, frames, &(plan){.sets = (1u << SETS) - 1, .views = true});
    EXPECT(is_active(g, 0, 0) && is_active(g, 0, 1));
}

/* Create, suggest and attach the first set only after a thousand frames, as a game that first shows films. */
static void play_belated(game *g, int frames)
{
    create_session(g);
    g->base = create_reference(g, XR_REFERENCE_SPACE_TYPE_LOCAL, IDENTITY);
    begin_session(g);
    play(g, 1000, &(plan){.unfed = true, .views = true});
    create_set(g, 0, 0, 0);
    suggest(g, 1, "/interaction_profiles/khr/simple_controller");
    suggest(g, 1, INDEX);
    printf("{\"attached\":%d}\n",
           (int)xrAttachSessionActionSets(g->session, &(XrSessionActionSetsAttachInfo){
                                                          .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO,
                                                          .countActionSets = 1,
                                                          .actionSets = g->sets,
                                                      }));
    play(g, frames, &usual);
    EXPECT(is_active(g, 0, 0) && is_active(g, 0, 1));
}

/* Views in LOCAL, then layers in STAGE, then in a LOCAL of its own elsewhere, which is then created again. */
static void play_spaces(game *g, int frames)
{
    XrPosef aside = {{0, 0.70710678f, 0, 0.70710678f}, {1, 0, -2}};

    start(g, 1, 0);
    attach(g, 1);
    begin_session(g);
    play(g, frames, &usual);
    g->drawn = create_reference(g, XR_REFERENCE_SPACE_TYPE_STAGE, IDENTITY);
    play(g, frames, &usual);
    for (int i = 0; i < 2; i++) {
        CHECK(xrDestroySpace(g->drawn));
        g->drawn = create_reference(g, XR_REFERENCE_SPACE_TYPE_LOCAL, aside);
        play(g, frames, &usual);
    }
}

/* Never report what it draws in. */
static void play_blind(game *g, int frames)
{
    start(g, 1, 0);
    attach(g, 1);
    begin_session(g);
    play(g, frames, &(plan){.sets = 1});
}

typedef struct drawing {
    game *g;
    XrTime time;
} drawing;

static void *draw(void *context)
{
    drawing *d = context;

    CHECK(xrBeginFrame(d->g->session, NULL));
    locate_views(d->g, d->time);
    end_frame(d->g, d->time);
    return NULL;
}

/* Draw in another thread than the one that waits and syncs. */
static void play_threads(game *g, int frames)
{
    start(g, 1, 0);
    attach(g, 1);
    begin_session(g);
    for (int i = 0, told = 0; told < frames && i < 60000; i++, told += !g->fed[0] || access(g->fed, F_OK) == 0) {
        pthread_t thread;
        drawing d = {.g = g};

        poll(g);
        d.time = wait_frame(g);
        EXPECT(pthread_create(&thread, NULL, draw, &d) == 0);
        sync_sets(g, 1, NULL);
        pthread_join(thread, NULL);
    }
}

/* Calls that no game should make: the runtime's answers. */
static void play_garbage(game *g, int frames)
{
    XrSession none = XR_NULL_HANDLE, wrong = (XrSession)(uintptr_t)0x1234;
    XrFrameEndInfo end = {.type = XR_TYPE_FRAME_END_INFO, .layerCount = 3};
    XrActionsSyncInfo sync = {.type = XR_TYPE_ACTIONS_SYNC_INFO, .countActiveActionSets = 2};
    XrSessionActionSetsAttachInfo attached = {.type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = 5};
    XrInteractionProfileSuggestedBinding suggested = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
                                                      .countSuggestedBindings = 3};
    XrViewLocateInfo views = {.type = XR_TYPE_UNKNOWN};
    XrResult results[32];
    int count = 0;

    start(g, 1, 0);
    attach(g, 1);
    begin_session(g);
    play(g, frames, &usual);
    results[count++] = xrEndFrame(none, NULL);
    results[count++] = xrEndFrame(wrong, &end);
    results[count++] = xrEndFrame(g->session, NULL);
    results[count++] = xrEndFrame(g->session, &end);
    end.displayTime = INT64_MAX;
    results[count++] = xrEndFrame(g->session, &end);
    results[count++] = xrSyncActions(none, NULL);
    results[count++] = xrSyncActions(g->session, NULL);
    results[count++] = xrSyncActions(g->session, &sync);
    results[count++] = xrAttachSessionActionSets(g->session, NULL);
    results[count++] = xrAttachSessionActionSets(g->session, &attached);
    results[count++] = xrAttachSessionActionSets(wrong, &attached);
    results[count++] = xrSuggestInteractionProfileBindings(g->instance, NULL);
    results[count++] = xrSuggestInteractionProfileBindings(g->instance, &suggested);
    results[count++] = xrWaitFrame(wrong, NULL, NULL);
    results[count++] = xrWaitFrame(g->session, NULL, NULL);
    results[count++] = xrLocateViews(g->session, NULL, NULL, 0, NULL, NULL);
    results[count++] = xrLocateViews(g->session, &views, NULL, 0, NULL, NULL);
    results[count++] = xrCreateReferenceSpace(g->session, NULL, NULL);
    results[count++] = xrDestroySpace((XrSpace)(uintptr_t)0x1234);
    results[count++] = xrDestroyAction((XrAction)(uintptr_t)0x1234);
    results[count++] = xrDestroyActionSet((XrActionSet)(uintptr_t)0x1234);
    results[count++] = xrCreateActionSet(g->instance, NULL, NULL);
    results[count++] = xrCreateAction(g->sets[0], NULL, NULL);
    results[count++] = xrCreateSession(g->instance, NULL, NULL);
    results[count++] = xrPollEvent(g->instance, NULL);
    results[count++] = xrDestroySession(wrong);
    for (int i = 0; i < count; i++)
        printf("{\"result\":%d}\n", (int)results[i]);
    play(g, frames, &usual);
}

static const struct {
    const char *name;
    void (*play)(game *g, int frames);
} scenarios[] = {
    {"plain", play_plain},     {"early", play_early},           {"none", play_none},
    {"late", play_late},       {"unsynced", play_never_synced}, {"sessions", play_sessions},
    {"spaces", play_spaces},   {"priorities", play_priorities}, {"blind", play_blind},
    {"threads", play_threads}, {"garbage", play_garbage},       {"overrides", play_overrides},
    {"many", play_many},       {"menus", play_menus},           {"belated", play_belated},
};

int main(int argc, char **argv)
{
    int instances = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;

    EXPECT(argc > 2);
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    printf("{\"pid\":true}\n"); /* stdio has allocated its memory by now */
    for (int n = 0; n < instances; n++) {
        game g = {.instance = XR_NULL_HANDLE};
        bool found = false;

        create_instance(&g, argc > 4 ? argv[4] : "layer_game");
        for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
            if (strcmp(scenarios[i].name, argv[1]) == 0) {
                scenarios[i].play(&g, (int)strtol(argv[2], NULL, 10));
                found = true;
            }
        }
        EXPECT(found);
        CHECK(xrDestroyInstance(g.instance));
    }
    printf("{\"allocations\":%lu}\n", allocations);
    return 0;
}
