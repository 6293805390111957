/* See room_map.h. Within ROOM_KNOT_MAX_NS and ROOM_RATE_PPM no product below leaves 64 bits. */
#include "room_map.h"

#include <string.h>

#define MILLION 1000000
#define BILLION INT64_C(1000000000)
#define TIME_MAX (INT64_C(1) << 53)

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

static bool is_time(int64_t ns)
{
    return ns > -TIME_MAX && ns < TIME_MAX;
}

const char *room_map_check(const room_knot *knots, size_t count)
{
    if (count < 2 || count > ROOM_KNOTS_MAX)
        return "expected 2 to 16 knots";
    for (size_t i = 0; i < count; i++)
        if (!is_time(knots[i].session_ns) || !is_time(knots[i].room_ns))
            return "a time is out of range";
    for (size_t i = 1; i < count; i++) {
        const int64_t run = knots[i].session_ns - knots[i - 1].session_ns;
        const int64_t rise = knots[i].room_ns - knots[i - 1].room_ns;

        if (run <= 0 || run > ROOM_KNOT_MAX_NS)
            return "expected each knot after the one before, by a minute at most";
        if (rise <= 0 || (rise > run ? rise - run : run - rise) > run / MILLION * ROOM_RATE_PPM + ROOM_RATE_PPM)
            return "the room's time runs faster or slower than a clock does";
    }
    return NULL;
}

static int64_t bounded(int64_t ns)
{
    return ns > ROOM_KNOT_MAX_NS ? ROOM_KNOT_MAX_NS : ns < -ROOM_KNOT_MAX_NS ? -ROOM_KNOT_MAX_NS : ns;
}

/* Return where the line through the two is at x, rounded down: y0 + (x - x0) * (y1 - y0) / (x1 - x0). */
static int64_t on_line(int64_t x, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
    const int64_t run = x1 - x0, more = (y1 - y0) - run, after = bounded(x - x0);

    return y0 + after + divide_down(after * more, run);
}

int64_t room_map_forward(const room_map *m, int64_t session_ns)
{
    size_t i = m->count - 2;

    while (i > 0 && m->knots[i].session_ns > session_ns)
        i--;
    return on_line(session_ns, m->knots[i].session_ns, m->knots[i].room_ns, m->knots[i + 1].session_ns,
                   m->knots[i + 1].room_ns);
}

int64_t room_map_back(const room_map *m, int64_t room_ns)
{
    size_t i = m->count - 2;

    while (i > 0 && m->knots[i].room_ns > room_ns)
        i--;
    return on_line(room_ns, m->knots[i].room_ns, m->knots[i].session_ns, m->knots[i + 1].room_ns,
                   m->knots[i + 1].session_ns);
}

int64_t room_map_ahead(const room_map *m, int64_t session_ns)
{
    const room_knot *last = &m->knots[m->count - 1];

    return session_ns - last->session_ns > ROOM_KNOT_NS ? last->room_ns + (session_ns - last->session_ns)
                                                        : room_map_forward(m, session_ns);
}

static void add_knot(room_map *m, int64_t session_ns, int64_t room_ns)
{
    if (m->count == ROOM_KNOTS_MAX)
        memmove(m->knots, m->knots + 1, --m->count * sizeof m->knots[0]);
    m->knots[m->count++] = (room_knot){session_ns, room_ns};
}

static int64_t drifted(int64_t ns, int64_t drift_ppb)
{
    return divide_down(bounded(ns) / 1000 * drift_ppb, BILLION / 1000);
}

void room_map_begin(room_map *m, int64_t now_ns, int64_t offset_ns, int64_t drift_ppb)
{
    m->count = 0;
    for (int64_t after = -4; after <= 2; after++) {
        const int64_t at_ns = now_ns + after * ROOM_KNOT_NS;

        add_knot(m, at_ns, at_ns + offset_ns + drifted(at_ns - now_ns, drift_ppb));
    }
}

void room_map_extend(room_map *m, int64_t now_ns, int64_t offset_ns, int64_t drift_ppb)
{
    const int64_t slew = ROOM_KNOT_NS / MILLION * ROOM_SLEW_PPM;

    while (m->knots[m->count - 1].session_ns < now_ns + ROOM_KNOT_NS) {
        const room_knot last = m->knots[m->count - 1];
        const int64_t at_ns = last.session_ns + ROOM_KNOT_NS;
        int64_t more = at_ns + offset_ns + drifted(at_ns - now_ns, drift_ppb) - (last.room_ns + ROOM_KNOT_NS);

        more = more > slew ? slew : more < -slew ? -slew : more;
        add_knot(m, at_ns, last.room_ns + ROOM_KNOT_NS + more);
    }
}

bool room_map_agrees(const room_map *m, const room_map *other)
{
    int64_t off_ns;

    for (size_t i = 0; i < m->count; i++)
        for (size_t j = 0; j < other->count; j++)
            if (m->knots[i].session_ns == other->knots[j].session_ns && m->knots[i].room_ns != other->knots[j].room_ns)
                return false;
    off_ns = room_map_forward(m, other->knots[0].session_ns) - other->knots[0].room_ns;
    return off_ns <= ROOM_LEAP_NS && off_ns >= -ROOM_LEAP_NS;
}

void room_map_cut(const room_map *m, int64_t from_ns, int64_t to_ns, room_map *out)
{
    size_t first = 0, last = m->count - 1;

    while (first + 2 < m->count && m->knots[first + 1].session_ns <= from_ns)
        first++;
    while (last > first + 1 && m->knots[last - 1].session_ns >= to_ns)
        last--;
    out->count = last - first + 1;
    memcpy(out->knots, m->knots + first, out->count * sizeof m->knots[0]);
}
