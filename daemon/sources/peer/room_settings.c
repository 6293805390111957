/* Players whose contact settings differ find different contacts: then both are told, once. See room_private.h. */
#include "room_private.h"

#include <stdio.h>

/** A setting that decides which contacts there are, and its value here and there. */
typedef struct unlike {
    const char *key;
    double own, theirs;
} unlike;

/* The intensity and the rate of holds are what a machine tells of a contact, and not whether there is one. */
static unlike first_unlike(const protocol_contact_settings *own, const protocol_contact_settings *theirs)
{
    const unlike rows[] = {
        {"margin", (double)own->margin, (double)theirs->margin},
        {"release_margin", (double)own->release_margin, (double)theirs->release_margin},
        {"min_closing_speed", (double)own->min_closing_speed, (double)theirs->min_closing_speed},
        {"max_gap_ms", (double)own->max_gap_ms, (double)theirs->max_gap_ms},
        {"gap_by_rate", own->gap_by_rate, theirs->gap_by_rate},
        {"require_tracked", own->require_tracked, theirs->require_tracked},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].own < rows[i].theirs || rows[i].own > rows[i].theirs)
            return rows[i];
    return (unlike){0};
}

void room_compare_settings(room *r, room_player *p)
{
    protocol_contact_settings own;
    unlike is = {0};

    r->user.contact(r->user.context, &own);
    if (p->has_peer && p->peer.has_contact)
        is = first_unlike(&own, &p->peer.contact);
    if (is.key && is.key != p->unlike)
        LOG_WARNING(
            &r->user.log,
            "mqtt.room: contact.%s is %g for %s and %g here: you may find different contacts; set it alike on all "
            "machines",
            is.key, is.theirs, p->name, is.own);
    p->unlike = is.key;
}
