/* One place for each text logged lately. A text that keeps coming is summed up at the end of each period, and starts
 * afresh only after a period without it. See limit.h. */
#include "limit.h"

#include <string.h>

static bool is_over(const log_limit_text *t, uint64_t now_ms)
{
    return now_ms - t->began_ms >= LOG_LIMIT_PERIOD_MS;
}

static log_limit_text *find(log_limit *l, log_level level, const char *message)
{
    for (size_t i = 0; i < LOG_LIMIT_TEXTS; i++) {
        log_limit_text *t = &l->texts[i];

        if (t->logged > 0 && t->level == level && strncmp(t->text, message, sizeof t->text - 1) == 0)
            return t;
    }
    return NULL;
}

/* Return a free place, or that of the oldest text with nothing left to report; NULL if there is none. */
static log_limit_text *make_room(log_limit *l)
{
    log_limit_text *oldest = NULL;

    for (size_t i = 0; i < LOG_LIMIT_TEXTS; i++) {
        log_limit_text *t = &l->texts[i];

        if (t->logged == 0)
            return t;
        if (t->left_out == 0 && (!oldest || t->began_ms < oldest->began_ms))
            oldest = t;
    }
    return oldest;
}

bool log_limit_pass(log_limit *l, uint64_t now_ms, log_level level, const char *message)
{
    log_limit_text *t = find(l, level, message);

    if (t && t->left_out == 0 && is_over(t, now_ms))
        t->logged = 0;
    if (t && t->logged >= LOG_LIMIT_AT_ONCE) {
        t->left_out++;
        return false;
    }
    if (!t || t->logged == 0) {
        t = t ? t : make_room(l);
        if (!t)
            return true;
        *t = (log_limit_text){.began_ms = now_ms, .level = level};
        snprintf(t->text, sizeof t->text, "%s", message);
    }
    t->logged++;
    return true;
}

bool log_limit_sum_up(log_limit *l, uint64_t now_ms, bool all, log_level *out_level, char *out_text, size_t size)
{
    for (size_t i = 0; i < LOG_LIMIT_TEXTS; i++) {
        log_limit_text *t = &l->texts[i];

        if (t->left_out == 0 || (!all && !is_over(t, now_ms)))
            continue;
        *out_level = t->level;
        snprintf(out_text, size, "%llu more like this in the last %.1f s: %s", (unsigned long long)t->left_out,
                 (double)(now_ms - t->began_ms) * 1e-3, t->text);
        t->left_out = 0;
        t->began_ms = now_ms;
        return true;
    }
    return false;
}
