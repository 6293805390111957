/* What other players send: read, held against what is allowed, and taken or refused. See room.h. */
#include "room_private.h"

#include <stdio.h>
#include <string.h>

static bool is_wanted(const room *r, const room_player *p)
{
    for (size_t i = 0; i < r->player_count; i++)
        if (strcmp(r->players[i], p->name) == 0)
            return true;
    return r->player_count == 0;
}

/* Its blades come again with its first sample after that. */
static void mute(room *r, room_player *p, int64_t now_ns)
{
    LOG_WARNING(&r->user.log, "mqtt.room: %s sends what cannot be: it is not listened to for %lld s", p->name,
                (long long)(p->guard.mute_ns / 1000000000));
    if (p->current)
        r->user.gone(r->user.context, p, now_ns);
    p->is_away = true;
    p->waiting_count = 0;
    p->map.count = 0;
}

static void refuse(room *r, room_player *p, room_message_kind kind, const char *why, int64_t now_ns)
{
    static const char *const names[ROOM_MESSAGE_KINDS] = {"peer", "samples", "clock/ask", "clock/answer", "contact"};
    char text[700];

    p->counts.refused++;
    snprintf(text, sizeof text, "%s is refused: %.500s", names[kind], why);
    room_say_wrong(r, p, text);
    if (room_guard_refuse(&p->guard, now_ns))
        mute(r, p, now_ns);
}

static void take_peer(room *r, room_player *p, const room_message_peer *peer, int64_t now_ns)
{
    const bool is_new = !p->has_peer;

    if (room_player_take_peer(p, peer))
        room_void_blades(r, p, now_ns);
    if (is_new)
        LOG_INFO(&r->user.log, "mqtt.room: %s is here, with %zu blade%s", p->name, peer->blade_count,
                 peer->blade_count == 1 ? "" : "s");
    room_compare_settings(r, p);
    room_deliver(r, p, now_ns);
}

/* Accept other knots once, as after a sleep; repeated, they are a lie. */
static void take_samples(room *r, room_player *p, const room_message_samples *samples, int64_t now_ns)
{
    room_verdict verdict;
    failure why = {0};

    if (p->is_away)
        room_clear_player(r, p, now_ns);
    p->is_away = false;
    verdict = room_player_take(p, &r->clock, samples, now_ns, &why);
    if (verdict == ROOM_AGAIN && room_guard_refuse(&p->guard, now_ns)) {
        mute(r, p, now_ns);
        return;
    }
    if (verdict == ROOM_AGAIN) {
        room_clear_player(r, p, now_ns);
        verdict = room_player_take(p, &r->clock, samples, now_ns, &why);
    }
    if (verdict == ROOM_REFUSED)
        refuse(r, p, ROOM_MESSAGE_SAMPLES, why.text, now_ns);
    if (verdict != ROOM_TAKEN)
        return;
    p->is_silent = false;
    room_deliver(r, p, now_ns);
}

static void answer(room *r, const room_player *p, const room_message_clock *ask, int64_t now_ns)
{
    room_message_clock reply;
    size_t length;

    if (!room_clock_answer(&r->clock, ask, now_ns, now_ns, &reply))
        return;
    length = room_encode_clock_answer(r->line, sizeof r->line, &reply);
    r->user.publish(r->user.context, ROOM_MESSAGE_CLOCK_ANSWER, p->name, r->line, length - 1);
}

static void take_message(room *r, room_player *p, int64_t now_ns)
{
    const room_message *m = &r->message;
    const char *why;

    switch (m->kind) {
    case ROOM_MESSAGE_PEER:
        take_peer(r, p, &m->peer, now_ns);
        break;
    case ROOM_MESSAGE_SAMPLES:
        take_samples(r, p, &m->samples, now_ns);
        break;
    case ROOM_MESSAGE_CLOCK_ASK:
        answer(r, p, &m->clock, now_ns);
        break;
    case ROOM_MESSAGE_CLOCK_ANSWER:
        why = room_clock_answered(&r->clock, p->name, &m->clock, now_ns);
        if (why)
            refuse(r, p, m->kind, why, now_ns);
        break;
    case ROOM_MESSAGE_CONTACT:
        room_take_contact(r, p, &m->contact);
        break;
    case ROOM_MESSAGE_KINDS:
        break;
    }
}

/* Ignore a retained message of an earlier run. */
static bool is_own_name(room *r, const char *player, room_message_kind kind)
{
    if (strcmp(player, r->clock.name) != 0)
        return false;
    if (!r->has_said_name && kind == ROOM_MESSAGE_SAMPLES)
        LOG_WARNING(&r->user.log, "mqtt.player: there is another '%s' in the room", player);
    r->has_said_name |= kind == ROOM_MESSAGE_SAMPLES;
    return true;
}

void room_take(room *r, const char *player, room_message_kind kind, const char *text, size_t length, int64_t now_ns)
{
    room_player *p = is_own_name(r, player, kind) ? NULL : room_make_player(r, player);
    failure why = {0};

    if (!p)
        return;
    if (length == 0) { /* it takes back what was retained */
        if (kind == ROOM_MESSAGE_PEER)
            room_forget_player(r, p, now_ns);
        return;
    }
    if ((kind == ROOM_MESSAGE_SAMPLES || kind == ROOM_MESSAGE_CONTACT) && !is_wanted(r, p))
        return;
    if (!room_guard_take(&p->guard, length, now_ns)) {
        p->counts.over_rate++;
        return;
    }
    if (room_parse(kind, text, length, &r->message, &why) == 0)
        take_message(r, p, now_ns);
    else
        refuse(r, p, kind, why.text, now_ns);
}
