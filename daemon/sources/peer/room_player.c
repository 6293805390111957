/* See room_player.h. */
#include "room_player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

room_player *room_player_create(const char *name)
{
    room_player *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->waiting = malloc(ROOM_WAITING_MAX * sizeof *p->waiting);
    if (!p->waiting) {
        free(p);
        return NULL;
    }
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static void drop_version(room_player *p)
{
    free(p->versions[0]);
    memmove(p->versions, p->versions + 1, --p->version_count * sizeof(void *));
}

void room_player_void(room_player *p)
{
    while (p->version_count > 0)
        drop_version(p);
    p->waiting_count = 0;
    memset(&p->agree, 0, sizeof p->agree);
    p->has_next = false;
    p->map.count = 0;
    p->clock[0] = '\0';
}

void room_player_destroy(room_player *p)
{
    if (!p)
        return;
    room_player_void(p);
    free(p->current);
    free(p->waiting);
    free(p);
}

/* ---- who it is ---- */

bool room_player_take_peer(room_player *p, const room_message_peer *peer)
{
    const bool is_other = p->has_peer && strcmp(p->peer.session, peer->session) != 0;
    room_message_peer *kept;

    if (p->has_peer && !is_other && peer->version <= p->peer.version)
        return false; /* it came twice, or late */
    if (is_other)
        room_player_void(p);
    p->peer = *peer;
    p->has_peer = true;
    kept = malloc(sizeof *kept);
    if (!kept)
        return is_other;
    if (p->version_count == ROOM_VERSIONS_MAX)
        drop_version(p);
    *kept = *peer;
    p->versions[p->version_count++] = kept;
    return is_other;
}

void room_counts_add(room_counts *to, const room_counts *more)
{
    to->messages += more->messages;
    to->samples += more->samples;
    to->repeated += more->repeated;
    to->lost += more->lost;
    to->refused += more->refused;
    to->unplaced += more->unplaced;
    to->outside += more->outside;
    to->over_rate += more->over_rate;
}

/* ---- samples ---- */

/* Keep the knots that it has told, as far as there is room, so that a later message cannot say otherwise. */
static void keep_knots(room_player *p, const room_map *told)
{
    for (size_t i = 0; i < told->count; i++) {
        room_map *m = &p->map;

        if (m->count > 0 && told->knots[i].session_ns <= m->knots[m->count - 1].session_ns)
            continue;
        if (m->count == ROOM_KNOTS_MAX)
            memmove(m->knots, m->knots + 1, --m->count * sizeof m->knots[0]);
        m->knots[m->count++] = told->knots[i];
    }
}

static bool take_map(const room_message_samples *from, room_map *out, failure *why)
{
    const char *wrong;

    out->count = from->knot_count;
    for (size_t i = 0; i < from->knot_count && i < ROOM_KNOTS_MAX; i++)
        out->knots[i] = (room_knot){from->knots[i][0], from->knots[i][1]};
    wrong = room_map_check(out->knots, out->count);
    return wrong ? fail_with(why, "knots: %s", wrong) : true;
}

/* Return 0, with the time on this session's clock; 1 if the knots do not cover it. */
static int place(const room_clock *clock, const room_map *theirs, int64_t time_ns, int64_t *out_ns)
{
    if (time_ns < theirs->knots[0].session_ns || time_ns > theirs->knots[theirs->count - 1].session_ns)
        return 1;
    *out_ns = room_map_back(&clock->map, room_map_forward(theirs, time_ns));
    return 0;
}

static room_sample *waiting_at(const room_player *p, size_t i)
{
    return &p->waiting[(p->first_waiting + i) % ROOM_WAITING_MAX];
}

/* Put the sample among those that wait, in the order of their numbers: messages may overtake each other. */
static void keep_sample(room_player *p, const room_sample *sample)
{
    size_t at = p->waiting_count;

    while (at > 0 && waiting_at(p, at - 1)->number >= sample->number)
        at--;
    if (at < p->waiting_count && waiting_at(p, at)->number == sample->number) {
        p->counts.repeated++;
        return;
    }
    if (p->waiting_count == ROOM_WAITING_MAX) {
        room_player_drop(p);
        p->counts.lost++;
        at -= at > 0;
    }
    for (size_t i = p->waiting_count++; i > at; i--)
        *waiting_at(p, i) = *waiting_at(p, i - 1);
    *waiting_at(p, at) = *sample;
}

static bool is_in_bounds(const room_clock *clock, const room_map *theirs, const room_message_samples *from,
                         int64_t now_ns, failure *why)
{
    for (size_t i = 0; i < from->count; i++) {
        int64_t time_ns;

        if (place(clock, theirs, from->samples[i].time_ns, &time_ns) != 0)
            return fail_with(why, "samples: the knots do not cover the time %lld", (long long)from->samples[i].time_ns);
        if (time_ns > now_ns + ROOM_AHEAD_NS)
            return fail_with(why, "samples: %.1f ms in the future", (double)(time_ns - now_ns) * 1e-6);
    }
    return true;
}

static void take_new(room_player *p, const room_clock *clock, const room_map *theirs, const room_message_samples *from,
                     int64_t now_ns)
{
    if (!p->has_next)
        p->next_number = from->first;
    p->has_next = true;
    for (size_t i = 0; i < from->count; i++) {
        const uint64_t number = from->first + i;
        room_sample sample = {.number = number, .version = from->version, .arrived_ns = now_ns, .is = from->samples[i]};

        if (number < p->next_number) {
            p->counts.repeated++;
            continue;
        }
        sample.is_outside =
            place(clock, theirs, sample.is.time_ns, &sample.time_ns) != 0 || sample.time_ns < now_ns - ROOM_BEHIND_NS;
        if (!sample.is_outside)
            p->delay_ns = sample.time_ns < now_ns ? now_ns - sample.time_ns : 0;
        memcpy(sample.device, from->devices[sample.is.device], sizeof sample.device);
        keep_sample(p, &sample);
    }
}

room_verdict room_player_take(room_player *p, const room_clock *clock, const room_message_samples *from, int64_t now_ns,
                              failure *why)
{
    room_map theirs = {0};

    p->counts.messages++;
    if (!take_map(from, &theirs, why))
        return ROOM_REFUSED;
    if (!p->has_peer || strcmp(from->session, p->peer.session) != 0 || !room_clock_is_known(clock) ||
        strcmp(from->clock, clock->id) != 0) {
        p->counts.unplaced++;
        return ROOM_LEFT;
    }
    if (!is_in_bounds(clock, &theirs, from, now_ns, why))
        return ROOM_REFUSED;
    if (p->map.count > 0 && (strcmp(p->clock, from->clock) != 0 || !room_map_agrees(&p->map, &theirs))) {
        p->waiting_count = 0;
        p->map.count = 0;
        return ROOM_AGAIN;
    }
    memcpy(p->clock, from->clock, sizeof p->clock);
    keep_knots(p, &theirs);
    p->error_ns = from->error_ns;
    p->heard_ns = now_ns;
    take_new(p, clock, &theirs, from, now_ns);
    return ROOM_TAKEN;
}

const room_sample *room_player_next(room_player *p, int64_t now_ns, bool *out_begins)
{
    *out_begins = false;
    while (p->waiting_count > 0) {
        const room_sample *first = waiting_at(p, 0);

        if (first->number > p->next_number && now_ns - first->arrived_ns < ROOM_GAP_NS)
            return NULL;
        if (first->is_outside) {
            room_player_drop(p);
            p->counts.outside++;
            continue;
        }
        if (first->version > p->peer.version) {
            if (now_ns - first->arrived_ns < ROOM_WAIT_NS)
                return NULL;
            room_player_drop(p); /* its blades do not come */
            p->counts.unplaced++;
            continue;
        }
        if (p->version_count > 0 && p->versions[0]->from_sample <= first->number) {
            while (p->version_count > 1 && p->versions[1]->from_sample <= first->number)
                drop_version(p);
            *out_begins = true;
        }
        return first;
    }
    return NULL;
}

void room_player_drop(room_player *p)
{
    const uint64_t number = waiting_at(p, 0)->number;

    p->counts.lost += number - p->next_number;
    p->next_number = number + 1;
    p->first_waiting = (p->first_waiting + 1) % ROOM_WAITING_MAX;
    p->waiting_count--;
}

room_message_peer *room_player_begin(room_player *p)
{
    room_message_peer *before = p->current;

    p->current = p->versions[0];
    p->versions[0] = NULL;
    drop_version(p);
    return before;
}
