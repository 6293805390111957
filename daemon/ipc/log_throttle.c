/* Fixed time windows, each with a limited number of lines. See log_throttle.h. */
#include "log_throttle.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define TEXT_MAX 900

static bool may_say(log_throttle *t, uint64_t now_ms)
{
    if (now_ms - t->began_ms >= LOG_THROTTLE_WINDOW_MS) {
        t->began_ms = now_ms;
        t->logged = 0;
    }
    if (t->logged < LOG_THROTTLE_MAX) {
        t->logged++;
        return true;
    }
    t->left_out++;
    return false;
}

void log_throttle_warn(log_throttle *t, const logger *log, uint64_t now_ms, const char *client, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list arguments;

    if (!may_say(t, now_ms))
        return;
    if (t->left_out > 0)
        LOG_WARNING(log, "%llu more were refused before, too many to name", (unsigned long long)t->left_out);
    t->left_out = 0;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (client[0])
        logger_print_client(log, LOG_LEVEL_WARNING, client, "%s", text);
    else
        LOG_WARNING(log, "%s", text);
}
