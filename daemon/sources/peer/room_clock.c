/* See room_clock.h. */
#include "room_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void room_clock_init(room_clock *c, const char *name, const char *session, bool is_referee)
{
    *c = (room_clock){.is_referee = is_referee};
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->session, sizeof c->session, "%s", session);
}

void room_clock_join(room_clock *c, bool is_joined, int64_t now_ns)
{
    c->is_joined = is_joined;
    c->joined_ns = now_ns;
    c->reference[0] = '\0';
    c->is_reference = false;
}

/* ---- whose clock it is ---- */

/* Return whether a comes before b: who has the room's time, then a referee, then the first by name. */
static bool comes_before(const room_candidate *a, const room_candidate *b)
{
    if ((a->clock[0] != '\0') != (b->clock[0] != '\0'))
        return a->clock[0] != '\0';
    if (a->is_referee != b->is_referee)
        return a->is_referee;
    return strcmp(a->name, b->name) < 0;
}

static const room_candidate *choose(const room_candidate *self, const room_candidate *others, size_t count,
                                    int64_t now_ns)
{
    const room_candidate *best = self;

    for (size_t i = 0; i < count; i++)
        if (now_ns >= others[i].passed_over->until_ns && comes_before(&others[i], best))
            best = &others[i];
    return best;
}

static void begin_map(room_clock *c, int64_t now_ns, int64_t offset_ns, int64_t drift_ppb)
{
    c->steps += c->map.count > 0;
    room_map_begin(&c->map, now_ns, offset_ns, drift_ppb);
}

/* Let the room's time go on as it was; if none is known, begin with this session's. */
static void be_reference(room_clock *c, int64_t now_ns)
{
    if (c->map.count == 0) {
        snprintf(c->id, sizeof c->id, "%s", c->session);
        begin_map(c, now_ns, 0, 0);
    }
    c->is_reference = true;
    c->reference[0] = '\0';
    c->estimate = (room_estimate){0};
    c->error_ns = c->bound_ns = 0;
    c->offset = (room_offset){.offset_ns = room_map_ahead(&c->map, now_ns) - now_ns};
}

/* What the one before has told goes on to count until this one answers, which may be never. */
static void ask_other(room_clock *c, const char *reference, int64_t now_ns)
{
    c->is_reference = false;
    if (strcmp(c->reference, reference) == 0)
        return;
    snprintf(c->reference, sizeof c->reference, "%s", reference);
    c->has_answered = false;
    c->leaps = 0;
    c->asked = 0;
    c->answered_ns = now_ns;
    c->first_ns = 0;
}

/* ---- the map ---- */

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

static void follow(room_clock *c, int64_t now_ns)
{
    int64_t off_ns;

    if (c->is_reference) {
        room_map_extend(&c->map, now_ns, c->offset.offset_ns, 0);
        return;
    }
    if (!room_estimate_at(&c->estimate, now_ns, &c->offset)) {
        if (c->map.count > 0) /* as it was, until more is known */
            room_map_extend(&c->map, now_ns, room_map_ahead(&c->map, now_ns) - now_ns, 0);
        return;
    }
    if (c->map.count == 0 && c->offset.error_ns > ROOM_SMALL_NS && now_ns - c->first_ns < ROOM_BEGIN_NS)
        return;
    off_ns = c->map.count > 0 ? distance(room_map_ahead(&c->map, now_ns) - now_ns, c->offset.offset_ns) : 0;
    if (c->map.count == 0 || off_ns > ROOM_STEP_NS + c->offset.error_ns) {
        begin_map(c, now_ns, c->offset.offset_ns, c->offset.drift_ppb);
        off_ns = 0;
    }
    room_map_extend(&c->map, now_ns, c->offset.offset_ns, c->offset.drift_ppb);
    c->error_ns = c->offset.error_ns + off_ns;
    c->bound_ns = c->offset.bound_ns + off_ns;
}

/* ---- questions ---- */

/* Return the pause: as short as it helps, and as the player whom all ask can bear. */
static int64_t between_questions(const room_clock *c)
{
    const bool is_good =
        c->map.count > 0 && c->estimate.count >= ROOM_QUESTIONS_MIN && c->offset.error_ns <= ROOM_SMALL_NS;
    const int64_t pause_ns = is_good ? ROOM_ASK_NS : c->asked < ROOM_ASK_FIRST ? ROOM_ASK_FIRST_NS : ROOM_ASK_MORE_NS;
    const int64_t shared_ns = pause_ns * (int64_t)(1 + c->others / ROOM_ASK_TOGETHER);

    return shared_ns < ROOM_ASK_NS ? shared_ns : ROOM_ASK_NS;
}

int64_t room_clock_pause(const room_clock *c)
{
    const int64_t pause_ns = c->reference[0] ? between_questions(c) : ROOM_ASK_MORE_NS;

    return pause_ns < ROOM_ASK_MORE_NS ? pause_ns : ROOM_ASK_MORE_NS;
}

/* Timers are not exact: a little early is on time. */
static bool is_due(const room_clock *c, int64_t now_ns)
{
    return c->asked == 0 || now_ns - c->asked_ns >= between_questions(c) / 10 * 9;
}

static bool ask(room_clock *c, int64_t now_ns, room_message_clock *out)
{
    if (!is_due(c, now_ns))
        return false;
    *out = (room_message_clock){.number = ++c->number, .sent_ns = now_ns};
    memcpy(out->session, c->session, sizeof out->session);
    c->asked++;
    c->asked_ns = now_ns;
    c->pending[c->number % ROOM_ASKED_MAX].number = c->number;
    c->pending[c->number % ROOM_ASKED_MAX].sent_ns = now_ns;
    return true;
}

static void pass_over(room_clock *c, room_passed_over *silent, int64_t now_ns)
{
    const bool is_first = silent->for_ns == 0 || now_ns - silent->until_ns > ROOM_PASSED_OVER_MAX_NS;
    const int64_t longer_ns = is_first ? ROOM_PASSED_OVER_NS : 2 * silent->for_ns;

    silent->for_ns = longer_ns < ROOM_PASSED_OVER_MAX_NS ? longer_ns : ROOM_PASSED_OVER_MAX_NS;
    silent->until_ns = now_ns + silent->for_ns;
    c->reference[0] = '\0';
}

/* Who stood still itself could hear nobody. */
static void leave_out_stall(room_clock *c, int64_t now_ns)
{
    if (now_ns - c->ticked_ns > ROOM_LISTEN_NS)
        c->answered_ns += now_ns - c->ticked_ns;
    c->ticked_ns = now_ns;
}

bool room_clock_tick(room_clock *c, const room_candidate *others, size_t count, int64_t now_ns,
                     room_message_clock *out_ask)
{
    const room_candidate self = {c->name, c->session, c->map.count > 0 ? c->id : "", c->is_referee, NULL};
    const room_candidate *best = choose(&self, others, count, now_ns);

    c->others = count;
    leave_out_stall(c, now_ns);
    if (c->is_joined && best != &self)
        ask_other(c, best->name, now_ns);
    else if (c->is_joined && !c->is_reference && now_ns - c->joined_ns >= ROOM_LISTEN_NS)
        be_reference(c, now_ns);
    follow(c, now_ns);
    if (!c->is_joined || best == &self)
        return false;
    if (now_ns - c->answered_ns > ROOM_SILENT_NS || c->leaps > ROOM_LEAPS_MAX) {
        pass_over(c, best->passed_over, now_ns);
        return false;
    }
    return ask(c, now_ns, out_ask);
}

static void count_leap(room_clock *c, int64_t now_ns)
{
    if (c->leaps == 0 || now_ns - c->leaps_ns > ROOM_LEAPS_NS) {
        c->leaps = 0;
        c->leaps_ns = now_ns;
    }
    c->leaps++;
}

/* What is known is of another clock, or of another time of the room. */
static bool begins_anew(room_clock *c, const char *clock)
{
    const bool is_leap = c->has_answered && strcmp(clock, c->id) != 0;

    if (!c->has_answered || is_leap)
        c->estimate = (room_estimate){0};
    c->has_answered = true;
    if (strcmp(clock, c->id) != 0) {
        snprintf(c->id, sizeof c->id, "%s", clock);
        c->steps += c->map.count > 0;
        c->map.count = 0;
    }
    return is_leap;
}

const char *room_clock_answered(room_clock *c, const char *player, const room_message_clock *answer, int64_t come_ns)
{
    const size_t at = answer->number % ROOM_ASKED_MAX;
    uint64_t known;
    bool is_leap;

    if (strcmp(answer->asked_by, c->session) != 0 || strcmp(player, c->reference) != 0)
        return NULL; /* to a question of long ago */
    if (answer->number == 0 || c->pending[at].number != answer->number)
        return NULL; /* doubled, or late */
    if (answer->sent_ns != c->pending[at].sent_ns)
        return "the question was sent at another time";
    c->pending[at].number = 0;
    if (!answer->clock[0])
        return "clock: expected a session";
    is_leap = begins_anew(c, answer->clock);
    known = c->estimate.count;
    if (!room_estimate_add(&c->estimate, answer->sent_ns, answer->received_ns, answer->answered_ns, come_ns))
        return "times that cannot be";
    if (is_leap || c->estimate.count <= known)
        count_leap(c, come_ns);
    c->answered_ns = come_ns;
    if (c->first_ns == 0)
        c->first_ns = come_ns;
    c->answered++;
    return NULL;
}

bool room_clock_answer(const room_clock *c, const room_message_clock *ask_of_other, int64_t come_ns, int64_t now_ns,
                       room_message_clock *out)
{
    if (c->map.count == 0)
        return false;
    *out = (room_message_clock){
        .number = ask_of_other->number,
        .sent_ns = ask_of_other->sent_ns,
        .received_ns = room_map_forward(&c->map, come_ns),
        .answered_ns = room_map_forward(&c->map, now_ns),
    };
    memcpy(out->session, c->session, sizeof out->session);
    memcpy(out->asked_by, ask_of_other->session, sizeof out->asked_by);
    memcpy(out->clock, c->id, sizeof out->clock);
    return true;
}
