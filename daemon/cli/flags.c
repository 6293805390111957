/* Parse command lines by table; see flags.h. getopt_long splits them; its own messages are silenced, because they do
 * not say what was expected. */
#include "flags.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above any character, to tell rows from getopt's own '?' and ':'. */
#define ROW_BASE 256
#define COLUMN 28

static void make_options(const flag_table *table, struct option out_options[FLAGS_MAX + 1])
{
    assert(table->count <= FLAGS_MAX);
    for (size_t i = 0; i < table->count; i++)
        out_options[i] = (struct option){
            .name = table->flags[i].name,
            .has_arg = table->flags[i].argument ? required_argument : no_argument,
            .val = ROW_BASE + (int)i,
        };
    out_options[table->count] = (struct option){0};
}

/* Describe what getopt_long refused: if optopt is a row, that flag was given a value it does not take. */
static void describe_refusal(const flag_table *table, char **argv, failure *out_failure)
{
    const char *word = argv[optind - 1];

    if (optopt >= ROW_BASE)
        fail_with(out_failure, "--%s takes no value, but was given one: %s", table->flags[optopt - ROW_BASE].name,
                  word);
    else if (optopt)
        fail_with(out_failure, "unknown option -%c: there are only long ones, and -h", optopt);
    else
        fail_with(out_failure, "unknown or ambiguous option %s", word);
}

static int set_number(const flag *f, const char *value, double *out, failure *out_expected)
{
    const bool or_max = f->type == FLAG_IS_NUMBER_OR_MAX;

    *out = 0.0;
    if ((or_max && strcmp(value, "max") == 0) ||
        (flags_parse_number(value, out) && *out >= f->least && *out <= f->most))
        return 0;
    return fail_int(out_expected, "expected a number from %g to %g%s", f->least, f->most, or_max ? ", or max" : "");
}

static int set(const flag *f, const char *value, void *member, failure *out_expected)
{
    switch (f->type) {
    case FLAG_IS_CHOICE:
        *(int *)member = (int)f->least;
        return 0;
    case FLAG_IS_SWITCH:
        *(bool *)member = true;
        return 0;
    case FLAG_IS_PATH:
        *(const char **)member = value;
        return value[0] ? 0 : fail_int(out_expected, "expected the path of a file");
    case FLAG_IS_TEXT:
        *(const char **)member = value;
        return 0;
    case FLAG_IS_NUMBER:
    case FLAG_IS_NUMBER_OR_MAX:
        return set_number(f, value, member, out_expected);
    case FLAG_IS_OTHER:
        break;
    }
    return f->set(member, value, out_expected);
}

static int apply(const flag *f, const char *value, void *target, failure *out_failure)
{
    failure expected = {0};

    if (set(f, value, (char *)target + f->offset, &expected) == 0)
        return 0;
    if (value)
        return fail_int(out_failure, "--%s '%s': %s", f->name, value, expected.text);
    return fail_int(out_failure, "--%s: %s", f->name, expected.text);
}

/* Treat -h, which everybody tries first, as the row "help" of any table that has one. */
static int find_help(const flag_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->flags[i].name, "help") == 0)
            return ROW_BASE + (int)i;
    optopt = 'h';
    return '?';
}

int flags_parse(const flag_table *table, int argc, char **argv, void *target, int *out_rest, failure *out_failure)
{
    struct option options[FLAGS_MAX + 1];
    int row;

    make_options(table, options);
    opterr = 0;
    optind = 0; /* glibc and musl: start again */
    while ((row = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (row == 'h')
            row = find_help(table);
        if (row == ':') {
            const flag *f = &table->flags[optopt - ROW_BASE];
            return fail_int(out_failure, "--%s needs a value: --%s %s", f->name, f->name, f->argument);
        }
        if (row < ROW_BASE) {
            describe_refusal(table, argv, out_failure);
            return -1;
        }
        if (apply(&table->flags[row - ROW_BASE], optarg, target, out_failure) < 0)
            return -1;
    }
    *out_rest = optind;
    return 0;
}

static void print_help_text(const char *text)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, COLUMN, "");
    printf("%s\n", text);
}

void flags_print(const flag_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const flag *f = &table->flags[i];
        int width = printf("  --%s%s%s", f->name, f->argument ? " " : "", f->argument ? f->argument : "");

        if (width > COLUMN - 2) {
            printf("\n");
            width = 0;
        }
        printf("%*s", COLUMN - width, "");
        print_help_text(f->help);
    }
}

bool flags_parse_number(const char *text, double *out_number)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(number))
        return false;
    *out_number = number;
    return true;
}
