/* See failure.h. */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

static void note(failure *f, const char *format, va_list arguments)
{
    if (!f->text[0])
        vsnprintf(f->text, sizeof f->text, format, arguments);
}

bool fail_with(failure *f, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    note(f, format, arguments);
    va_end(arguments);
    return false;
}

int fail_int(failure *f, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    note(f, format, arguments);
    va_end(arguments);
    return -1;
}
