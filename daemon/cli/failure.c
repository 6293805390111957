/* See failure.h. */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

bool fail_with(failure *f, const char *format, ...)
{
    va_list arguments;

    if (f->text[0])
        return false;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    return false;
}
