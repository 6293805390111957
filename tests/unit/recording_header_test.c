/* The first line of a recording: what it may say and leave out, and what is said of one that is wrong. */
#include "support/fresh.h"
#include "support/recording_file.h"

#include <cjson/cJSON.h>

static void a_short_header_has_defaults(void **state)
{
    recording_file *f = *state;
    const recording_header *h;

    open_text(f, HEADER);
    h = recording_get_header(f->recording);
    assert_int_equal(h->version, 1);
    assert_string_equal(h->space, "stage");
    assert_int_equal(h->epoch_monotonic_ns, 0);
    assert_int_equal(h->blade_count, 0);
    assert_false(h->has_settings);
    assert_true(h->settings.margin == 0.0f);
    assert_true(h->settings.release_margin == 0.005f);
    assert_true(h->settings.min_closing_speed == 0.0f);
    assert_true(h->settings.hold_rate_hz == 30.0f);
    assert_true(h->settings.max_gap_ms == 100.0f);
    assert_true(h->settings.require_tracked);
    assert_true(h->settings.full_intensity_speed == 10.0f);
    assert_string_equal(kinds(f), "");
    assert_counters(f, 1, 0, 0, 0);
}

static double default_of(const char *key)
{
    static char text[1 << 18];
    FILE *file = fopen(TEST_SOURCE "/protocol/schema/config.schema.json", "rb");
    const cJSON *value = NULL;
    cJSON *schema;
    double found;

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    schema = cJSON_Parse(text);
    value = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(schema, "properties"), "contact");
    value = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(value, "properties"), key);
    value = cJSON_GetObjectItemCaseSensitive(value, "default");
    assert_true(cJSON_IsNumber(value) || cJSON_IsBool(value));
    found = cJSON_IsNumber(value) ? value->valuedouble : cJSON_IsTrue(value);
    cJSON_Delete(schema);
    return found;
}

/** What a header leaves out is as in a configuration that leaves it out. */
static void defaults_are_the_configurations(void **state)
{
    recording_file *f = *state;
    const protocol_contact_settings *s;

    open_text(f, HEADER);
    s = &recording_get_header(f->recording)->settings;
    assert_true(s->margin == (float)default_of("margin"));
    assert_true(s->release_margin == (float)default_of("release_margin"));
    assert_true(s->min_closing_speed == (float)default_of("min_closing_speed"));
    assert_true(s->hold_rate_hz == (float)default_of("hold_rate_hz"));
    assert_true(s->max_gap_ms == 100.0f && !s->gap_by_rate);
    assert_int_equal(s->require_tracked, default_of("require_tracked") != 0.0);
}

/** Recordings of before there was a curve say the intensity again that they said. */
static void intensity_is_as_it_was(void **state)
{
    recording_file *f = *state;
    const protocol_contact_settings *s;

    open_text(f, "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"contact\":{}}\n");
    assert_true(recording_get_header(f->recording)->has_settings);
    s = &recording_get_header(f->recording)->settings;
    assert_true(s->full_intensity_speed == 10.0f && s->intensity_curve == PROTOCOL_INTENSITY_LINEAR);
    open_text(f, "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"contact\":{"
                 "\"full_intensity_speed\":3,\"intensity_curve\":\"linear\"}}\n");
    s = &recording_get_header(f->recording)->settings;
    assert_true(s->full_intensity_speed == 3.0f && s->intensity_curve == PROTOCOL_INTENSITY_LINEAR);
}

static void equipment_is_read_from_header_and_lines(void **state)
{
    recording_file *f = *state;
    const recording_equipment *e;

    open_text(f, "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"runtime\":\"R 1.2.3\",\"controllers\":[{"
                 "\"device\":\"/user/hand/left\",\"profile\":\"/interaction_profiles/a/b\"}]}\n"
                 "{\"type\":\"equipment\",\"time_ns\":5,\"runtime\":\"S 2\"}\n"
                 "{\"type\":\"equipment\",\"time_ns\":6,\"controllers\":[{\"device\":\"d\"}]}\n"
                 "{\"type\":\"equipment\",\"time_ns\":7,\"runtime\":\"\"}\n");
    e = &recording_get_header(f->recording)->equipment;
    assert_string_equal(e->runtime, "R 1.2.3");
    assert_int_equal(e->controller_count, 1);
    assert_string_equal(e->controllers[0].device, "/user/hand/left");
    assert_string_equal(e->controllers[0].profile, "/interaction_profiles/a/b");
    assert_int_equal(recording_next(f->recording, &f->item), RECORDING_EQUIPMENT);
    assert_int_equal(f->item.time_ns, 5);
    assert_string_equal(f->item.equipment.runtime, "S 2");
    assert_int_equal(f->item.equipment.controller_count, 0);
    assert_string_equal(kinds(f), "");
    assert_counters(f, 4, 2, 0, 0);
    assert_non_null(strstr(f->said, "profile"));
    assert_non_null(strstr(f->said, "runtime"));
    open_text(f, HEADER);
    assert_string_equal(recording_get_header(f->recording)->equipment.runtime, "");
}

static clash_sword make_sword(void)
{
    return (clash_sword){
        .part_count = 2,
        .capsule_count = 3,
        .parts = {{.name = "blade", .first = 0, .count = 2, .has_edge = true, .edge = {0, -1, 0.1f}},
                  {.name = "gu\"\xc3\xa4rd", .first = 2, .count = 1}},
        .capsules = {{{0, 0, -0.1f}, {0, 1e-7f, -0.5f}, 0.01f},
                     {{0, 1e-7f, -0.5f}, {0, 0.1f, -0.9f}, 0.01f},
                     {{-0.1f, 0, -0.1f}, {0.1f, 0, -0.1f}, 0.0125f}},
    };
}

static void check_sword(const clash_sword *found, const clash_sword *expected)
{
    assert_int_equal(found->part_count, expected ? expected->part_count : 0);
    assert_int_equal(found->capsule_count, expected ? expected->capsule_count : 0);
    for (uint32_t i = 0; i < found->part_count; i++) {
        const clash_sword_part *x = &found->parts[i], *y = &expected->parts[i];

        assert_string_equal(x->name, y->name);
        assert_true(x->first == y->first && x->count == y->count && x->has_edge == y->has_edge);
        assert_memory_equal(&x->edge, &y->edge, sizeof x->edge);
    }
    for (uint32_t i = 0; i < found->capsule_count; i++)
        assert_memory_equal(&found->capsules[i], &expected->capsules[i], sizeof found->capsules[i]);
}

/** What the encoder writes the reader reads, to the last bit. */
static void a_whole_header_comes_back(void **state)
{
    recording_file *f = *state;
    clash_sword sword = make_sword();
    const clash_blade blades[] = {
        {"left",
         "/user/hand/left",
         {.shape = {{0, 0.1f, -0.05f}, {0, 0, -1.1f}, 0.015f},
          .has_edge = true,
          .is_body = false,
          .edge = {0, -1, 0.3f}},
         NULL},
        {"\xc3\xa9p\xc3\xa9\x65 \"2\"",
         "/user/hand/right",
         {.shape = {{0, 0, 0}, {0, 0, -1e-30f}, 0.0f}, .has_edge = false, .is_body = true, .edge = {0, 0, 0}},
         NULL},
        {"sword",
         "/user/hand/right",
         {.shape = {{0, 0, -0.1f}, {0, 0.1f, -0.9f}, 0.01f}, .has_edge = true, .is_body = false, .edge = {0, -1, 0.1f}},
         &sword},
    };
    const protocol_contact_settings settings = {
        0.01f, 0.02f, 0.3f, 17.5f, 12.5f, 250.0f, false, PROTOCOL_INTENSITY_LOGARITHMIC, true};
    const protocol_session session = {.version = "0.1.0",
                                      .session = "abcd",
                                      .space = "local",
                                      .epoch_monotonic_ns = INT64_C(9223372036854775807),
                                      .epoch_unix_ns = INT64_C(1700000000123456789),
                                      .blades = blades,
                                      .blade_count = 3};
    char line[4096];
    size_t length = protocol_encode_recording_header(line, sizeof line, &session, &settings);
    const recording_header *h;

    assert_true(length > 0);
    write_file(f, line, length);
    assert_non_null(f->recording);
    h = recording_get_header(f->recording);
    assert_string_equal(h->space, "local");
    assert_true(h->epoch_monotonic_ns == INT64_C(9223372036854775807));
    assert_true(h->epoch_unix_ns == INT64_C(1700000000123456789));
    assert_int_equal(h->blade_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(h->blades[i].name, blades[i].name);
        assert_string_equal(h->blades[i].device, blades[i].device);
        assert_memory_equal(&h->blades[i].properties.shape, &blades[i].properties.shape,
                            sizeof blades[i].properties.shape);
        assert_int_equal(h->blades[i].properties.has_edge, blades[i].properties.has_edge);
        assert_int_equal(h->blades[i].properties.is_body, blades[i].properties.is_body);
        assert_memory_equal(&h->blades[i].properties.edge, &blades[i].properties.edge,
                            sizeof blades[i].properties.edge);
        check_sword(&h->blades[i].sword, blades[i].sword);
    }
    assert_true(h->has_settings);
    assert_true(h->settings.margin == 0.01f && h->settings.release_margin == 0.02f);
    assert_true(h->settings.min_closing_speed == 0.3f && h->settings.hold_rate_hz == 17.5f);
    assert_true(h->settings.full_intensity_speed == 12.5f && h->settings.max_gap_ms == 250.0f);
    assert_false(h->settings.require_tracked);
    assert_int_equal(h->settings.intensity_curve, PROTOCOL_INTENSITY_LOGARITHMIC);
    assert_true(h->settings.gap_by_rate);
}

#define BLADE(name, number) \
    "{\"name\":\"" name "\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0," number "],\"radius\":0.1}"
#define SWORD(parts) \
    "{\"name\":\"a\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0,1],\"radius\":0.1,\"parts\":[" parts "]}"

static void a_wrong_header_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"", ": is empty; expected a recording's header"},
        {"\n", ": line 1: "},
        {"torn", ": line 1: "},
        {"[]\n", ": line 1: expected a header, {\"type\":\"recording\",\"version\":1,..}"},
        {"7\n", "expected a header"},
        {POSES(1), ": line 1: expected a header"},
        {"{\"type\":\"recording\",\"version\":2,\"space\":\"stage\"}\n",
         "version 2 is newer than what is understood here, 1"},
        {"{\"type\":\"recording\",\"version\":1e300,\"space\":\"stage\"}\n",
         "is newer than what is understood here, 1"},
        {"{\"type\":\"recording\",\"version\":0,\"space\":\"stage\"}\n", "version: expected an integer of at least 1"},
        {"{\"type\":\"recording\",\"version\":0.5,\"space\":\"stage\"}\n", "version: expected an integer"},
        {"{\"type\":\"recording\",\"space\":\"stage\"}\n", "\"version\" is missing"},
        {"{\"type\":\"recording\",\"version\":1}\n", "\"space\" is missing"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"" LONG_NAME "\"}\n", "space: expected at most 31 bytes"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"epoch_unix_ns\":\"soon\"}\n",
         "epoch_unix_ns: expected nanoseconds as decimal digits in a string, got \"soon\""},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"epoch_unix_ns\":\"9223372036854775808\"}\n",
         "epoch_unix_ns: expected"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"epoch_unix_ns\":5}\n", "epoch_unix_ns: expected"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"contact\":{\"margin\":-1}}\n",
         "contact.margin: expected a number"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"blades\":[" BLADE("a", "1") "," BLADE(
             "b", "1e39") "]}\n",
         "blades[1].tip[2]: expected a number from -10000 to 10000"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"blades\":[" BLADE(LONG_NAME LONG_NAME,
                                                                                        "1") "]}\n",
         "a name of at most 63 bytes"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"blades\":[" SWORD("") "]}\n",
         "blades[0].parts: expected an array of 1 to 16"},
        {"{\"type\":\"recording\",\"version\":1,\"space\":\"stage\",\"blades\":[" SWORD(
             "{\"name\":\"p\",\"radius\":0.1,\"base\":[0,0,0]}") "]}\n",
         "blades[0].parts[0].base: expected either points, or base and tip"},
    };

    recording_file *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(f, cases[i][0], strlen(cases[i][0]));
        assert_null(f->recording);
        assert_memory_equal(f->error.text, f->path, strlen(f->path));
        if (!strstr(f->error.text, cases[i][1]))
            fail_msg("\"%s\" says nothing of \"%s\"", f->error.text, cases[i][1]);
    }
}

static void marks_and_empty_lines_are_passed_over(void **state)
{
    recording_file *f = *state;

    open_text(f, "\xef\xbb\xbf\r\n \t\n\n\xef\xbb\xbf" HEADER
                 "\n\xef\xbb\xbf" POSES(1) "  \n\xef\xbb\xbf\n" POSES(2) "\n \n");
    assert_string_equal(kinds(f), "pp");
    assert_int_equal(f->item.line_number, 9);
    assert_counters(f, 11, 0, 0, 0);
    assert_string_equal(f->said, "");
    assert_int_equal(recording_rewind(f->recording), 0);
    assert_string_equal(kinds(f), "pp");
    assert_counters(f, 11, 0, 0, 0);
    write_file(f, "\n\n", 2);
    assert_null(f->recording);
    assert_non_null(strstr(f->error.text, "expected a recording's header"));
}

static void what_cannot_be_opened_is_named(void **state)
{
    failure error = {0};

    (void)state;
    assert_null(recording_open("/tmp/there/is/none", NULL, NULL, fresh(&error)));
    assert_string_equal(error.text, "/tmp/there/is/none: No such file or directory");
    assert_null(recording_open("/tmp", NULL, NULL, fresh(&error)));
    assert_string_equal(error.text, "/tmp: Is a directory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, recording_file_setup, recording_file_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_short_header_has_defaults),    TEST(defaults_are_the_configurations),
        TEST(intensity_is_as_it_was),         TEST(a_whole_header_comes_back),
        TEST(a_wrong_header_is_refused),      TEST(equipment_is_read_from_header_and_lines),
        TEST(what_cannot_be_opened_is_named), TEST(marks_and_empty_lines_are_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
