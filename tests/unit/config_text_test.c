/* Comments in settings, ~ and $VARIABLES in their paths, and the level of the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/expand.h"

#include "support/config_fixture.h"
#include "support/fresh.h"

#define PATH_SETTING(path) "{\"record\":{\"directory\":\"" path "\"}}"

static void comments_are_passed_over(void **state)
{
    static const char *const texts[] = {
        "// before\n{\"contact\":{\"margin\":0.25}}",
        "{\"contact\":{\"margin\":0.25}}// behind, without a newline",
        "{\"contact\":{\"margin\":0.25}}/**/",
        "{/* over\n * lines, with \" a quote */\"contact\":{//\n\"margin\" /*/ */: 0.25}}",
        "{\"contact\":{\"margin\":0.25 // \" an odd quote\r\n}} // /* that is none\n",
        "\xef\xbb\xbf/* behind a byte order mark */{\"contact\":{\"margin\":0.25}}",
        "{\"$schema\":\"https://example.org//not/a/comment\",\"contact\":{\"margin\":0.25}}",
        "{\"$schema\":\"a \\\" // b \\\\\",\"contact\":{\"margin\":0.25/* ** * / */}}",
    };
    failure error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        config_values config = make_defaults();

        if (apply(&config, texts[i], fresh(&error)) != CONFIG_OK)
            fail_msg("%s: %s", texts[i], error.text);
        assert_true(config.contact.margin == 0.25f);
    }
}

static void strings_keep_what_looks_like_a_comment(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(apply(&config, PATH_SETTING("/a//b/*c*/\\\\") " // off", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.record.directory, "/a//b/*c*/\\");
}

static void mistakes_among_comments_are_where_they_are(void **state)
{
    static const struct {
        const char *text;
        const char *says[2];
    } cases[] = {
        {"// one\n/* two\nthree */ {\"contact\": 7 8}", {":3:24:", "not JSON"}},
        {"{ /* a */ \"contact\": {\"margin\": x}}", {":1:33:", "x}}"}},
        {"{}\n  /* for ever\n", {":2:3:", "comment that does not end"}},
        {"{} /*/", {":1:4:", "comment that does not end"}},
        {"{\"contact\":{\"margin\":0.25}} / / two", {":1:29:", "/ / two"}},
        {"// nothing else", {"not JSON", "ends"}},
        {"{\"contact\":{\"margin\": /* no value */}}", {":1:37:", "not JSON"}},
        {"{\"contact\":{\"magrin\":1}} // key", {"magrin", "margin"}},
        {"# hash\n{}", {":1:1:", "# hash"}},
    };
    const config_values defaults = make_defaults();
    failure error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        config_values config = defaults;

        if (apply(&config, cases[i].text, fresh(&error)) != CONFIG_BAD)
            fail_msg("%s was taken", cases[i].text);
        for (size_t j = 0; j < 2; j++)
            assert_contains(error.text, cases[i].says[j]);
        assert_memory_equal(&config, &defaults, sizeof config);
    }
}

static void paths_are_expanded(void **state)
{
    static const char *const cases[][2] = {
        {"~", "/var/me1"},
        {"~/a", "/var/me1/a"},
        {"$HOME/a", "/var/me1/a"},
        {"${HOME}a", "/var/me1a"},
        {"/x/${DIR_1}$DIR_1/y", "/x/d$1d$1/y"},
        {"/a~/~", "/a~/~"},
        {"./~x", "./~x"},
        {"/price$$HOME", "/price$HOME"},
        {"plain", "plain"},
        {"", ""},
    };
    char out[64];
    failure error = {0};

    (void)state;
    assert_int_equal(setenv("HOME", "/var/me1", 1), 0);
    assert_int_equal(setenv("DIR_1", "d$1", 1), 0); /* which is not looked into again */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (config_expand_path(cases[i][0], out, sizeof out, fresh(&error)) != 0)
            fail_msg("%s: %s", cases[i][0], error.text);
        assert_string_equal(out, cases[i][1]);
    }
}

static void paths_that_lead_nowhere_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"$NOT_THERE/x", "NOT_THERE is not set"},
        {"/x/${NOT_THERE}", "NOT_THERE is not set"},
        {"$EMPTY/x", "EMPTY is empty"},
        {"/x$", "after $"},
        {"/x/$/y", "after $"},
        {"/x/$1", "after $"},
        {"/x/${HOME", "after $"},
        {"/x/${}", "after $"},
        {"/x/${HOME:-y}", "after $"},
        {"~you/x", "only ~/"},
        {"/0123456789abcdef", "too long: 15 bytes"},
        {"$HOME/9abcdef", "too long: 15 bytes"},
    };
    char out[16], name[200] = "$";
    failure error = {0};

    (void)state;
    assert_int_equal(setenv("HOME", "/var/me1", 1), 0);
    assert_int_equal(setenv("EMPTY", "", 1), 0);
    unsetenv("NOT_THERE");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (config_expand_path(cases[i][0], out, sizeof out, fresh(&error)) == 0)
            fail_msg("%s was taken as %s", cases[i][0], out);
        assert_contains(error.text, cases[i][1]);
    }
    memset(name + 1, 'A', sizeof name - 2);
    assert_int_equal(config_expand_path(name, out, sizeof out, fresh(&error)), -1);
    assert_contains(error.text, "name of a variable is too long");
    unsetenv("HOME");
    assert_int_equal(config_expand_path("~/x", out, sizeof out, fresh(&error)), -1);
    assert_contains(error.text, "HOME is not set");
}

static void settings_with_paths_expand_them(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(setenv("HOME", "/var/me1", 1), 0);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "/run/user/1", 1), 0);
    unsetenv("NOT_THERE");
    assert_int_equal(apply(&config, PATH_SETTING("~/swings"), fresh(&error)), CONFIG_OK);
    assert_string_equal(config.record.directory, "/var/me1/swings");
    assert_int_equal(config_set(&config, "socket.path=$XDG_RUNTIME_DIR/s", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.socket.path, "/run/user/1/s");
    assert_int_equal(apply(&config, PATH_SETTING("$NOT_THERE/swings"), fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, ":1:12: record.directory: the variable NOT_THERE is not set");
    assert_contains(error.text, "$NOT_THERE/swings");
    assert_int_equal(
        apply(&config, "{\"targets\":[{\"name\":\"t\",\"mesh\":{\"file\":\"$NOT_THERE/m.obj\"}}]}", fresh(&error)),
        CONFIG_BAD);
    assert_contains(error.text, "targets.t.mesh.file: the variable NOT_THERE is not set");
    assert_int_equal(
        apply(&config, "{\"targets\":[{\"name\":\"t\",\"mesh\":{\"file\":\"${HOME}/m.obj\"}}]}", fresh(&error)),
        CONFIG_BAD);
    assert_contains(error.text, "/var/me1/m.obj: No such file");
    /* No path: nothing is expanded. */
    assert_int_equal(config_set(&config, "socket.allowed_hosts=[\"$HOME\"]", fresh(&error)), CONFIG_OK);
    assert_string_equal(config.socket.allowed_hosts.names[0], "$HOME");
}

static void the_log_has_its_level(void **state)
{
    config_values config = make_defaults();
    failure error = {0};

    (void)state;
    assert_int_equal(config.log_level, LOG_LEVEL_INFO);
    assert_int_equal(apply(&config, "{\"log\":{\"level\":\"debug\"}}", fresh(&error)), CONFIG_OK);
    assert_int_equal(config.log_level, LOG_LEVEL_DEBUG);
    assert_int_equal(config_set(&config, "log.level=error", fresh(&error)), CONFIG_OK);
    assert_int_equal(config.log_level, LOG_LEVEL_ERROR);
    assert_int_equal(config_set(&config, "log.level=loud", fresh(&error)), CONFIG_BAD);
    assert_contains(error.text, "\"warning\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_are_passed_over),
        cmocka_unit_test(strings_keep_what_looks_like_a_comment),
        cmocka_unit_test(mistakes_among_comments_are_where_they_are),
        cmocka_unit_test(paths_are_expanded),
        cmocka_unit_test(paths_that_lead_nowhere_are_refused),
        cmocka_unit_test(settings_with_paths_expand_them),
        cmocka_unit_test(the_log_has_its_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
