/* What the layer knows of the game's objects, and the mutex over it. Instances hold all that is theirs; a game has a few of
 * each, so they are looked up one by one. */
#include "layer.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static layer_instance *instances;

/** In a child, too: whichever thread of its parent had the mutex when that forked is not there to let go of it. */
static void make_mutex(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void make_first_mutex(void)
{
    make_mutex();
    pthread_atfork(NULL, NULL, make_mutex); /* if memory runs out: only a child that goes on with the session suffers */
}

bool layer_enter(void)
{
    pthread_once(&once, make_first_mutex);
    return pthread_mutex_lock(&mutex) == 0;
}

void layer_leave(bool entered)
{
    if (entered)
        pthread_mutex_unlock(&mutex);
}

layer_instance *layer_find_instance(XrInstance handle)
{
    layer_instance *i = instances;

    while (i && i->handle != handle)
        i = i->following;
    return i;
}

layer_session *layer_find_session(XrSession handle)
{
    for (layer_instance *i = instances; i; i = i->following)
        for (layer_session *s = i->sessions; s; s = s->following)
            if (s->handle == handle)
                return s;
    return NULL;
}

game_set *layer_find_set(XrActionSet handle, layer_instance **out_instance)
{
    for (*out_instance = instances; *out_instance; *out_instance = (*out_instance)->following)
        for (size_t i = 0; i < (*out_instance)->set_count; i++)
            if ((*out_instance)->sets[i].handle == handle)
                return &(*out_instance)->sets[i];
    return NULL;
}

game_action *layer_find_action(XrAction handle, layer_instance **out_instance)
{
    for (*out_instance = instances; *out_instance; *out_instance = (*out_instance)->following)
        for (size_t i = 0; i < (*out_instance)->action_count; i++)
            if ((*out_instance)->actions[i].handle == handle)
                return &(*out_instance)->actions[i];
    return NULL;
}

game_space *layer_find_space(XrSpace handle, layer_session **out_session)
{
    for (layer_instance *i = instances; i; i = i->following)
        for (*out_session = i->sessions; *out_session; *out_session = (*out_session)->following)
            for (size_t n = 0; n < (*out_session)->space_count; n++)
                if ((*out_session)->spaces[n].handle == handle)
                    return &(*out_session)->spaces[n];
    *out_session = NULL;
    return NULL;
}

const layer_next *layer_next_of(const layer_instance *instance)
{
    if (!instance)
        instance = instances;
    return instance ? &instance->next : NULL;
}

const layer_next *layer_next_of_instance(XrInstance handle)
{
    bool entered = layer_enter();
    const layer_next *next = layer_next_of(layer_find_instance(handle));

    layer_leave(entered);
    return next;
}

const layer_next *layer_next_of_session(XrSession handle)
{
    bool entered = layer_enter();
    const layer_session *session = layer_find_session(handle);
    const layer_next *next = layer_next_of(session ? session->instance : NULL);

    layer_leave(entered);
    return next;
}

void layer_add_instance(layer_instance *instance)
{
    instance->following = instances;
    instances = instance;
}

void layer_add_session(layer_instance *instance, XrSession handle, bool is_overlay)
{
    layer_session *session = calloc(1, sizeof *session);

    if (!session)
        return;
    session->handle = handle;
    session->instance = instance;
    session->is_overlay = is_overlay;
    session->following = instance->sessions;
    instance->sessions = session;
}

static void free_session(layer_session *session)
{
    feed_link_destroy(session->link);
    free(session->spaces);
    free(session);
}

void layer_forget_session(layer_session *session)
{
    layer_session **at = &session->instance->sessions;

    while (*at != session)
        at = &(*at)->following;
    *at = session->following;
    free_session(session);
}

static void free_input(own_input *input)
{
    for (size_t i = 0; i < input->count; i++)
        free(input->sets[i].grips.list);
    free(input);
}

void layer_forget_instance(layer_instance *instance)
{
    layer_instance **at = &instances;

    while (*at != instance)
        at = &(*at)->following;
    *at = instance->following;
    for (layer_session *session = instance->sessions, *following; session; session = following) {
        following = session->following;
        free_session(session);
    }
    for (own_input *input = instance->input, *older; input; input = older) {
        older = input->older;
        free_input(input);
    }
    for (size_t i = 0; i < instance->set_count; i++)
        free(instance->sets[i].grips.list);
    free(instance->sets);
    free(instance->actions);
    free(instance);
}

bool layer_grow(void **list, size_t count, size_t item_size)
{
    void *grown = *list;

    if ((count & (count - 1)) == 0) /* at 0 and every power of two: double the room */
        grown = reallocarray(*list, count ? 2 * count : 1, item_size);
    if (grown)
        *list = grown;
    return grown != NULL;
}

unsigned layer_grip_hands(const layer_instance *instance, XrPath binding)
{
    unsigned hands = 0;

    for (int hand = 0; hand < LAYER_HANDS; hand++)
        if (binding == instance->grips[hand] || binding == instance->grip_parents[hand])
            hands |= 1u << hand;
    return hands;
}

void grip_bindings_set(grip_bindings *bindings, XrPath profile, unsigned hands)
{
    void *list = bindings->list;

    for (size_t i = 0; i < bindings->count; i++) {
        if (bindings->list[i].profile == profile) {
            bindings->list[i].hands = hands;
            return;
        }
    }
    if (hands == 0 || !layer_grow(&list, bindings->count, sizeof *bindings->list))
        return;
    bindings->list = list;
    bindings->list[bindings->count++] = (grip_binding){profile, hands};
}

unsigned grip_bindings_get(const grip_bindings *bindings, XrPath profile)
{
    unsigned hands = 0;

    for (size_t i = 0; i < bindings->count; i++)
        if (profile == XR_NULL_PATH || bindings->list[i].profile == profile)
            hands |= bindings->list[i].hands;
    return hands;
}
