/* What a room's players tell each other of the contacts that they find, and what is told of these here: see room.h. */
#include "room_private.h"

#include <stdio.h>
#include <string.h>

bool room_agrees(const room *r)
{
    return r->agree_ns > 0 && r->shares;
}

/* ---- what is found here ---- */

static bool tell(room *r, const room_player *p, const char *const blades[2], const room_found *found, int64_t room_id)
{
    room_message_contact m = {.room_id = room_id, .room_time_ns = found->start_ns};
    size_t length;

    memcpy(m.session, r->clock.session, sizeof m.session);
    memcpy(m.clock, r->clock.id, sizeof m.clock);
    for (int i = 0; i < 2; i++)
        snprintf(m.blades[i], sizeof m.blades[i], "%s", blades[i]);
    length = room_encode_contact(r->line, sizeof r->line, &m);
    return length > 0 && r->user.publish(r->user.context, ROOM_MESSAGE_CONTACT, p->name, r->line, length - 1);
}

void room_found_contact(room *r, room_player *p, const clash_event *event, const char *const whole[2], size_t theirs,
                        int64_t start_ns, int64_t now_ns)
{
    const size_t own = 1 - theirs;
    /* Use the names of `peer` messages: everybody calls a blade by its owner's name for it. */
    const char *const told[2] = {event->blades[own], event->blades[theirs] + strlen(p->name) + 1};
    const room_found found = {.contact = event->id,
                              .pair = room_ids_pair(whole),
                              .start_ns = start_ns,
                              .until_ns = now_ns + r->agree_ns,
                              .is_second = strcmp(whole[own], whole[theirs]) > 0};
    const room_found *kept;

    if (!room_agrees(r) || !p->peer.agrees)
        return;
    kept = room_agree_found(&p->agree, &found);
    r->agreed += kept && kept->agreed == CLASH_AGREEMENT_YES;
    r->untold += !tell(r, p, told, &found, event->room.id);
}

/* ---- what the others say ---- */

void room_take_contact(room *r, room_player *p, const room_message_contact *m)
{
    char whole[2][ROOM_WHOLE_MAX];
    const char *const blades[2] = {whole[0], whole[1]};

    if (!room_agrees(r))
        return;
    if (!p->has_peer || strcmp(m->session, p->peer.session) != 0 || strcmp(m->clock, r->clock.id) != 0) {
        p->counts.unplaced++;
        return;
    }
    snprintf(whole[0], sizeof whole[0], "%s/%s", p->name, m->blades[0]);
    snprintf(whole[1], sizeof whole[1], "%s/%s", r->clock.name, m->blades[1]);
    r->agreed += room_agree_heard(&p->agree, room_ids_pair(blades), m->room_time_ns, m->room_id);
}

/* ---- what is told of it ---- */

static room_player *find_finder(const room *r, uint64_t contact, const room_found **out_found)
{
    for (room_player *p = r->others; p; p = p->next)
        if ((*out_found = room_agree_find(&p->agree, contact)))
            return p;
    return NULL;
}

bool room_judge_event(room *r, clash_event *event)
{
    const room_found *found;
    room_player *p;

    if (event->room.id == 0 || !room_agrees(r) || !(p = find_finder(r, event->id, &found)))
        return true;
    if (found->agreed == CLASH_AGREEMENT_NONE && found->is_second)
        return false;
    if (found->is_second || event->kind != CLASH_EVENT_CLASH)
        event->room.agreed = found->agreed;
    if (found->is_second && found->agreed == CLASH_AGREEMENT_YES)
        event->room.id = found->room_id;
    if (event->kind == CLASH_EVENT_RELEASE && found->agreed != CLASH_AGREEMENT_NONE)
        room_agree_end(&p->agree, event->id);
    return true;
}

void room_give_up(room *r, uint64_t contact)
{
    const room_found *found;
    room_player *p = find_finder(r, contact, &found);

    r->disagreed += p && room_agree_give_up(&p->agree, contact);
}

void room_decide(room *r, int64_t now_ns)
{
    for (room_player *p = r->others; p; p = p->next)
        r->disagreed += room_agree_expire(&p->agree, now_ns);
}

int64_t room_due(const room *r)
{
    int64_t due = INT64_MAX;

    for (const room_player *p = r->others; p; p = p->next) {
        const int64_t next = room_agree_due(&p->agree);

        due = next < due ? next : due;
    }
    return due;
}
