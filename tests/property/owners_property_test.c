/* Random histories of several clients, which define blades under the configuration's names and others, move them, remove
 * them, feed devices, end that and leave, in any order. At every moment a blade of the configuration is in the pipeline or
 * set aside, never both, never neither, and set aside only if a client's replaces it; a name is one blade's. When the last
 * client is gone there is what the configuration defines, exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fresh.h"
#include "support/push_bench.h"
#include "support/random.h"

#define CLIENTS 3
#define STEPS 60
#define CONFIGURED 4

static const struct {
    const char *name, *device;
} configured[CONFIGURED] = {
    {"left", "tracker"}, {"right", "/user/hand/right"}, {"rod", "/user/hand/right"}, {"post", "post"}};

static const char *const names[] = {"left", "right", "rod", "post", "own", "npc", "saber"};
static const char *const devices[] = {"tracker", "/user/hand/right", "post", "npc/0", "npc/1", "npc/2"};
static const int clients[CLIENTS] = {0, 1, 2};

typedef struct tallies {
    long taken, refused, set_aside, whole;
} tallies;

static bool is_client(const void *owner)
{
    return owner != scene_settings && owner != scene_recording;
}

/* Return why the configured blade may be set aside; NULL if nothing replaces it. */
static const char *replaced_by(const bench *b, size_t index)
{
    const pipeline_blade *same = pipeline_find_blade(b->pipeline, configured[index].name);
    const uint32_t device = pipeline_find_device(b->pipeline, configured[index].device);
    const pipeline_blade *blade;

    if (same && is_client(same->owner))
        return "one of its name";
    for (size_t i = 0; (blade = pipeline_blade_at(b->pipeline, i)); i++)
        if (is_client(blade->owner) && blade->device == device)
            return "one on its device";
    return b->scene.games > 0 && b->scene.has_default_blades ? "a game" : NULL;
}

static void check(const bench *b, tallies *t)
{
    for (size_t i = 0; i < CONFIGURED; i++) {
        const pipeline_blade *blade = pipeline_find_blade(b->pipeline, configured[i].name);
        const bool is_there = blade && blade->owner == scene_settings;
        const bool is_aside = scene_is_displaced(&b->scene, configured[i].name);

        if (is_there == is_aside || is_aside != (replaced_by(b, i) != NULL))
            fail_msg("'%s' is %s and %s, and is replaced by %s", configured[i].name, is_there ? "there" : "not there",
                     is_aside ? "set aside" : "not set aside", replaced_by(b, i) ? replaced_by(b, i) : "nothing");
        if (is_there)
            assert_string_equal(pipeline_device_name(b->pipeline, blade->device), configured[i].device);
        t->set_aside += is_aside;
    }
}

static const char *any(random_state *r, const char *const *list, size_t count)
{
    return list[random_below(r, (int)count)];
}

static protocol_request feed_request(random_state *r)
{
    protocol_request request = {
        .type = PROTOCOL_REQUEST_FEED,
        .feed = {.source = random_below(r, 4) ? CLASH_SOURCE_GAME : CLASH_SOURCE_LAYER, .space = "game"}};

    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (random_below(r, 4) == 0)
            snprintf(request.feed.devices[request.feed.count++], PROTOCOL_NAME_MAX, "%s", devices[i]);
    return request;
}

static protocol_request any_request(random_state *r)
{
    const char *name = any(r, names, sizeof names / sizeof names[0]);
    const char *device = any(r, devices, sizeof devices / sizeof devices[0]);
    protocol_request request;

    switch (random_below(r, 5)) {
    case 0:
        return removal(name);
    case 1:
        return feed_request(r);
    case 2:
        return poses(device, 0);
    default:
        request = blade(name, device);
        request.blade.properties.is_body = random_below(r, 8) == 0;
        return request;
    }
}

static void leave(bench *b, const int *client, int64_t now_ns)
{
    while (push_client_goes(b->push, client, now_ns))
        continue;
}

static void one_step(bench *b, random_state *r, int64_t now_ns, tallies *t)
{
    const int *client = &clients[random_below(r, CLIENTS)];
    const protocol_request request = any_request(r);
    protocol_error error;

    if (random_below(r, 12) == 0)
        leave(b, client, now_ns);
    else if (push_request(b->push, client, &request, now_ns, &error) == 0)
        t->taken++;
    else
        t->refused++;
    if (random_below(r, 10) == 0)
        push_check_silence(b->push, now_ns);
    b->told[0] = '\0';
    check(b, t);
}

static void check_is_configuration(const bench *b, tallies *t)
{
    assert_null(b->scene.displaced);
    assert_int_equal(b->scene.games, 0);
    assert_int_equal(pipeline_blade_count(b->pipeline), CONFIGURED);
    assert_int_equal(pipeline_target_count(b->pipeline), 0);
    assert_int_equal(scene_count(&b->scene, scene_settings, false), CONFIGURED);
    for (uint32_t i = 0; i < pipeline_device_count(b->pipeline); i++) {
        assert_null(b->scene.devices[i].client);
        assert_true(!pipeline_device_name(b->pipeline, i) || scene_has_things(&b->scene, i));
    }
    check(b, t);
    t->whole++;
}

static void a_history(random_state *r, tallies *t)
{
    void *state;
    bench *b;
    protocol_error error;
    int64_t now_ns = MS;

    set_up(&state);
    b = state;
    for (size_t i = 1; i < CONFIGURED; i++) {
        const clash_blade one = {.name = configured[i].name,
                                 .device = configured[i].device,
                                 .properties.shape = {.tip = {0, 0, -1}, .radius = 0.02f}};

        assert_int_equal(scene_define_blade(&b->scene, scene_settings, EPOCH_NS, &one, &error), 0);
    }
    scene_set_default_blades(&b->scene, random_below(r, 2), EPOCH_NS);
    for (int i = 0; i < STEPS; i++, now_ns += 20 * MS)
        one_step(b, r, now_ns, t);
    for (int i = 0; i < CLIENTS; i++) {
        b->told[0] = '\0';
        leave(b, &clients[(i + STEPS) % CLIENTS], now_ns);
        check(b, t);
    }
    check_is_configuration(b, t);
    tear_down(&state);
}

static void what_clients_displace_comes_back(void **state)
{
    random_state r = {random_seed(26)};
    const long cases = random_cases(2000);
    tallies t = {0};

    (void)state;
    for (long i = 0; i < cases; i++)
        a_history(&r, &t);
    printf("%ld histories: %ld requests taken, %ld refused, %ld times set aside\n", t.whole, t.taken, t.refused,
           t.set_aside);
    assert_true(t.taken > random_enough(20000) && t.refused > random_enough(5000) &&
                t.set_aside > random_enough(20000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_clients_displace_comes_back)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
