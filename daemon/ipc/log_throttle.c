/* Windows of time, each with its share of lines. See log_throttle.h. */
#include "log_throttle.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define TEXT_MAX 900

static bool may_say(refusals *r, uint64_t now_ms)
{
    if (now_ms - r->began_ms >= REFUSALS_WINDOW_MS) {
        r->began_ms = now_ms;
        r->said = 0;
    }
    if (r->said < REFUSALS_SAID_MAX) {
        r->said++;
        return true;
    }
    r->unsaid++;
    return false;
}

void refusals_say(refusals *r, const logger *log, uint64_t now_ms, const char *client, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list arguments;

    if (!may_say(r, now_ms))
        return;
    if (r->unsaid > 0)
        LOG_WARNING(log, "%llu more were refused before, too many to name", (unsigned long long)r->unsaid);
    r->unsaid = 0;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (client[0])
        logger_print_client(log, LOG_LEVEL_WARNING, client, "%s", text);
    else
        LOG_WARNING(log, "%s", text);
}
