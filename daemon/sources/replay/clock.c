/* The clock of a replay: see clock.h. */
#include "clock.h"

/* A recording's times may be any, so their differences need not fit an int64_t. */
static int64_t saturate(double ns)
{
    const double most = 9e18;

    return ns >= most ? INT64_MAX : ns <= -most ? INT64_MIN : (int64_t)ns;
}

void replay_clock_set(replay_clock *c, int64_t file_ns, uint64_t now_ns)
{
    c->file_ns = file_ns;
    c->wall_ns = now_ns;
}

int64_t replay_clock_now(const replay_clock *c, uint64_t now_ns)
{
    const double passed = now_ns > c->wall_ns ? (double)(now_ns - c->wall_ns) * c->speed : 0.0;

    if (c->is_paused || passed < 1.0)
        return c->file_ns;
    if (passed < 4e18 && c->file_ns < INT64_MAX / 2)
        return c->file_ns + (int64_t)passed;
    return saturate((double)c->file_ns + passed);
}

uint64_t replay_clock_due_ns(const replay_clock *c, int64_t file_ns)
{
    double after;

    if (c->is_paused)
        return UINT64_MAX;
    if (c->speed <= 0.0 || file_ns <= c->file_ns)
        return 0;
    after = (double)((uint64_t)file_ns - (uint64_t)c->file_ns) / c->speed;
    return after < 9e18 ? c->wall_ns + (uint64_t)after : UINT64_MAX;
}

void replay_clock_pause(replay_clock *c, uint64_t now_ns)
{
    replay_clock_set(c, replay_clock_now(c, now_ns), now_ns);
    c->is_paused = true;
}

void replay_clock_resume(replay_clock *c, uint64_t now_ns)
{
    if (c->is_paused)
        c->wall_ns = now_ns;
    c->is_paused = false;
}

void replay_clock_set_speed(replay_clock *c, double speed, uint64_t now_ns)
{
    replay_clock_set(c, replay_clock_now(c, now_ns), now_ns);
    c->speed = speed;
}

void replay_clock_stood(replay_clock *c, uint64_t since_ns, uint64_t now_ns)
{
    if (since_ns < c->wall_ns)
        since_ns = c->wall_ns;
    if (now_ns > since_ns)
        c->wall_ns += now_ns - since_ns;
}
