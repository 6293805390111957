/* tests/data/golden.txt: a line `name hash` for each stage that a golden test hashes. Each test reads only its own
 * lines, and writes them if CLASHD_GOLDEN is "update". */
#ifndef CLASHD_TESTS_GOLDEN_FILE_H
#define CLASHD_TESTS_GOLDEN_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_FILE TEST_DATA "/golden.txt"

enum { GOLDEN_LINE = 80, GOLDEN_LINES_MAX = 64 };

typedef struct golden_stage {
    const char *name;
    uint64_t (*hash)(void);
} golden_stage;

typedef struct golden_file {
    char lines[GOLDEN_LINES_MAX][GOLDEN_LINE];
    size_t count;
} golden_file;

static inline void golden_read(golden_file *f)
{
    FILE *file = fopen(GOLDEN_FILE, "r");

    f->count = 0;
    assert_non_null(file);
    while (f->count < GOLDEN_LINES_MAX && fgets(f->lines[f->count], GOLDEN_LINE, file))
        f->count++;
    fclose(file);
}

static inline void golden_write(const golden_file *f)
{
    FILE *file = fopen(GOLDEN_FILE, "w");

    assert_non_null(file);
    for (size_t i = 0; i < f->count; i++)
        fputs(f->lines[i], file);
    assert_int_equal(fclose(file), 0);
}

/** Return the stage's line; a new empty one at the end if it has none yet. */
static inline char *golden_line(golden_file *f, const char *name)
{
    size_t length = strlen(name), i = 0;

    while (i < f->count && !(strncmp(f->lines[i], name, length) == 0 && f->lines[i][length] == ' '))
        i++;
    assert_true(i < GOLDEN_LINES_MAX);
    if (i == f->count)
        f->lines[f->count++][0] = '\0';
    return f->lines[i];
}

/** Print every stage that differs from the file, with its hash; then fail. */
static inline void golden_check(const golden_stage *stages, size_t count)
{
    const char *wish = getenv("CLASHD_GOLDEN");
    golden_file file;
    size_t others = 0;

    golden_read(&file);
    for (size_t i = 0; i < count; i++) {
        char found[GOLDEN_LINE], *line = golden_line(&file, stages[i].name);

        snprintf(found, sizeof found, "%s %016llx\n", stages[i].name, (unsigned long long)stages[i].hash());
        if (strcmp(line, found) == 0)
            continue;
        print_error("other bits: %.*s, in " GOLDEN_FILE ": %.*s\n", (int)strcspn(found, "\n"), found,
                    (int)strcspn(line, "\n"), line);
        others++;
        memcpy(line, found, sizeof found);
    }
    if (wish && strcmp(wish, "update") == 0)
        golden_write(&file);
    else if (others)
        fail_msg("%zu of %zu stages have other bits (meant? CLASHD_GOLDEN=update writes them anew)", others, count);
}

#endif
