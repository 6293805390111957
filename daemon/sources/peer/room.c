/* A room's life, and what it shares: see room.h. room_others.c takes in. */
#include "room_place.h"
#include "room_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

room *room_create(const room_settings *settings, const room_user *user)
{
    room *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->user = *user;
    r->shares = settings->shares;
    r->is_referee = settings->is_referee;
    r->agree_ns = settings->agree_ns;
    r->room_from_stage = settings->room_from_stage;
    room_clock_init(&r->clock, settings->player, settings->session, settings->is_referee);
    r->players = calloc(settings->player_count + 1, sizeof *r->players);
    if (!r->players) {
        free(r);
        return NULL;
    }
    for (size_t i = 0; i < settings->player_count; i++)
        snprintf(r->players[i], sizeof r->players[i], "%s", settings->players[i]);
    r->player_count = settings->player_count;
    return r;
}

void room_destroy(room *r, int64_t now_ns)
{
    if (!r)
        return;
    while (r->others)
        room_forget_player(r, r->others, now_ns);
    free(r->players);
    free(r);
}

void room_join(room *r, bool is_joined, int64_t now_ns)
{
    room_clock_join(&r->clock, is_joined, now_ns);
    r->is_told = false;
    if (is_joined)
        room_on_blades(r);
    else
        while (r->others)
            room_forget_player(r, r->others, now_ns);
}

/* ---- who this is ---- */

void room_tell(room *r)
{
    size_t length;

    if (!r->clock.is_joined)
        return;
    memcpy(r->next.session, r->clock.session, sizeof r->next.session);
    memset(r->next.clock, 0, sizeof r->next.clock);
    if (room_clock_is_known(&r->clock))
        memcpy(r->next.clock, r->clock.id, sizeof r->next.clock);
    r->next.is_referee = r->is_referee;
    r->next.agrees = room_agrees(r);
    r->next.room_from_stage = r->room_from_stage;
    r->user.contact(r->user.context, &r->next.contact);
    r->next.version = r->own.version;
    r->next.from_sample = r->own.from_sample;
    if (!r->is_told || strcmp(r->next.clock, r->own.clock) != 0) {
        r->next.version = r->own.version + 1;
        r->next.from_sample = r->log.next;
        r->own = r->next;
        r->is_told = true;
        length = room_encode_peer(r->line, sizeof r->line, &r->own);
        if (length > 0)
            r->is_told = r->user.publish(r->user.context, ROOM_MESSAGE_PEER, NULL, r->line, length - 1);
        else
            LOG_WARNING(&r->user.log, "mqtt.share: these blades fit into no message: nobody sees them");
    }
}

static bool is_on_device(void *context, const char *device)
{
    const room_message_peer *own = &((const room *)context)->next;

    for (size_t i = 0; i < own->blade_count; i++)
        if (strcmp(own->blades[i].device, device) == 0)
            return true;
    return false;
}

static bool has_same_blades(const room_message_peer *a, const room_message_peer *b)
{
    bool is_same = a->blade_count == b->blade_count;

    for (size_t i = 0; is_same && i < a->blade_count; i++)
        is_same =
            strcmp(a->blades[i].name, b->blades[i].name) == 0 && clash_blade_is_same(&a->blades[i], &b->blades[i]);
    return is_same;
}

void room_on_blades(room *r)
{
    r->next.blade_count = r->shares ? r->user.own_blades(r->user.context, r->next.blades, ROOM_MESSAGE_BLADES_MAX) : 0;
    if (!has_same_blades(&r->next, &r->own))
        r->is_told = false;
    room_log_keep(&r->log, is_on_device, r);
    room_tell(r);
}

void room_move(room *r, const clash_pose *room_from_stage, int64_t now_ns)
{
    if (!room_pose_is_same(&r->room_from_stage, room_from_stage)) {
        r->room_from_stage = *room_from_stage;
        for (room_player *p = r->others; p; p = p->next)
            room_clear_player(r, p, now_ns);
    }
    for (room_player *p = r->others; p; p = p->next)
        room_compare_settings(r, p);
    r->is_told = false;
    room_on_blades(r);
}

/* ---- what it shares ---- */

static void want_flush(room *r, int64_t now_ns)
{
    const int64_t left_ns = r->sent_ns + ROOM_SHARE_NS - now_ns;

    if (r->clock.is_joined && room_log_has_new(&r->log))
        r->user.flush_in(r->user.context, left_ns > 0 && left_ns < ROOM_SHARE_NS ? (uint64_t)left_ns / 1000000 : 0);
}

void room_on_frame(room *r, const pose_frame *frame, const device_names *names, int64_t epoch_ns, int64_t now_ns)
{
    if (r->next.blade_count == 0 || frame->time_ns - epoch_ns > now_ns + ROOM_AHEAD_NS)
        return; /* a replay that runs faster than time can meet nobody */
    for (uint32_t i = 0; i < frame->count && i < POSE_FRAME_SAMPLES_MAX; i++) {
        const char *name = names->name(names->context, frame->samples[i].device);

        if (name && is_on_device(r, name))
            room_log_add(&r->log, name, frame->time_ns - epoch_ns, &frame->samples[i]);
    }
    if (!frame->more)
        want_flush(r, now_ns);
}

void room_on_event(room *r, const clash_event *event, int64_t epoch_ns, int64_t now_ns)
{
    if (event->kind == CLASH_EVENT_TRACKING && !event->as.tracking.tracked)
        room_log_cut(&r->log, event->as.tracking.device, event->time_ns - epoch_ns);
    else if (event->kind == CLASH_EVENT_SPACE_CHANGED && event->as.space_changed.source == CLASH_SOURCE_NONE)
        room_log_cut(&r->log, NULL, event->time_ns - epoch_ns);
    else
        return;
    want_flush(r, now_ns);
}

/* Copy the knots that a message needs, as many as it can have. */
static void put_knots(room *r, room_message_samples *out)
{
    int64_t from_ns = out->samples[0].time_ns, to_ns = from_ns;
    room_map part;

    for (size_t i = 1; i < out->count; i++) {
        from_ns = out->samples[i].time_ns < from_ns ? out->samples[i].time_ns : from_ns;
        to_ns = out->samples[i].time_ns > to_ns ? out->samples[i].time_ns : to_ns;
    }
    room_map_cut(&r->clock.map, from_ns, to_ns, &part);
    out->knot_count = part.count;
    for (size_t i = 0; i < part.count; i++) {
        out->knots[i][0] = part.knots[i].session_ns;
        out->knots[i][1] = part.knots[i].room_ns;
    }
}

/* Drop what is from before the map: the room's time was not known then. */
static void drop_uncovered(const room *r, room_message_samples *s)
{
    size_t before = 0;

    while (before < s->count && s->samples[before].time_ns < r->clock.map.knots[0].session_ns)
        before++;
    s->first += before;
    s->count -= before;
    memmove(s->samples, s->samples + before, s->count * sizeof s->samples[0]);
    while (s->count > 0 && s->samples[s->count - 1].time_ns > r->clock.map.knots[r->clock.map.count - 1].session_ns)
        s->count--;
}

void room_flush(room *r, int64_t now_ns)
{
    room_message_samples *s = &r->message.samples;
    size_t length;

    if (!r->shares || !r->clock.is_joined || !room_log_has_new(&r->log))
        return;
    if (!room_clock_is_known(&r->clock)) {
        room_log_fill(&r->log, s); /* nobody could place them */
        return;
    }
    if (now_ns - r->sent_ns < ROOM_SHARE_NS && now_ns >= r->sent_ns) {
        want_flush(r, now_ns);
        return;
    }
    room_tell(r);
    r->sent_ns = now_ns;
    if (!room_log_fill(&r->log, s))
        return;
    drop_uncovered(r, s);
    if (s->count == 0)
        return;
    memcpy(s->session, r->clock.session, sizeof s->session);
    memcpy(s->clock, r->clock.id, sizeof s->clock);
    s->version = r->own.version;
    s->error_ns = r->clock.error_ns;
    put_knots(r, s);
    length = room_encode_samples(r->line, sizeof r->line, s);
    if (length == 0)
        return;
    r->published += r->user.publish(r->user.context, ROOM_MESSAGE_SAMPLES, NULL, r->line, length - 1);
}

/* ---- time ---- */

static size_t list_candidates(room *r, room_candidate out[ROOM_PLAYERS_MAX])
{
    size_t count = 0;

    for (room_player *p = r->others; p && count < ROOM_PLAYERS_MAX; p = p->next)
        if (p->has_peer && p->is_online)
            out[count++] =
                (room_candidate){p->name, p->peer.session, p->peer.clock, p->peer.is_referee, &p->passed_over};
    return count;
}

uint64_t room_tick(room *r, int64_t now_ns)
{
    room_candidate others[ROOM_PLAYERS_MAX];
    const size_t count = list_candidates(r, others);
    room_message_clock ask;
    size_t length;

    if (room_clock_tick(&r->clock, others, count, now_ns, &ask)) {
        length = room_encode_clock_ask(r->line, sizeof r->line, &ask);
        r->user.publish(r->user.context, ROOM_MESSAGE_CLOCK_ASK, r->clock.reference, r->line, length - 1);
    }
    if (r->steps != r->clock.steps) { /* nothing of before is where it was */
        r->steps = r->clock.steps;
        for (room_player *p = r->others; p; p = p->next)
            room_clear_player(r, p, now_ns);
    }
    room_tell(r);
    for (room_player *p = r->others; p; p = p->next)
        if (p->waiting_count > 0) /* for a message that does not come */
            room_deliver(r, p, now_ns);
    for (room_player *p = r->others; p; p = p->next)
        if (p->current && !p->is_silent && now_ns - p->heard_ns > ROOM_QUIET_NS) {
            p->is_silent = true;
            r->user.lost(r->user.context, p, now_ns);
        }
    return (uint64_t)room_clock_pause(&r->clock) / 1000000;
}

/* ---- events ---- */

/* Write "anna/saber" for a blade of this player's; others' have such names already. Return whose it is; NULL: this
 * player's. */
static room_player *name_whole(const room *r, const char *blade, const void *owner, char out[ROOM_WHOLE_MAX])
{
    room_player *p = r->others;

    while (p && p != owner)
        p = p->next;
    snprintf(out, ROOM_WHOLE_MAX, "%s%s%s", p ? "" : r->clock.name, p ? "" : "/", blade);
    return p;
}

void room_note_event(room *r, clash_event *event, const void *const owners[2], int64_t epoch_ns, int64_t now_ns)
{
    char whole[2][ROOM_WHOLE_MAX];
    const char *const blades[2] = {whole[0], whole[1]};
    const int64_t time_ns = event->time_ns - epoch_ns;
    const bool is_clash = event->kind == CLASH_EVENT_CLASH, is_new = is_clash && !event->as.clash.late;
    room_player *players[2];
    int64_t start_ns;

    if (!room_clock_is_known(&r->clock))
        return;
    for (size_t i = 0; i < 2; i++)
        players[i] = name_whole(r, event->blades[i], owners[i], whole[i]);
    if (!players[0] && !players[1])
        return;
    start_ns = room_map_forward(&r->clock.map, time_ns - (is_clash ? 0 : event->duration_ns));
    event->room = (clash_event_room){
        .id = room_ids_find(&r->ids, blades, event->id, start_ns, is_new),
        .time_ns = room_map_forward(&r->clock.map, time_ns),
        .clock_error_ns =
            r->clock.error_ns + (players[0] ? players[0]->error_ns : 0) + (players[1] ? players[1]->error_ns : 0),
    };
    if (is_new && (!players[0] || !players[1]))
        room_found_contact(r, players[0] ? players[0] : players[1], event, blades, players[0] ? 0 : 1, start_ns,
                           now_ns);
}

const room_clock *room_clock_of(const room *r)
{
    return &r->clock;
}
