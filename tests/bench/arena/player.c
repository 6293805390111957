/* See arena.h. */
#include "arena.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
/* From one pair of players to the next, m; and so many pairs in a row. */
#define APART 3.0
#define ROW 20
#define HANDS 2

static const char contact[] = "{\"margin\":0,\"release_margin\":0.01,\"min_closing_speed\":0.5,\"hold_rate_hz\":0,"
                              "\"max_gap_ms\":100,\"require_tracked\":false,\"full_intensity_speed\":10}";

static bool is_striker(const arena_player *p)
{
    return p->number % 2 == 1;
}

/* Both hands' samples, with as many digits as real ones have, in the words of a message. The one that strikes holds its blade across the other's, and moves it through. */
static void write_frame(arena_player *p, int64_t time_ns)
{
    const unsigned pair = p->number / 2, row = pair / ROW;
    const double x = APART * (pair % ROW), z = APART * row;
    const double swing = 0.5 * sin(2.0 * PI * ((double)(time_ns % 1000000000) * 1e-9 + 0.618 * pair));
    const char *turn = is_striker(p) ? "0.0199950019,-0.706930071,0.00999750094,0.706930071"
                                     : "0.0199860147,0.029979022,0.00999300734,0.999300735";
    const double sway = 0.02 * swing;
    const double right[3] = {(is_striker(p) ? x - 0.5 : x) + sway, is_striker(p) ? 1.2 + swing : 1.2 + sway,
                             (is_striker(p) ? z - 0.5 : z) + sway};

    snprintf(p->frames[p->count % 4], sizeof p->frames[0],
             "[0,3,%" PRId64 ",%.9g,%.9g,%.9g,%s],[1,3,%" PRId64 ",%.9g,%.9g,%.9g,%s]", time_ns, x - 1.0 + sway,
             2.2 + 0.1 * swing, z + sway, turn, time_ns, right[0], right[1], right[2], turn);
}

void arena_player_introduce(arena_player *p, const arena_options *options, const arena_clock *clock)
{
    char topic[ARENA_TOPIC_MAX], text[1600];
    int length;

    snprintf(p->topic, sizeof p->topic, "clashd/%s/p%u/samples", options->room, p->number);
    snprintf(topic, sizeof topic, "clashd/%s/p%u/online", options->room, p->number);
    arena_link_publish(&p->link, topic, "true", 4, 1, true);
    snprintf(topic, sizeof topic, "clashd/%s/p%u/peer", options->room, p->number);
    length = snprintf(
        text, sizeof text,
        "{\"type\":\"peer\",\"session\":\"s%u\",\"version\":1,\"from_sample\":0,\"referee\":false,\"clock\":\"%s\","
        "\"contact\":%s,\"blades\":[{\"name\":\"left\",\"device\":\"/user/hand/left\",\"base\":[0,0,0],"
        "\"tip\":[0,0,-1],\"radius\":0.03},{\"name\":\"right\",\"device\":\"/user/hand/right\",\"base\":[0,0,0],"
        "\"tip\":[0,0,-1],\"radius\":0.03}]}",
        p->number, clock->session, contact);
    arena_link_publish(&p->link, topic, text, (size_t)length, 1, true);
}

int64_t arena_player_due_ns(const arena_player *p)
{
    return p->begin_ns + (int64_t)p->frame * ARENA_PERIOD_NS;
}

/* Knots lie on one line for all times, as both clocks are this machine's: whole seconds about the samples'. */
size_t arena_player_send(arena_player *p, const arena_clock *clock)
{
    const int64_t time_ns = arena_player_due_ns(p), second = time_ns / 1000000000;
    const int64_t from_ns = (second - 1) * 1000000000, to_ns = (second + 2) * 1000000000;
    const uint64_t first = p->count < 3 ? 0 : p->count - 3;
    char text[ARENA_MESSAGE_MAX];
    size_t length;

    write_frame(p, time_ns);
    length = (size_t)snprintf(
        text, sizeof text,
        "{\"type\":\"samples\",\"session\":\"s%u\",\"version\":1,\"clock\":\"%s\",\"error_ns\":1000,\"knots\":[["
        "%" PRId64 ",%" PRId64 "],[%" PRId64 ",%" PRId64
        "]],\"devices\":[\"/user/hand/left\",\"/user/hand/right\"],\"first\":%" PRIu64 ",\"samples\":[",
        p->number, clock->session, from_ns, from_ns - clock->epoch_ns, to_ns, to_ns - clock->epoch_ns, HANDS * first);
    for (uint64_t i = first; i <= p->count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > first ? "," : "", p->frames[i % 4]);
    length += (size_t)snprintf(text + length, sizeof text - length, "]}");
    p->sent_ns[p->frame % ARENA_SENT_MAX] = p->counted_ns[p->count % ARENA_SENT_MAX] = arena_now_ns();
    p->frame++;
    p->count++;
    arena_link_publish(&p->link, p->topic, text, length, 0, false);
    return length;
}

void arena_player_skip(arena_player *p)
{
    p->sent_ns[p->frame % ARENA_SENT_MAX] = 0;
    p->frame++;
}

int64_t arena_player_sent_ns(const arena_player *p, int64_t time_ns)
{
    const int64_t after_ns = time_ns - p->begin_ns;
    uint64_t frame = after_ns <= 0 ? 0 : (uint64_t)((after_ns + ARENA_PERIOD_NS - 1) / ARENA_PERIOD_NS);

    if (frame + ARENA_SENT_MAX <= p->frame)
        return 0;
    while (frame < p->frame && p->sent_ns[frame % ARENA_SENT_MAX] == 0)
        frame++;
    return frame < p->frame ? p->sent_ns[frame % ARENA_SENT_MAX] : 0;
}

void arena_player_leave(arena_player *p, const arena_options *options)
{
    static const char *const retained[] = {"peer", "online"};
    char topic[ARENA_TOPIC_MAX];

    for (size_t i = 0; i < 2; i++) {
        snprintf(topic, sizeof topic, "clashd/%s/p%u/%s", options->room, p->number, retained[i]);
        arena_link_publish(&p->link, topic, "", 0, 0, true);
    }
}
