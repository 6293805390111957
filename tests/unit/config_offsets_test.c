/* Settings: where swords lie in controllers (openxr.offsets). What is right is taken by OpenXR's names, what is wrong is named by
 * file, key and what was expected, and changes nothing. */
#include "support/config_fixture.h"
#include "support/fresh.h"

#include "config/fields.h"
#include "config/listing.h"

#define OFFSETS(text) "{\"openxr\":{\"offsets\":{" text "}}}"
#define INDEX "/interaction_profiles/valve/index_controller"

static const clash_pose *find(const config_values *config, const char *profile)
{
    for (size_t i = 0; i < config->openxr.offsets.count; i++)
        if (strcmp(config->openxr.offsets.offsets[i].profile, profile) == 0)
            return &config->openxr.offsets.offsets[i].grip_from_held;
    fail_msg("there is no %s", profile);
    return NULL;
}

static void assert_turn(const clash_pose *pose, float x, float y, float z, float w)
{
    const clash_quat q = pose->orientation;

    assert_true(q.x == x && q.y == y && q.z == z && q.w == w);
}

static void names_and_poses_are_taken(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(config.openxr.offsets.count, 0);
    assert_int_equal(apply(&config,
                           OFFSETS("\"index\":{\"position\":[1,2,-3],\"orientation\":[0,1,0,0]},"
                                   "\"touch\":{\"position\":[0,0,10000]}, \"wmr\":{\"orientation\":[0.5,0.5,0.5,0.5]},"
                                   "\"/interaction_profiles/varjo/xr-4_controller\":{}"),
                           fresh(&error)),
                     CONFIG_OK);
    assert_int_equal(config.openxr.offsets.count, 4);
    assert_vector(find(&config, INDEX)->position, 1, 2, -3);
    assert_turn(find(&config, INDEX), 0, 1, 0, 0);
    assert_vector(find(&config, "/interaction_profiles/oculus/touch_controller")->position, 0, 0, 10000);
    assert_turn(find(&config, "/interaction_profiles/oculus/touch_controller"), 0, 0, 0, 1);
    assert_vector(find(&config, "/interaction_profiles/microsoft/motion_controller")->position, 0, 0, 0);
    assert_turn(find(&config, "/interaction_profiles/microsoft/motion_controller"), 0.5f, 0.5f, 0.5f, 0.5f);
    assert_turn(find(&config, "/interaction_profiles/varjo/xr-4_controller"), 0, 0, 0, 1);
    /* Another document replaces all of them, and one without them none. */
    assert_int_equal(apply(&config, "{\"openxr\":{\"haptics\":false}}", fresh(&error)), CONFIG_OK);
    assert_int_equal(config.openxr.offsets.count, 4);
    assert_int_equal(config_set(&config, "openxr.offsets.vive.position=[0,0,-1]", fresh(&error)), CONFIG_OK);
    assert_int_equal(config.openxr.offsets.count, 1);
    assert_vector(find(&config, "/interaction_profiles/htc/vive_controller")->position, 0, 0, -1);
}

/* As clashctl calibrate --profile has them. */
static void defaults_are_where_controllers_end(void **state)
{
    static const struct {
        const char *name, *profile;
        float end;
    } known[] = {
        {"index", INDEX, -0.06f},
        {"touch", "/interaction_profiles/oculus/touch_controller", -0.06f},
        {"vive", "/interaction_profiles/htc/vive_controller", -0.12f},
        {"pico", "/interaction_profiles/bytedance/pico4_controller", -0.06f},
        {"wmr", "/interaction_profiles/microsoft/motion_controller", -0.06f},
        {"simple", "/interaction_profiles/khr/simple_controller", -0.05f},
    };
    failure error = {0};
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int by_profile = 0; by_profile < 2; by_profile++) {
            config_values config = make_defaults();

            snprintf(text, sizeof text, OFFSETS("\"%s\":\"default\""), by_profile ? known[i].profile : known[i].name);
            assert_int_equal(apply(&config, text, fresh(&error)), CONFIG_OK);
            assert_int_equal(config.openxr.offsets.count, 1);
            assert_vector(find(&config, known[i].profile)->position, 0, 0, known[i].end);
            assert_turn(find(&config, known[i].profile), 0, 0, 0, 1);
        }
}

static void what_is_wrong_is_named_and_changes_nothing(void **state)
{
    static const struct {
        const char *text;
        const char *says[3];
    } wrong[] = {
        {OFFSETS("\"indx\":{}"), {": openxr.offsets.indx: expected index, touch, vive", INDEX, ""}},
        {OFFSETS("\"\":{}"), {"openxr.offsets.: expected index", "", ""}},
        {OFFSETS("\"/interaction_profiles/valve\":{}"), {"/valve: expected index", "", ""}},
        {OFFSETS("\"/interaction_profiles/valve/\":{}"), {"/valve/: expected index", "", ""}},
        {OFFSETS("\"/interaction_profiles//x\":{}"), {"expected index", "", ""}},
        {OFFSETS("\"/interaction_profiles/valve/a/b\":{}"), {"expected index", "", ""}},
        {OFFSETS("\"/interaction_profiles/valve/a\\\"b\":{}"), {"expected index", "", ""}},
        {OFFSETS("\"/interaction_profiles/valve/"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaa\":{}"),
         {"too long: 127 bytes", "", ""}},
        {OFFSETS("\"index\":{},\"" INDEX "\":{}"), {"openxr.offsets." INDEX ": given twice", "", ""}},
        {OFFSETS("\"index\":{\"orientation\":[0,0,0,0]}"), {"openxr.offsets.index.orientation", "unit length", ""}},
        {OFFSETS("\"index\":{\"orientation\":[0,0,0.2,1]}"), {"openxr.offsets.index.orientation", "unit length", ""}},
        {OFFSETS("\"index\":{\"orientation\":[0,0,1e300,1]}"),
         {"openxr.offsets.index.orientation[2]", "too large", ""}},
        {OFFSETS("\"index\":{\"orientation\":[0,0,1]}"), {"openxr.offsets.index.orientation", "4 numbers", ""}},
        {OFFSETS("\"index\":{\"position\":[0,0,10001]}"),
         {"openxr.offsets.index.position[2]", "-10000 to 10000", "10001"}},
        {OFFSETS("\"index\":{\"place\":[0,0,1]}"), {"openxr.offsets.index", "place", "position"}},
        {OFFSETS("\"index\":\"defualt\""), {"openxr.offsets.index: expected an object", "\"default\"", ""}},
        {OFFSETS("\"index\":\"none\""), {"openxr.offsets.index: expected an object", "none", ""}},
        {OFFSETS("\"in\\u0001dex\":null"), {"openxr.offsets[0]: expected an object", "null", ""}},
        {OFFSETS("\"index\":null"), {"openxr.offsets.index: expected an object", "null", ""}},
        {OFFSETS("\"/interaction_profiles/ml/ml2_controller\":\"default\""),
         {"ml2_controller: there is no \"default\"", "", ""}},
        {"{\"openxr\":{\"offsets\":[]}}", {"openxr.offsets: expected an object", "", ""}},
    };
    const config_values defaults = make_defaults();
    failure error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        config_values config = defaults;

        if (apply(&config, wrong[i].text, fresh(&error)) != CONFIG_BAD)
            fail_msg("%s was taken", wrong[i].text);
        for (size_t j = 0; j < 3; j++)
            assert_contains(error.text, wrong[i].says[j]);
        assert_memory_equal(&config, &defaults, sizeof config);
    }
}

static void as_many_as_there_is_room_for(void **state)
{
    config_values config = make_defaults();
    failure error = {0};
    char text[2048] = "{\"openxr\":{\"offsets\":{";
    size_t used = strlen(text);

    (void)state;
    for (int i = 0; i < POSE_OFFSETS_MAX; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s\"/interaction_profiles/a/%d\":{}", i ? "," : "", i);
    snprintf(text + used, sizeof text - used, "}}}");
    assert_int_equal(apply(&config, text, fresh(&error)), CONFIG_OK);
    assert_int_equal(config.openxr.offsets.count, POSE_OFFSETS_MAX);
    snprintf(text + used, sizeof text - used, ",\"index\":{}}}}");
    assert_int_equal(apply(&config, text, fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "openxr.offsets.index: one too many: at most 16");
}

static void changes_are_found_and_a_reload_takes_them(void **state)
{
    static const char *const others[] = {"index.position=[0,0,1]", "index.orientation=[0,0,1,0]", "vive={}"};
    config_values config = make_defaults(), other;
    failure error = {0};
    char text[128], key[64];

    (void)state;
    assert_int_equal(config_set(&config, "openxr.offsets.index={}", fresh(&error)), CONFIG_OK);
    other = config;
    assert_false(config_find_change(&config, &other, "openxr", key, sizeof key));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        other = config;
        snprintf(text, sizeof text, "openxr.offsets.%s", others[i]);
        assert_int_equal(config_set(&other, text, fresh(&error)), CONFIG_OK);
        assert_true(config_find_change(&config, &other, "openxr", key, sizeof key));
        assert_string_equal(key, "openxr.offsets");
        assert_false(config_find_fixed_change(&config, &other, key, sizeof key));
    }
}

/* With every list as long as it may be. */
static void the_listing_has_room_for_all(void **state)
{
    static config_listing listing;
    config_values config = make_defaults();
    config_names *const lists[] = {&config.socket.allowed_origins, &config.socket.allowed_hosts, &config.osc.receivers,
                                   &config.osc.avatars, &config.mqtt.players};

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        lists[i]->count = CONFIG_NAMES_MAX;
    config.blade_count = CONFIG_BLADES_MAX;
    config.target_count = CONFIG_TARGETS_MAX;
    config.openxr.offsets.count = POSE_OFFSETS_MAX;
    config.openxr.offsets.offsets[POSE_OFFSETS_MAX - 1].grip_from_held.position.x = 3;
    config_list(&config, &listing);
    assert_int_equal(listing.name_count, 5 * CONFIG_NAMES_MAX + CONFIG_BLADES_MAX + CONFIG_TARGETS_MAX);
    assert_true(listing.name_count <= sizeof listing.names / sizeof listing.names[0]);
    for (size_t i = 0; i < listing.count; i++)
        if (strcmp(listing.settings[i].key, "openxr.offsets") == 0) {
            assert_int_equal(listing.settings[i].pose_count, POSE_OFFSETS_MAX);
            assert_true(listing.settings[i].poses[POSE_OFFSETS_MAX - 1].pose.position.x == 3);
            return;
        }
    fail_msg("openxr.offsets is not listed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_poses_are_taken),
        cmocka_unit_test(defaults_are_where_controllers_end),
        cmocka_unit_test(what_is_wrong_is_named_and_changes_nothing),
        cmocka_unit_test(as_many_as_there_is_room_for),
        cmocka_unit_test(changes_are_found_and_a_reload_takes_them),
        cmocka_unit_test(the_listing_has_room_for_all),
    };

    return cmocka_run_group_tests_name("config offsets", tests, NULL, NULL);
}
