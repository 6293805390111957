/* clashd's command line: what is right is taken, what is wrong is named with what was expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <string.h>

#include "cli/flags.h"
#include "config/options.h"
#include "support/fresh.h"

#define WORDS_MAX 16

/* getopt_long moves the words, so each run has its own array. NULL ends the list. */
static int parse(const char *const *words, config_options *out_options, failure *out_failure)
{
    char *argv[WORDS_MAX + 2] = {(char *)(uintptr_t) "clashd"};
    int argc = 1;

    while (words[argc - 1]) {
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
        argc++;
    }
    return config_options_parse(argc, argv, out_options, fresh(out_failure));
}

#define PARSE(options, ...) parse((const char *const[]){__VA_ARGS__, NULL}, (options), &error)

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

static void nothing_given_gives_the_defaults(void **state)
{
    failure error = {0};
    config_options options;

    (void)state;
    assert_int_equal(parse((const char *const[]){NULL}, &options, &error), 0);
    assert_int_equal(options.action, CONFIG_RUN);
    assert_int_equal(options.source, CONFIG_SOURCE_DEFAULT);
    assert_null(options.config_path);
    assert_null(options.socket_path);
    assert_null(options.record_path);
    assert_true(options.speed == 1.0);
    assert_true(options.rate_hz == 0.0);
    assert_false(options.level.is_given);
    assert_false(options.wait_for_client);
    assert_false(options.exit_at_end);
}

static void every_option_is_taken(void **state)
{
    failure error = {0};
    config_options options;

    (void)state;
    assert_int_equal(PARSE(&options, "--config", "c.json", "--socket=/s", "--source", "replay:a:b.jsonl", "--speed",
                           "2.5", "--record", "r.jsonl", "--log-level", "debug", "--wait-for-client", "--exit-at-end"),
                     0);
    assert_string_equal(options.config_path, "c.json");
    assert_string_equal(options.socket_path, "/s");
    assert_int_equal(options.source, CONFIG_SOURCE_REPLAY);
    assert_string_equal(options.source_argument, "a:b.jsonl");
    assert_true(options.speed == 2.5);
    assert_string_equal(options.record_path, "r.jsonl");
    assert_false(options.overwrites);
    assert_true(options.level.is_given);
    assert_int_equal(options.level.is, LOG_LEVEL_DEBUG);
    assert_true(options.wait_for_client);
    assert_true(options.exit_at_end);
    assert_int_equal(PARSE(&options, "--source", "replay:x", "--speed", "max"), 0);
    assert_true(options.speed == 0.0);
    assert_int_equal(PARSE(&options, "--source", "openxr", "--rate", "90"), 0);
    assert_int_equal(options.source, CONFIG_SOURCE_OPENXR);
    assert_true(options.rate_hz == 90.0);
    assert_int_equal(PARSE(&options, "--overwrite", "--record", "r.jsonl"), 0);
    assert_true(options.overwrites);
    assert_int_equal(PARSE(&options, "--source", "none"), 0);
    assert_int_equal(options.source, CONFIG_SOURCE_NONE);
    assert_int_equal(PARSE(&options, "--check-config"), 0);
    assert_int_equal(options.action, CONFIG_CHECK);
    assert_int_equal(PARSE(&options, "--version"), 0);
    assert_int_equal(options.action, CONFIG_VERSION);
    assert_int_equal(PARSE(&options, "-h"), 0);
    assert_int_equal(options.action, CONFIG_HELP);
}

/* Each with what its message has to say: the option, the value, and what was expected. */
static const struct refusal {
    const char *words[4];
    const char *says[3];
} refusals[] = {
    {{"--speed", "fast", "--source=replay:x"}, {"--speed", "'fast'", "max"}},
    {{"--speed", "0", "--source=replay:x"}, {"--speed", "'0'", "0.001"}},
    {{"--speed", "-1", "--source=replay:x"}, {"--speed", "'-1'", "1000"}},
    {{"--speed", "1e999", "--source=replay:x"}, {"--speed", "'1e999'", "number"}},
    {{"--speed", "nan", "--source=replay:x"}, {"--speed", "'nan'", "number"}},
    {{"--speed", "2 ", "--source=replay:x"}, {"--speed", "'2 '", "number"}},
    {{"--rate", "0"}, {"--rate", "'0'", "2000"}},
    {{"--rate", "2001"}, {"--rate", "'2001'", "2000"}},
    {{"--source", "replay:"}, {"--source", "'replay:'", "replay:FILE"}},
    {{"--source", "steamvr"}, {"--source", "'steamvr'", "openxr, replay:FILE, "}},
    {{"--log-level", "loud"}, {"--log-level", "'loud'", "error, warning, info or debug"}},
    {{"--config", ""}, {"--config", "''", "path"}},
    {{"--record"}, {"--record", "needs a value", "FILE"}},
    {{"--sauce", "openxr"}, {"unknown", "--sauce", ""}},
    {{"-x"}, {"unknown", "-x", ""}},
    {{"--version=2"}, {"--version", "takes no value", ""}},
    {{"run"}, {"unexpected", "'run'", ""}},
    {{"--", "--version"}, {"unexpected", "'--version'", ""}},
    {{"--speed", "2"}, {"--speed", "--source replay:FILE", ""}},
    {{"--exit-at-end", "--source=openxr"}, {"--exit-at-end", "--source replay:FILE", ""}},
    {{"--overwrite"}, {"--overwrite", "--record FILE", ""}},
    {{"--wait-for-client"}, {"--wait-for-client", "--source replay:FILE", ""}},
    {{"--rate", "90", "--source=none"}, {"--rate", "--source openxr", ""}},
};

static void mistakes_are_named_with_what_was_expected(void **state)
{
    failure error = {0};
    config_options options;

    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (parse(refusals[i].words, &options, &error) == 0)
            fail_msg("%s %s was taken", refusals[i].words[0], refusals[i].words[1] ? refusals[i].words[1] : "");
        for (size_t j = 0; j < 3; j++)
            assert_contains(error.text, refusals[i].says[j]);
        assert_null(strchr(error.text, '\n'));
    }
}

static void numbers_are_whole_words(void **state)
{
    double number = 0.0;

    (void)state;
    assert_true(flags_parse_number("-2.5e1", &number));
    assert_true(number == -25.0);
    assert_false(flags_parse_number("", &number));
    assert_false(flags_parse_number("2x", &number));
    assert_false(flags_parse_number("inf", &number));
    assert_false(flags_parse_number("nan", &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_gives_the_defaults),
        cmocka_unit_test(every_option_is_taken),
        cmocka_unit_test(mistakes_are_named_with_what_was_expected),
        cmocka_unit_test(numbers_are_whole_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
