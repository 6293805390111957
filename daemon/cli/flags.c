/* Parse command lines by table; see flags.h. getopt_long splits them; its own messages are silenced, because they do
 * not say what was expected. */
#include "flags.h"

#include "nearest_word.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above any character, to tell rows from getopt's own '?' and ':'. */
#define ROW_BASE 256
#define COLUMN 28

/* Return the row of that name, or -1. */
static int find_row(const flag_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->flags[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void make_options(const flag_table *table, struct option out_options[FLAGS_MAX + 2])
{
    assert(table->count <= FLAGS_MAX);
    for (size_t i = 0; i < table->count; i++)
        out_options[i] = (struct option){
            .name = table->flags[i].name,
            .has_arg = table->flags[i].argument ? required_argument : no_argument,
            .val = ROW_BASE + (int)i,
        };
    out_options[table->count] =
        find_row(table, "version") < 0 ? (struct option){.name = "version", .val = 'V'} : (struct option){0};
    out_options[table->count + 1] = (struct option){0};
}

/* Describe a long flag that is none of the table's, or the beginning of several. */
static void describe_unknown(const flag_table *table, const char *word, failure *out_failure)
{
    char name[64], several[256] = "";
    nearest_word near;
    const size_t length = strcspn(word + 2, "=");

    snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
    for (size_t i = 0; i < table->count; i++) {
        const size_t used = strlen(several);

        if (length > 0 && strncmp(table->flags[i].name, name, length) == 0)
            snprintf(several + used, sizeof several - used, "%s--%s", used ? " or " : "", table->flags[i].name);
    }
    near = nearest_word_begin(name);
    for (size_t i = 0; i < table->count; i++)
        nearest_word_offer(&near, table->flags[i].name);
    if (several[0])
        fail_with(out_failure, "--%s may be %s: give it in full", name, several);
    else if (near.found)
        fail_with(out_failure, "unknown option --%s, is it --%s?", name, near.found);
    else
        fail_with(out_failure, "unknown option %s", word);
}

/* Describe what getopt_long refused: if optopt is a row, that flag was given a value it does not take. */
static void describe_refusal(const flag_table *table, char **argv, failure *out_failure)
{
    const char *word = argv[optind - 1];

    if (optopt >= ROW_BASE)
        fail_with(out_failure, "--%s takes no value, but was given one: %s", table->flags[optopt - ROW_BASE].name,
                  word);
    else if (optopt)
        fail_with(out_failure, "unknown option -%c: expected -h, -V, or one of the long options", optopt);
    else
        describe_unknown(table, word, out_failure);
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
    if (value && f->words)
        nearest_word_add(value, f->words, &expected);
    if (value)
        return fail_int(out_failure, "--%s '%s': %s", f->name, value, expected.text);
    return fail_int(out_failure, "--%s: %s", f->name, expected.text);
}

/* Return the row of a short option, or getopt's '?'. */
static int find_short(const flag_table *table, int option)
{
    const int row = find_row(table, option == 'h' ? "help" : "version");

    if (row >= 0)
        return ROW_BASE + row;
    optopt = option;
    return '?';
}

int flags_parse(const flag_table *table, int argc, char **argv, void *target, int *out_rest, failure *out_failure)
{
    struct option options[FLAGS_MAX + 2];
    int row;

    make_options(table, options);
    opterr = 0;
    optind = 0; /* glibc and musl: start again */
    while ((row = getopt_long(argc, argv, ":hV", options, NULL)) != -1) {
        if (row == 'V' && find_row(table, "version") < 0)
            return FLAGS_VERSION;
        if (row == 'h' || row == 'V')
            row = find_short(table, row);
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
