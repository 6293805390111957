/* See room_guard.h. */
#include "room_guard.h"

static double filled(double tokens, int64_t passed_ns, double rate)
{
    const double more = tokens + (double)passed_ns * 1e-9 * rate;

    return more < rate ? more : rate;
}

bool room_guard_is_muted(const room_guard *g, int64_t now_ns)
{
    return g->mute_ns > 0 && now_ns < g->muted_until_ns;
}

bool room_guard_take(room_guard *g, size_t length, int64_t now_ns)
{
    if (room_guard_is_muted(g, now_ns))
        return false;
    if (!g->has_begun) {
        g->messages = ROOM_MESSAGES_HZ;
        g->bytes = ROOM_BYTES_HZ;
    } else if (now_ns > g->filled_ns) {
        g->messages = filled(g->messages, now_ns - g->filled_ns, ROOM_MESSAGES_HZ);
        g->bytes = filled(g->bytes, now_ns - g->filled_ns, ROOM_BYTES_HZ);
    }
    g->has_begun = true;
    g->filled_ns = now_ns;
    if (g->messages < 1.0 || g->bytes < (double)length)
        return false;
    g->messages -= 1.0;
    g->bytes -= (double)length;
    return true;
}

bool room_guard_refuse(room_guard *g, int64_t now_ns)
{
    if (g->refusals == 0 || now_ns - g->refusals_ns > ROOM_REFUSALS_NS) {
        g->refusals = 0;
        g->refusals_ns = now_ns;
    }
    if (++g->refusals < ROOM_REFUSALS_MAX)
        return false;
    g->refusals = 0;
    g->mute_ns = g->mute_ns == 0 ? ROOM_MUTE_NS : 2 * g->mute_ns < ROOM_MUTE_MAX_NS ? 2 * g->mute_ns : ROOM_MUTE_MAX_NS;
    g->muted_until_ns = now_ns + g->mute_ns;
    return true;
}
