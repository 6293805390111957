/* Two clocks that ask each other over a simulated link: delays of several kinds, lost, doubled and overtaking messages. */
#ifndef CLASHD_TESTS_ROOM_NETWORK_H
#define CLASHD_TESTS_ROOM_NETWORK_H

#include "sources/peer/room_clock.h"

#include "support/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define LETTERS_MAX 2048

/** How delays scatter. */
typedef enum scatter {
    SCATTER_EVEN,   /* +- jitter_ms */
    SCATTER_NORMAL, /* with a standard deviation of jitter_ms */
    SCATTER_HEAVY, /* never below; above by a Pareto distribution of exponent 1.5: half by more than 0.6 jitter_ms, 1 of 100 by 20 */
    SCATTER_LOADED, /* evenly; and there a queue, of 20 ms in the mean, half of the time */
    SCATTER_BLOAT,  /* evenly; and there a queue that grows to 3 s and empties, within 6 s of each 20 */
} scatter;

/** A link both ways: what each message takes, and how many are lost, or doubled. */
typedef struct link_kind {
    const char *name;
    scatter scatter;
    double there_ms, back_ms, jitter_ms, lost, doubled;
} link_kind;

/** A clock that is `offset_ns` wrong and runs `drift_ppm` too slow: true minus own grows. */
typedef struct wrong_clock {
    int64_t offset_ns;
    double drift_ppm;
} wrong_clock;

static inline int64_t own_of(const wrong_clock *c, int64_t true_ns)
{
    return true_ns - c->offset_ns - (int64_t)((double)true_ns * c->drift_ppm * 1e-6);
}

/** Box and Muller's. */
static inline double random_normal(random_state *r)
{
    return sqrt(-2.0 * log(1.0 - random_in(r, 0.0, 1.0))) * cos(6.283185307179586 * random_in(r, 0.0, 1.0));
}

/* What a queue adds on the way there. */
static inline double queue_ms(random_state *r, const link_kind *l, int64_t at_ns)
{
    const double load_s = (double)(at_ns % (10 * SECOND)) * 1e-9, bloat_s = (double)(at_ns % (20 * SECOND)) * 1e-9;

    if (l->scatter == SCATTER_LOADED && load_s >= 5.0)
        return -20.0 * log(1.0 - random_in(r, 0.0, 1.0));
    if (l->scatter == SCATTER_BLOAT && bloat_s >= 10.0 && bloat_s < 16.0)
        return 1000.0 * (bloat_s < 13.0 ? bloat_s - 10.0 : 16.0 - bloat_s);
    return 0.0;
}

static inline int64_t link_delay(random_state *r, const link_kind *l, bool is_back, int64_t at_ns)
{
    const double ms = is_back ? l->back_ms : l->there_ms;
    double more = l->jitter_ms * random_in(r, -1.0, 1.0);

    if (l->scatter == SCATTER_NORMAL)
        more = l->jitter_ms * random_normal(r);
    else if (l->scatter == SCATTER_HEAVY)
        more = l->jitter_ms * (pow(1.0 - random_in(r, 0.0, 1.0), -1.0 / 1.5) - 1.0);
    more += is_back ? 0.0 : queue_ms(r, l, at_ns);
    return (int64_t)(fmax(ms + more, 0.05) * 1e6);
}

typedef struct clock_letter {
    int64_t at_ns; /* when it comes */
    bool is_answer;
    room_message_clock message;
} clock_letter;

/** anna's clock is true and the room's; ben's is wrong. */
typedef struct clock_pair {
    random_state random;
    const link_kind *link;
    wrong_clock wrong;
    room_clock anna, ben;
    int64_t true_ns;
    room_passed_over passed_over;
    size_t letter_count;
    clock_letter letters[LETTERS_MAX];
} clock_pair;

static inline void pair_send(clock_pair *p, bool is_answer, int64_t sent_ns, const room_message_clock *message)
{
    const int copies =
        random_in(&p->random, 0.0, 1.0) < p->link->lost ? 0 : 1 + (random_in(&p->random, 0.0, 1.0) < p->link->doubled);

    for (int i = 0; i < copies && p->letter_count < LETTERS_MAX; i++)
        p->letters[p->letter_count++] =
            (clock_letter){sent_ns + link_delay(&p->random, p->link, is_answer, sent_ns), is_answer, *message};
}

static inline void pair_take(clock_pair *p, const clock_letter *l)
{
    room_message_clock answer;

    if (l->is_answer)
        room_clock_answered(&p->ben, "anna", &l->message, own_of(&p->wrong, l->at_ns));
    else {
        const int64_t goes_ns = l->at_ns + random_below(&p->random, 3) * MS;

        if (room_clock_answer(&p->anna, &l->message, l->at_ns, goes_ns, &answer))
            pair_send(p, true, goes_ns, &answer);
    }
}

/* The next one of those that come until then; NULL: none. */
static inline const clock_letter *pair_next(const clock_pair *p, int64_t until_ns)
{
    const clock_letter *next = NULL;

    for (size_t i = 0; i < p->letter_count; i++)
        if (p->letters[i].at_ns <= until_ns && (!next || p->letters[i].at_ns < next->at_ns))
            next = &p->letters[i];
    return next;
}

static inline void pair_open(clock_pair *p, uint64_t seed, const link_kind *link)
{
    memset(p, 0, sizeof *p);
    p->random.s = seed;
    p->link = link;
    p->wrong = (wrong_clock){(int64_t)(random_in(&p->random, -50.0, 50.0) * 1e9), random_in(&p->random, -50.0, 50.0)};
    p->true_ns = 100 * SECOND + random_below(&p->random, 20000) * MS; /* so that both are after their sessions began */
    room_clock_init(&p->anna, "anna", "aaaa", false);
    room_clock_init(&p->ben, "ben", "bbbb", false);
    room_clock_join(&p->anna, true, p->true_ns - 2 * ROOM_LISTEN_NS);
    room_clock_join(&p->ben, true, own_of(&p->wrong, p->true_ns));
}

/** Let that much time pass: what comes is taken, then both look whether there is something to ask. */
static inline void pair_step(clock_pair *p, int64_t ns)
{
    const room_candidate ben = {"ben", "bbbb", "", false, &p->passed_over}; /* whose clock is not asked for */
    const room_candidate anna = {"anna", "aaaa", "aaaa", false, &p->passed_over};
    const clock_letter *next;
    room_message_clock ask;

    p->true_ns += ns;
    while ((next = pair_next(p, p->true_ns))) {
        const clock_letter one = *next;

        p->letters[next - p->letters] = p->letters[--p->letter_count];
        pair_take(p, &one);
    }
    room_clock_tick(&p->anna, &ben, 1, p->true_ns, &ask);
    if (room_clock_tick(&p->ben, &anna, 1, own_of(&p->wrong, p->true_ns), &ask))
        pair_send(p, false, p->true_ns, &ask);
}

#endif
