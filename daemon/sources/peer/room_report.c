/* What `status` and the metrics say of a room: see room.h. */
#include "room_private.h"

#define REFUSED "Messages or samples of other players that were not taken, by the reason."

void room_list_counters(const room *r, int64_t now_ns, counter_list *out)
{
    room_counts all = r->gone;
    uint64_t here = 0, muted = 0;

    for (const room_player *p = r->others; p; p = p->next) {
        here += p->has_peer && p->is_online;
        muted += room_guard_is_muted(&p->guard, now_ns);
        room_counts_add(&all, &p->counts);
    }
    counter_list_add(
        out,
        (const counter_row[]){
            {"room_players", "clashd_room_players", "Other players in the room now.", here},
            {"room_muted", "clashd_room_players_muted",
             "Players that are not listened to now, as too much of theirs was refused.", muted},
            {"room_published", "clashd_room_messages_published_total", "Messages with samples that were shared.",
             r->published},
            {"room_messages", "clashd_room_messages_total", "Messages with samples that came of other players.",
             all.messages},
            {"room_samples", "clashd_room_samples_total", "Samples of these that were taken.", all.samples},
            {"room_repeated", "clashd_room_samples_repeated_total", "Samples that had come before.", all.repeated},
            {"room_lost", "clashd_room_samples_lost_total", "Samples that never came.", all.lost},
            {"room_late", "clashd_room_samples_late_total", "Samples that came too late.", all.outside},
            {"room_refused", "clashd_room_messages_refused_total{reason=\"wrong\"}", REFUSED, all.refused},
            {"room_unplaced", "clashd_room_messages_refused_total{reason=\"clock\"}", REFUSED, all.unplaced},
            {"room_over_rate", "clashd_room_messages_refused_total{reason=\"rate\"}", REFUSED, all.over_rate},
            {"room_clock_known", "clashd_room_clock_known", "Whether the room's time is known.",
             room_clock_is_known(&r->clock)},
            {"room_clock_error_ns", "clashd_room_clock_error_nanoseconds",
             "By how much the room's time may be wrong here, in 99 of 100 cases, if delays are alike both ways.",
             (uint64_t)r->clock.error_ns},
            {"room_clock_bound_ns", "clashd_room_clock_bound_nanoseconds",
             "By how much it may be wrong at most, however the delays are.", (uint64_t)r->clock.bound_ns},
            {"room_clock_steps", "clashd_room_clock_steps_total", "Times that the room's time began anew here.",
             r->clock.steps},
            {"room_agreed", "clashd_room_contacts_agreed_total", "Contacts that the other player has found too.",
             r->agreed},
            {"room_disagreed", "clashd_room_contacts_disagreed_total",
             "Contacts that it has not, or not within mqtt.agree_ms.", r->disagreed},
            {"room_untold", "clashd_room_contacts_untold_total",
             "Contacts that the other player could not be told of: there was no broker, or too much waited for it.",
             r->untold},
        },
        18);
}

/* ---- player by player ---- */

#define DRIFT_NS INT64_C(1000000000)

/* Their session's time now, as their samples are placed. */
static int64_t theirs_at(const room *r, const room_player *p, int64_t now_ns)
{
    return room_map_back(&p->map, room_map_forward(&r->clock.map, now_ns));
}

static void describe(const room *r, const room_player *p, int64_t now_ns, protocol_status_player *out)
{
    const room_counts *c = &p->counts;

    *out = (protocol_status_player){
        .player = p->name,
        .is_here = p->has_peer && p->is_online,
        .is_muted = room_guard_is_muted(&p->guard, now_ns),
        .is_placed = p->map.count > 0 && room_clock_is_known(&r->clock) && strcmp(p->clock, r->clock.id) == 0,
        .delay_ns = p->has_next ? p->delay_ns : -1,
        .samples = c->samples,
        .repeated = c->repeated,
        .lost = c->lost,
        .late = c->outside,
        .refused = c->refused + c->unplaced + c->over_rate,
    };
    if (!out->is_placed)
        return;
    out->clock_offset_ns = theirs_at(r, p, now_ns) - now_ns;
    out->clock_drift_ppb = theirs_at(r, p, now_ns) - theirs_at(r, p, now_ns - DRIFT_NS) - DRIFT_NS;
    out->clock_error_ns = r->clock.error_ns + p->error_ns;
}

size_t room_list_players(const room *r, int64_t now_ns, protocol_status_player *out, size_t most)
{
    size_t count = 0;

    for (const room_player *p = r->others; p && count < most; p = p->next)
        describe(r, p, now_ns, &out[count++]);
    return count;
}
