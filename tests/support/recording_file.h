/* A recording in a file of its own, made from a text, and what its reader reports. */
#ifndef TESTS_RECORDING_FILE_H
#define TESTS_RECORDING_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header needs these before it. */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protocol/recording/recording.h"
#include "support/fresh.h"
#include "support/temporary.h"

#define HEADER "{\"type\":\"recording\",\"version\":1,\"space\":\"stage\"}\n"
#define POSE "{\"device\":\"a\",\"position\":[1,2,3],\"orientation\":[0,0,0,1],\"tracked\":true"
#define POSES(time) "{\"type\":\"poses\",\"time_ns\":" #time ",\"poses\":[" POSE "}]}\n"

/* 8 characters, 32 bytes */
#define LONG_NAME                                                                      \
    "\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1" \
    "\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1\xf0\x9f\x97\xa1"
typedef struct recording_file {
    char path[64];
    char said[4096]; /* of damage: "LINE: MESSAGE\n" each */
    failure error;
    recording *recording;
    recording_item item;
} recording_file;

static inline void note_damage(void *context, uint64_t line_number, const char *message)
{
    recording_file *f = context;
    size_t length = strlen(f->said);

    snprintf(f->said + length, sizeof f->said - length, "%llu: %s\n", (unsigned long long)line_number, message);
}

static inline int recording_file_setup(void **state)
{
    recording_file *f = calloc(1, sizeof *f);
    int file;

    assert_non_null(f);
    strcpy(f->path, "/tmp/clashd-read-" TEMPORARY);
    file = mkstemp(f->path);
    assert_true(file >= 0);
    close(file);
    *state = f;
    return 0;
}

static inline int recording_file_teardown(void **state)
{
    recording_file *f = *state;

    recording_close(f->recording);
    unlink(f->path);
    free(f);
    return 0;
}

static inline void write_file(recording_file *f, const char *text, size_t length)
{
    FILE *file = fopen(f->path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    recording_close(f->recording);
    f->said[0] = f->error.text[0] = '\0';
    f->recording = recording_open(f->path, note_damage, f, fresh(&f->error));
}

static inline void open_text(recording_file *f, const char *text)
{
    write_file(f, text, strlen(text));
    if (!f->recording)
        fail_msg("%s", f->error.text);
}

/** The file's items as letters: p poses, l tracking lost, s space changed, b blade, t target, r remove, e event, q equipment, g gap, m mark. */
static inline const char *kinds(recording_file *f)
{
    static char letters[256];
    size_t count = 0;

    while (recording_next(f->recording, &f->item) != RECORDING_END) {
        assert_true(count < sizeof letters - 1);
        letters[count++] = "?plsbtreqgm"[f->item.kind];
    }
    letters[count] = '\0';
    return letters;
}

static inline void assert_counters(const recording_file *f, uint64_t lines, uint64_t is_damaged, uint64_t unknown,
                                   uint64_t torn)
{
    const recording_counters *c = recording_get_counters(f->recording);

    assert_int_equal(c->lines, lines);
    assert_int_equal(c->damaged, is_damaged);
    assert_int_equal(c->unknown, unknown);
    assert_int_equal(c->torn, torn);
}

#endif
