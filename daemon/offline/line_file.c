/* See line_file.h. */
#include "line_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_standard_output(const line_file *f)
{
    return strcmp(f->name, LINE_FILE_STANDARD_OUTPUT) == 0;
}

static const char *name_of(const line_file *f)
{
    return is_standard_output(f) ? "standard output" : f->name;
}

int line_file_open(line_file *f, const char *name, bool is_compressed, failure *out_failure)
{
    const char *why = NULL;
    int error;

    record_file_init(&f->file);
    f->name = name;
    f->lines = 0;
    f->error = 0;
    f->length = 0;
    if (is_standard_output(f))
        error = record_file_adopt(&f->file, STDOUT_FILENO, is_compressed);
    else
        error = record_file_open_as(&f->file, name, true, is_compressed, &why);
    return error == 0 ? 0 : fail_int(out_failure, "%s: %s", name_of(f), why ? why : strerror(error));
}

static void flush(line_file *f)
{
    size_t taken;

    if (f->error == 0 && f->length > 0)
        f->error = record_file_write(&f->file, f->buffer, f->length, &taken);
    f->length = 0;
}

void line_file_write(line_file *f, const char *line, size_t length)
{
    if (f->length + length + 1 > sizeof f->buffer)
        flush(f);
    memcpy(f->buffer + f->length, line, length);
    f->length += length;
    f->buffer[f->length++] = '\n';
    f->lines++;
}

bool line_file_is_unread(const line_file *f)
{
    return f->error == EPIPE && is_standard_output(f);
}

int line_file_close(line_file *f, failure *out_failure)
{
    int error;

    flush(f);
    error = record_file_close(&f->file);
    if (f->error == 0)
        f->error = error;
    if (f->error == 0 || line_file_is_unread(f))
        return 0;
    return fail_int(out_failure, "%s: %s", name_of(f), strerror(f->error));
}

void line_file_remove(line_file *f)
{
    if (!is_standard_output(f))
        remove(f->name);
}

void line_file_finish(line_file *f)
{
    record_file_finish(&f->file);
}
