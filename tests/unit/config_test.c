/* Settings: the defaults are those of the example file, what is right is taken, what is wrong is named by file, place and
 * key, and changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "config/fields.h"
#include "config/settings.h"

#include "support/config_fixture.h"
#include "support/fresh.h"
#include "support/temporary.h"

static void assert_osc(const config_osc *a, const config_osc *b)
{
    assert_true(a->receivers.count == 0 && a->avatars.count == 0 && a->hold[0] == '\0');
    assert_true(b->receivers.count == 0 && b->avatars.count == 0 && b->hold[0] == '\0');
    assert_string_equal(a->clash, b->clash);
    assert_string_equal(a->release, b->release);
    assert_string_equal(a->intensity, b->intensity);
    assert_string_equal(a->avatar, b->avatar);
    assert_true(a->rate_hz == b->rate_hz && a->pulse_ms == b->pulse_ms);
}

static void defaults_are_the_example_file(void **state)
{
    config_values defaults = make_defaults(), config = make_defaults();
    failure error = {0};

    (void)state;
    /* Everything different first, so that a key missing from the example is seen. */
    config.blade_count = 0;
    config.contact = (protocol_contact_settings){1, 1, 1, 1, 1, 1, false, PROTOCOL_INTENSITY_LINEAR, false};
    config.openxr = (config_openxr){false, 1, false, "local", 1, false, {.count = 1}};
    config.socket = (config_socket){.path = "x", .tcp = "1", .max_clients = 1, .queue_bytes = 1};
    config.record = (config_record){"x", 1, 1, false};
    config.osc = (config_osc){.receivers.count = 1, .avatars.count = 1, .hold = "x", .rate_hz = 1, .pulse_ms = 1};
    config.mqtt =
        (config_mqtt){.broker = "x", .player = "x", .poses = true, .offline = true, .tls = true, .key_file = "x"};
    if (config_load(&config, TEST_SOURCE "/systemd/config.example.json", fresh(&error)) != CONFIG_OK)
        fail_msg("%s", error.text);
    assert_int_equal(config.blade_count, defaults.blade_count);
    for (size_t i = 0; i < config.blade_count; i++) {
        const clash_blade_definition *a = &config.blades[i], *b = &defaults.blades[i];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->device, b->device);
        assert_memory_equal(&a->properties.shape, &b->properties.shape, sizeof a->properties.shape);
        assert_int_equal(a->properties.has_edge, b->properties.has_edge);
        assert_vector(a->properties.edge, b->properties.edge.x, b->properties.edge.y, b->properties.edge.z);
    }
    assert_true(config.contact.margin == 0.0f && config.contact.release_margin == 0.005f);
    assert_memory_equal(&config.contact, &defaults.contact, offsetof(protocol_contact_settings, require_tracked));
    assert_int_equal(config.contact.require_tracked, defaults.contact.require_tracked);
    assert_int_equal(config.contact.intensity_curve, defaults.contact.intensity_curve);
    assert_true(config.contact.gap_by_rate && defaults.contact.gap_by_rate);
    assert_true(config.openxr.enabled && config.openxr.haptics && config.openxr.rate_is_auto);
    assert_true(config.openxr.rate_hz == defaults.openxr.rate_hz && config.openxr.lookahead_ms == 0.0);
    assert_string_equal(config.openxr.space, defaults.openxr.space);
    assert_int_equal(config.openxr.offsets.count, defaults.openxr.offsets.count);
    assert_string_equal(config.socket.path, "");
    assert_int_equal(config.socket.max_clients, defaults.socket.max_clients);
    assert_int_equal(config.socket.queue_bytes, defaults.socket.queue_bytes);
    assert_string_equal(config.record.directory, "");
    assert_true(config.record.rotate_bytes == defaults.record.rotate_bytes);
    assert_int_equal(config.record.keep, defaults.record.keep);
    assert_true(config.record.compress);
    assert_osc(&config.osc, &defaults.osc);
    assert_memory_equal(&config.mqtt.poses, &defaults.mqtt.poses,
                        offsetof(config_mqtt, user) - offsetof(config_mqtt, poses));
    assert_string_equal(config.mqtt.room, defaults.mqtt.room);
    assert_true(!config.mqtt.broker[0] && !config.mqtt.player[0] && !config.mqtt.tls && !config.mqtt.key_file[0]);
}

static void what_is_left_out_stays_as_it_was(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(apply(&config, "{\"contact\":{\"margin\":0.25},\"openxr\":{\"space\":\"local\"}}", fresh(&error)),
                     CONFIG_OK);
    assert_true(config.contact.margin == 0.25f);
    assert_true(config.contact.release_margin == 0.005f);
    assert_string_equal(config.openxr.space, "local");
    assert_int_equal(config.blade_count, 2);
    assert_int_equal(apply(&config, "{}", fresh(&error)), CONFIG_OK);
    assert_true(config.contact.margin == 0.25f);
}

static void blades_are_replaced_as_a_whole(void **state)
{
    static const char text[] = "{\"blades\":[{\"name\":\"staff\",\"device\":\"/user/hand/left\",\"base\":[0,0,1],"
                               "\"tip\":[0,0,-1],\"radius\":0.02}]}";
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_true(config_can_clash(&config));
    if (apply(&config, text, fresh(&error)) != CONFIG_OK)
        fail_msg("%s", error.text);
    assert_int_equal(config.blade_count, 1);
    assert_string_equal(config.blades[0].name, "staff");
    assert_vector(config.blades[0].properties.shape.base, 0, 0, 1);
    assert_vector(config.blades[0].properties.shape.tip, 0, 0, -1);
    assert_true(config.blades[0].properties.shape.radius == 0.02f);
    assert_false(config.blades[0].properties.has_edge);
    assert_false(config_can_clash(&config));
}

#define BLADE(name) "{\"name\":\"" name "\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0,-1],\"radius\":0.01}"

/* Each with what its message has to say besides the origin. */
static const struct refusal {
    const char *text;
    const char *says[3];
} refusals[] = {
    {"", {":1:1:", "JSON", "ends"}},
    {"{\n  \"contact\": {\"margin\": 0.1,}\n}", {":2:29:", "JSON", "trailing comma"}},
    {"{\n\n\"contact\" 7}", {":3:11:", "JSON", "7"}},
    {"{contact:1}", {":1:2:", "double quotes", "contact:1}"}},
    {"{\"a\":[1,]}", {":1:9:", "trailing comma", "]}"}},
    {"{\"a\":1,}", {":1:8:", "trailing comma", "}"}},
    {"{\"a\":[1,2", {":1:10:", "JSON", "ends"}},
    {"{} {}", {":1:4:", "JSON", "{}"}},
    {"{\"a\"", {"JSON", "ends", ":1:5:"}},
    {"[]", {"object", "", ""}},
    {"{\n \"contct\":{}}", {":2:2:", "contct", "contact"}},
    {"{\"contact\":{\"magrin\":1}}", {":1:13:", "magrin", "margin"}},
    {"{\"contact\":{\"margin\":\"1\"}}", {"contact.margin", "number", "\"1\""}},
    {"{\"contact\":{\"margin\":-1}}", {"margin", "-1", "0"}},
    {"{\"contact\":{\"margin\":1e300}}", {"margin", "", ""}},
    {"{\"contact\":{\"margin\":1e999}}", {"margin", "", ""}},
    {"{\"contact\":{\"require_tracked\":1}}", {"contact.require_tracked", "true or false", "got 1"}},
    {"{\"contact\":{\"full_intensity_speed\":0}}", {"full_intensity_speed", "0", ""}},
    {"{\"contact\":{\"margin\":0,\"margin\":1}}", {":1:24:", "contact.margin", "twice"}},
    {"{\"openxr\":{\"space\":\"view\"}}", {"space", "stage", "local"}},
    {"{\"openxr\":{\"rate_hz\":0}}", {"rate_hz", "0", ""}},
    {"{\"openxr\":{\"rate_hz\":\"fast\"}}", {"rate_hz", "auto", "fast"}},
    {"{\"socket\":{\"max_clients\":1.5}}", {"max_clients", "integer", "1.5"}},
    {"{\"socket\":{\"tcp\":65536}}", {"socket.tcp", "65535", "string"}},
    {"{\"socket\":\n {\"tcp\":4000.5}}", {":2:3:", "socket.tcp", "integer"}},
    {"{\"socket\":{\"tcp\":\"localhost\"}}", {"socket.tcp", "'localhost'", "HOST:PORT"}},
    {"{\"socket\":{\"tcp\":\"example.org:80\"}}", {"socket.tcp", "'example.org:80'", "127.0.0.1:4717"}},
    {"{\"socket\":{\"tcp\":\"127.0.0.1:65536\"}}", {"socket.tcp", "65536", "65535"}},
    {"{\"socket\":{\"tcp\":\"0.0.0.0:4000\",\"require_token\":false}}",
     {"socket.require_token", "socket.tcp is 0.0.0.0:4000", "127.0.0.1"}},
    {"{\"socket\":{\"websocket\":\"[::]:4000\",\"require_token\":false}}",
     {"socket.require_token", "socket.websocket is [::]:4000", "127.0.0.1"}},
    {"{\"socket\":{\"websocket\":\"x\"}}", {"socket.websocket", "'x'", "HOST:PORT"}},
    {"{\"socket\":{\"allowed_origins\":[7]}}", {"socket.allowed_origins", "", ""}},
    {"{\"blades\":[" BLADE("a") ",\n" BLADE("a") "]}", {":2:2:", "'a'", "blades[0]"}},
    {"{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"base\":[0,0],\"tip\":[0,0,1],\"radius\":1}]}",
     {"blades", "base", "3"}},
    {"{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0,1]}]}", {"blades", "radius", ""}},
    {"{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0,1],\"radius\":-1}]}",
     {"blades", "radius", "-1"}},
    {"{\"blades\":[{\"name\":\"a\",\"device\":\"d\",\"base\":[0,0,0],\"tip\":[0,0,1],\"radius\":1,\n\"edge\":[0,0,0]}]"
     "}",
     {":2:1:", "edge", "length"}},
    /* names with dots, and those of settings within others; escapes, brackets and commas in strings */
    {"{\"contact\":{},\"blades\":[" BLADE(
         "a") ",\n{\"name\":\"a.b\",\"device\":\"}],{[\\\"\",\"base\":[0,0,0],\"tip\":[0,0,1],"
              "\"radius\":1,\n \"edge\":[0,0,0]}]}",
     {":3:2:", "blades.a.b.edge", "length"}},
};

/* Assert that a message begins with the file, a line and a column. */
static void assert_place(const char *message)
{
    const size_t length = strlen(ORIGIN ":");
    const char *at = strncmp(message, ORIGIN ":", length) == 0 ? message + length : "";
    const size_t line = strspn(at, "0123456789"), column = at[line] ? strspn(at + line + 1, "0123456789") : 0;

    if (line == 0 || column == 0 || at[line] != ':' || strncmp(at + line + 1 + column, ": ", 2) != 0)
        fail_msg("no line and column: %s", message);
}

static void mistakes_name_place_key_and_what_is_allowed(void **state)
{
    const config_values defaults = make_defaults();
    failure error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        config_values config = defaults;

        if (apply(&config, refusals[i].text, fresh(&error)) != CONFIG_BAD)
            fail_msg("%s was taken", refusals[i].text);
        assert_place(error.text);
        for (size_t j = 0; j < 3; j++)
            assert_contains(error.text, refusals[i].says[j]);
        assert_null(strchr(error.text, '\n'));
        assert_memory_equal(&config, &defaults, sizeof config);
    }
}

/* Whatever a key or an assignment holds, the message about it is one line. */
static void a_port_is_a_number_or_text(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(apply(&config, "{\"socket\":{\"tcp\":4717,\"websocket\":\"4718\"}}", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.socket.tcp, "4717");
    assert_int_equal(config_set(&config, "socket.websocket=4719", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.socket.websocket, "4719");
}

static void note_line(void *context, const char *line)
{
    char *said = context;
    const size_t used = strlen(said);

    snprintf(said + used, 1024 - used, "%s\n", line);
}

static void blades_without_extent_are_noticed(void **state)
{
    config_values config = make_defaults();
    failure error = {0};
    char said[1024] = "";

    (void)state;
    config_check_shapes(&config, note_line, said);
    assert_string_equal(said, "");
    assert_int_equal(
        apply(&config,
              "{\"blades\":[{\"name\":\"dot\",\"device\":\"d\",\"base\":[0,0,1],\"tip\":[0,0,1],\"radius\":0},"
              "{\"name\":\"ball\",\"device\":\"d\",\"base\":[0,0,1],\"tip\":[0,0,1],\"radius\":0.1},"
              "{\"name\":\"line\",\"device\":\"d\",\"base\":[0,0,1],\"tip\":[0,0,2],\"radius\":0},"
              "{\"name\":\"sword\",\"device\":\"d\",\"parts\":["
              "{\"name\":\"edge\",\"base\":[0,0,0],\"tip\":[0,0,1],\"radius\":0},"
              "{\"name\":\"gem\",\"base\":[0,0,1],\"tip\":[0,0,1],\"radius\":0}]}]}",
              fresh(&error)),
        CONFIG_OK);
    config_check_shapes(&config, note_line, said);
    assert_contains(said, "blades.dot: a point");
    assert_contains(said, "blades.sword, part gem: a point");
    assert_null(strstr(said, "ball"));
    assert_null(strstr(said, "line"));
    assert_null(strstr(said, "edge"));
}

static void messages_are_one_line(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(apply(&config, "{\"a\\nb\":1e999}", fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "a?b");
    assert_int_equal(config_set(&config, "contact.a\nb", fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "a?b");
}

static void recordings_have_their_directory(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_string_equal(config.record.directory, "");
    assert_int_equal(apply(&config, "{\"record\":{\"directory\":\"/tmp/x\",\"keep\":3}}", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.record.directory, "/tmp/x");
    assert_int_equal(config.record.keep, 3);
    assert_int_equal(apply(&config, "{\"record\":{\"directory\":null}}", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.record.directory, "");
}

static void single_settings_are_set(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(config_set(&config, "contact.release_margin=0.125", fresh(&error)), CONFIG_OK);
    assert_true(config.contact.release_margin == 0.125f);
    assert_int_equal(config_set(&config, "blades.left.tip=[0,0,-2]", fresh(&error)), CONFIG_OK);
    assert_int_equal(config_set(&config, "blades.left.radius=0.5", fresh(&error)), CONFIG_OK);
    assert_vector(config.blades[0].properties.shape.tip, 0, 0, -2);
    assert_true(config.blades[0].properties.shape.radius == 0.5f);
    assert_vector(config.blades[0].properties.shape.base, 0, 0, -0.05f);
    assert_true(config.blades[0].properties.has_edge);
    assert_vector(config.blades[1].properties.shape.tip, 0, 0, -1);
    assert_int_equal(config_set(&config, "openxr.space=local", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.openxr.space, "local");
    assert_int_equal(config_set(&config, "blades=[" BLADE("a.b") "]", fresh(&error)), CONFIG_OK);
    assert_int_equal(config.blade_count, 1);
    assert_int_equal(config_set(&config, "blades.a.b.radius=0.75", fresh(&error)), CONFIG_OK);
    assert_true(config.blades[0].properties.shape.radius == 0.75f);
}

static void wrong_single_settings_change_nothing(void **state)
{
    static const struct refusal wrong[] = {
        {"contact.margin", {"KEY=VALUE", "", ""}},
        {"=1", {"KEY=VALUE", "", ""}},
        {"contact.margin=", {"margin", "number", ""}},
        {"contact.margin=wide", {"margin", "number", ""}},
        {"contact.nothing=1", {"nothing", "margin", ""}},
        {"blades.middle.radius=1", {"middle", "left", "right"}},
        {"blades.left=1", {"blades.NAME.KEY", "", ""}},
        {"blades.left.radius=-1", {"radius", "-1", ""}},
        {"blades.left.name=right", {"right", "", ""}},
        {"blades.left.colour=red", {"colour", "radius", ""}},
        {"...=1", {"", "", ""}},
    };
    const config_values defaults = make_defaults();
    failure error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        config_values config = defaults;
        if (config_set(&config, wrong[i].text, fresh(&error)) != CONFIG_BAD)
            fail_msg("%s was taken", wrong[i].text);
        assert_true(error.text[0] != '\0');
        for (size_t j = 0; j < 3; j++)
            assert_contains(error.text, wrong[i].says[j]);
        assert_memory_equal(&config, &defaults, sizeof config);
    }
}

/* A number counts as it is; none, or null, leaves it to each device's rate; a recording that says nothing has 100 ms. */
static void gaps_go_by_rate_unless_a_number_is_given(void **state)
{
    config_values config = make_defaults(), other;
    recording_header *header = calloc(1, sizeof *header);
    failure error = {0};
    char key[64];

    (void)state;
    assert_non_null(header);
    assert_true(config_pipeline_settings(&config).gap_by_rate);
    assert_int_equal(config_pipeline_settings(&config).max_gap_ns, 100000000);
    assert_int_equal(config_set(&config, "contact.max_gap_ms=100", fresh(&error)), CONFIG_OK);
    assert_false(config_pipeline_settings(&config).gap_by_rate);
    other = make_defaults();
    assert_true(config_find_change(&config, &other, "contact", key, sizeof key));
    assert_string_equal(key, "contact.max_gap_ms");
    assert_int_equal(config_set(&config, "contact.max_gap_ms=2500.5", fresh(&error)), CONFIG_OK);
    assert_int_equal(config_pipeline_settings(&config).max_gap_ns, 2500500000);
    assert_int_equal(config_set(&config, "contact.max_gap_ms=null", fresh(&error)), CONFIG_OK);
    assert_false(config_find_change(&config, &other, "contact", key, sizeof key));
    assert_int_equal(config_apply_header(&config, ORIGIN, header, fresh(&error)), CONFIG_OK);
    assert_false(config_pipeline_settings(&config).gap_by_rate);
    assert_int_equal(config_pipeline_settings(&config).max_gap_ns, 100000000);
    header->has_settings = true;
    header->settings = make_defaults().contact;
    assert_int_equal(config_apply_header(&config, ORIGIN, header, fresh(&error)), CONFIG_OK);
    assert_true(config_pipeline_settings(&config).gap_by_rate);
    assert_int_equal(config_set(&config, "contact.max_gap_ms=0.5", fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "max_gap_ms: expected a number from 1 to 10000 or null, got 0.5");
    free(header);
}

static void a_header_lies_over_the_defaults(void **state)
{
    recording_header *header = calloc(1, sizeof *header);
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_non_null(header);
    assert_int_equal(config_apply_header(&config, ORIGIN, header, fresh(&error)), CONFIG_OK);
    assert_int_equal(config.blade_count, 2);
    assert_true(config.contact.release_margin == 0.005f);
    header->has_settings = true;
    header->settings = (protocol_contact_settings){.margin = 0.5f, .full_intensity_speed = 1.0f, .max_gap_ms = 7.0f};
    header->has_blades = true;
    header->blade_count = 1;
    header->blades[0] = (clash_blade_definition){.name = "n", .device = "d", .properties.shape = {.radius = 0.5f}};
    assert_int_equal(config_apply_header(&config, ORIGIN, header, fresh(&error)), CONFIG_OK);
    assert_int_equal(config.blade_count, 1);
    assert_string_equal(config.blades[0].name, "n");
    assert_true(config.blades[0].properties.shape.radius == 0.5f);
    assert_true(config.contact.margin == 0.5f);
    assert_true(config_pipeline_settings(&config).max_gap_ns == 7000000);
    free(header);
}

/* ---- files ---- */

static int make_home(void **state)
{
    static char home[64];

    snprintf(home, sizeof home, "/tmp/clashd-config-" TEMPORARY);
    if (!mkdtemp(home))
        return -1;
    *state = home;
    setenv("HOME", home, 1);
    return unsetenv("XDG_CONFIG_HOME");
}

static int remove_home(void **state)
{
    char command[256];

    snprintf(command, sizeof command, "rm -r %s", (char *)*state);
    return system(command);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void the_default_file_is_optional_and_a_named_one_is_not(void **state)
{
    const char *home = *state;
    config_settings *settings = malloc(sizeof *settings);
    config_options options = {0};
    failure error = {0};
    char path[512], command[512];

    assert_non_null(settings);
    assert_int_equal(config_settings_load(settings, &options, fresh(&error)), 0);
    assert_string_equal(settings->config_path, "");
    assert_int_equal(options.source, CONFIG_SOURCE_OPENXR);
    snprintf(path, sizeof path, "%s/.config/clashd/config.json", home);
    options = (config_options){.config_path = path};
    assert_int_equal(config_settings_load(settings, &options, fresh(&error)), -1);
    assert_contains(error.text, path);
    assert_contains(error.text, "No such file");
    snprintf(command, sizeof command, "mkdir -p %s/.config/clashd", home);
    assert_int_equal(system(command), 0);
    write_file(path, "{\"openxr\":{\"enabled\":false,\"space\":\"local\"},\"socket\":{\"path\":\"/s\"}}");
    options = (config_options){.rate_hz = 90.0};
    assert_int_equal(config_settings_load(settings, &options, fresh(&error)), 0);
    assert_string_equal(settings->config_path, path);
    assert_int_equal(options.source, CONFIG_SOURCE_NONE);
    assert_string_equal(settings->space, "local");
    assert_string_equal(settings->config.socket.path, "/s");
    assert_true(settings->config.openxr.rate_hz == 90.0);
    options = (config_options){.socket_path = "/other"};
    assert_int_equal(config_settings_load(settings, &options, fresh(&error)), 0);
    assert_string_equal(settings->config.socket.path, "/other");
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/nowhere", 1), 0);
    assert_int_equal(config_settings_load(settings, &options, fresh(&error)), 0);
    assert_string_equal(settings->config_path, "");
    free(settings);
}

static void files_that_cannot_be_are_refused(void **state)
{
    config_values config = make_defaults();
    failure error = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/zero.json", (char *)*state);
    write_file(path, "{}");
    assert_int_equal(config_load(&config, path, fresh(&error)), CONFIG_OK);
    {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite("{}\0{", 1, 4, file), 4);
        assert_int_equal(fclose(file), 0);
    }
    assert_int_equal(config_load(&config, path, fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, ":1:3:");
    assert_int_equal(config_load(&config, *state, fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "directory");
    assert_int_equal(truncate(path, (1 << 20) + 1), 0);
    assert_int_equal(config_load(&config, path, fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "is larger than 1 MiB");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(config_load(&config, path, fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "is no regular file");
    assert_int_equal(config_load(&config, "/dev/zero", fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "is no regular file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_example_file),
        cmocka_unit_test(what_is_left_out_stays_as_it_was),
        cmocka_unit_test(blades_are_replaced_as_a_whole),
        cmocka_unit_test(mistakes_name_place_key_and_what_is_allowed),
        cmocka_unit_test(a_port_is_a_number_or_text),
        cmocka_unit_test(blades_without_extent_are_noticed),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(recordings_have_their_directory),
        cmocka_unit_test(single_settings_are_set),
        cmocka_unit_test(wrong_single_settings_change_nothing),
        cmocka_unit_test(gaps_go_by_rate_unless_a_number_is_given),
        cmocka_unit_test(a_header_lies_over_the_defaults),
        cmocka_unit_test_setup_teardown(the_default_file_is_optional_and_a_named_one_is_not, make_home, remove_home),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_are_refused, make_home, remove_home),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
