/* See room_agree.h. */
#include "room_agree.h"

#include <string.h>

static int64_t apart(int64_t a, int64_t b)
{
    const uint64_t gap = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

    return gap > INT64_MAX ? INT64_MAX : (int64_t)gap;
}

static void agree(room_agree *a, room_found *f, int64_t room_id)
{
    f->agreed = CLASH_AGREEMENT_YES;
    f->room_id = room_id;
    a->waiting--;
}

/* Return a free place, else the oldest decided one, of which everything has most likely been told. */
static room_found *find_place(room_agree *a)
{
    room_found *oldest = NULL;

    for (size_t i = 0; i < ROOM_AGREE_FOUND_MAX; i++) {
        room_found *f = &a->found[i];

        if (f->contact == 0)
            return f;
        if (f->agreed != CLASH_AGREEMENT_NONE && (!oldest || f->contact < oldest->contact))
            oldest = f;
    }
    return oldest;
}

const room_found *room_agree_found(room_agree *a, const room_found *found)
{
    room_found *place = find_place(a);
    size_t nearest = ROOM_AGREE_HEARD_MAX;

    if (!place)
        return NULL;
    *place = *found;
    place->agreed = CLASH_AGREEMENT_NONE;
    a->waiting++;
    for (size_t i = 0; i < ROOM_AGREE_HEARD_MAX; i++)
        if (a->heard[i].is_open && a->heard[i].pair == found->pair &&
            apart(a->heard[i].start_ns, found->start_ns) <= ROOM_AGREE_NEAR_NS &&
            (nearest == ROOM_AGREE_HEARD_MAX ||
             apart(a->heard[i].start_ns, found->start_ns) < apart(a->heard[nearest].start_ns, found->start_ns)))
            nearest = i;
    if (nearest < ROOM_AGREE_HEARD_MAX) {
        a->heard[nearest].is_open = false;
        agree(a, place, a->heard[nearest].room_id);
    }
    return place;
}

/* A message may come twice. */
static bool is_known(const room_agree *a, uint64_t pair, int64_t start_ns, int64_t room_id)
{
    for (size_t i = 0; i < ROOM_AGREE_FOUND_MAX; i++)
        if (a->found[i].contact != 0 && a->found[i].agreed == CLASH_AGREEMENT_YES && a->found[i].pair == pair &&
            a->found[i].room_id == room_id)
            return true;
    for (size_t i = 0; i < ROOM_AGREE_HEARD_MAX; i++)
        if (a->heard[i].is_open && a->heard[i].pair == pair && a->heard[i].room_id == room_id &&
            a->heard[i].start_ns == start_ns)
            return true;
    return false;
}

bool room_agree_heard(room_agree *a, uint64_t pair, int64_t start_ns, int64_t room_id)
{
    room_found *nearest = NULL;

    if (is_known(a, pair, start_ns, room_id))
        return false;
    for (size_t i = 0; i < ROOM_AGREE_FOUND_MAX; i++) {
        room_found *f = &a->found[i];

        if (f->contact != 0 && f->agreed == CLASH_AGREEMENT_NONE && f->pair == pair &&
            apart(f->start_ns, start_ns) <= ROOM_AGREE_NEAR_NS &&
            (!nearest || apart(f->start_ns, start_ns) < apart(nearest->start_ns, start_ns)))
            nearest = f;
    }
    if (nearest) {
        agree(a, nearest, room_id);
        return true;
    }
    a->heard[a->next_heard].is_open = true;
    a->heard[a->next_heard].pair = pair;
    a->heard[a->next_heard].start_ns = start_ns;
    a->heard[a->next_heard].room_id = room_id;
    a->next_heard = (a->next_heard + 1) % ROOM_AGREE_HEARD_MAX;
    return false;
}

const room_found *room_agree_find(const room_agree *a, uint64_t contact)
{
    for (size_t i = 0; i < ROOM_AGREE_FOUND_MAX; i++)
        if (contact != 0 && a->found[i].contact == contact)
            return &a->found[i];
    return NULL;
}

static room_found *find(room_agree *a, uint64_t contact)
{
    const room_found *f = room_agree_find(a, contact);

    return f ? &a->found[f - a->found] : NULL;
}

static bool give_up(room_agree *a, room_found *f)
{
    if (f->contact == 0 || f->agreed != CLASH_AGREEMENT_NONE)
        return false;
    f->agreed = CLASH_AGREEMENT_NO;
    a->waiting--;
    return true;
}

bool room_agree_give_up(room_agree *a, uint64_t contact)
{
    room_found *f = find(a, contact);

    return f && give_up(a, f);
}

size_t room_agree_expire(room_agree *a, int64_t now_ns)
{
    size_t count = 0;

    for (size_t i = 0; a->waiting > 0 && i < ROOM_AGREE_FOUND_MAX; i++)
        if (a->found[i].until_ns <= now_ns)
            count += give_up(a, &a->found[i]);
    return count;
}

void room_agree_end(room_agree *a, uint64_t contact)
{
    room_found *f = find(a, contact);

    if (!f)
        return;
    if (f->agreed == CLASH_AGREEMENT_NONE)
        a->waiting--;
    memset(f, 0, sizeof *f);
}

int64_t room_agree_due(const room_agree *a)
{
    int64_t due = INT64_MAX;

    for (size_t i = 0; a->waiting > 0 && i < ROOM_AGREE_FOUND_MAX; i++) {
        const room_found *f = &a->found[i];

        if (f->contact != 0 && f->agreed == CLASH_AGREEMENT_NONE && f->until_ns < due)
            due = f->until_ns;
    }
    return due;
}
