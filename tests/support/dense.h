/* The truth for the pipeline: contacts of two sampled devices by a dense search, in double precision with libm
 * (reference.h), sharing no code with libclash. Between two neighbouring sample times of either device the distance is
 * examined in fine steps, and in finer ones wherever the blades' speed would allow a change of state between two
 * steps. */
#ifndef CLASHD_TESTS_DENSE_H
#define CLASHD_TESTS_DENSE_H

#include "support/reference.h"

#define DENSE_STEPS 8         /* looks per piece, at least */
#define DENSE_SLACK 1e-9      /* m, of starts and ends */
#define DENSE_RESOLUTION 1e-6 /* m, of least distances */

typedef struct dense_sample {
    int64_t time_ns;
    clash_pose pose;
} dense_sample;

/** Samples in order of time, no two at the same. */
typedef struct dense_track {
    const dense_sample *samples;
    size_t count;
    clash_capsule shape;
} dense_track;

typedef struct dense_contact {
    double start_ns, end_ns;
    double min_distance; /* to within DENSE_RESOLUTION */
    bool cut;            /* it ended because a track did, not at release_time */
} dense_contact;

typedef struct dense_limits {
    double start, end; /* m */
    int64_t max_gap_ns;
} dense_limits;

typedef struct dense_piece {
    clash_body bodies[2];
    double from_ns[2], to_ns[2]; /* of each body's motion */
    double speed;                /* bound on how fast the distance changes, m/ns */
} dense_piece;

static inline double dense_distance(const dense_piece *piece, double time_ns)
{
    ref_vec ends[2][2];

    for (int i = 0; i < 2; i++)
        ref_axis_at(&piece->bodies[i], (time_ns - piece->from_ns[i]) / (piece->to_ns[i] - piece->from_ns[i]),
                    &ends[i][0], &ends[i][1]);
    return ref_segments(ends[0][0], ends[0][1], ends[1][0], ends[1][1]);
}

/** Return the first time in low..high with sign * (distance - limit) <= 0; -1 if there is none. */
static inline double dense_first(const dense_piece *piece, double sign, double limit, double low, double high)
{
    double middle = 0.5 * (low + high), reach = piece->speed * 0.5 * (high - low);
    double value = sign * (dense_distance(piece, middle) - limit), left;

    if (value > reach)
        return -1;
    if (reach < DENSE_SLACK)
        return value <= 0 ? middle : -1;
    left = dense_first(piece, sign, limit, low, middle);
    return left >= 0 ? left : dense_first(piece, sign, limit, middle, high);
}

/** Lower *least to the least distance over low..high, to within DENSE_RESOLUTION. */
static inline void dense_least(const dense_piece *piece, double low, double high, double *least)
{
    double middle = 0.5 * (low + high), distance = dense_distance(piece, middle);

    if (distance < *least)
        *least = distance;
    if (distance - piece->speed * 0.5 * (high - low) >= *least - DENSE_RESOLUTION)
        return;
    dense_least(piece, low, middle, least);
    dense_least(piece, middle, high, least);
}

/** What a search passes on from piece to piece. */
typedef struct dense_search {
    dense_limits limits;
    dense_contact *contacts;
    size_t count, max;
    size_t pieces;
    bool touching;
} dense_search;

static inline void dense_end(dense_search *search, double time_ns, bool cut)
{
    search->contacts[search->count - 1].end_ns = time_ns;
    search->contacts[search->count - 1].cut = cut;
    search->touching = false;
}

/** Follow the state through low..high, which lies in one piece. */
static inline void dense_follow(dense_search *search, const dense_piece *piece, double low, double high)
{
    for (;;) {
        double limit = search->touching ? search->limits.end : search->limits.start;
        double time_ns = dense_first(piece, search->touching ? -1 : 1, limit, low, high);

        if (search->touching)
            dense_least(piece, low, time_ns < 0 ? high : time_ns, &search->contacts[search->count - 1].min_distance);
        if (time_ns < 0)
            return;
        if (search->touching) {
            dense_end(search, time_ns, false);
        } else if (search->count < search->max) {
            search->contacts[search->count++] = (dense_contact){.start_ns = time_ns, .min_distance = limit};
            search->touching = true;
        } else {
            return;
        }
        low = time_ns;
    }
}

static inline dense_piece dense_piece_of(const dense_track *const tracks[2], const size_t at[2])
{
    dense_piece piece = {.speed = 1e-18};

    for (int i = 0; i < 2; i++) {
        const dense_sample *from = &tracks[i]->samples[at[i]], *to = from + 1;

        piece.bodies[i] = (clash_body){tracks[i]->shape, {from->pose, to->pose}};
        piece.from_ns[i] = (double)from->time_ns;
        piece.to_ns[i] = (double)to->time_ns;
        piece.speed += ref_speed_bound(&piece.bodies[i]) / (piece.to_ns[i] - piece.from_ns[i]);
    }
    return piece;
}

/** All contacts of two devices, in order; returns how many, at most `max`. out_pieces (may be NULL): how many intervals
 *  between neighbouring sample times both devices cover. */
static inline size_t dense_contacts(const dense_track *a, const dense_track *b, dense_limits limits,
                                    dense_contact *out_contacts, size_t max, size_t *out_pieces)
{
    const dense_track *const tracks[2] = {a, b};
    dense_search search = {.limits = limits, .contacts = out_contacts, .max = max};
    size_t at[2] = {0, 0};

    while (at[0] + 1 < a->count && at[1] + 1 < b->count) {
        const dense_sample *next[2] = {&a->samples[at[0] + 1], &b->samples[at[1] + 1]};
        int64_t from[2] = {next[0][-1].time_ns, next[1][-1].time_ns};
        int64_t low = from[0] > from[1] ? from[0] : from[1];
        int64_t high = next[0]->time_ns < next[1]->time_ns ? next[0]->time_ns : next[1]->time_ns;

        if (next[0]->time_ns - from[0] > limits.max_gap_ns || next[1]->time_ns - from[1] > limits.max_gap_ns) {
            if (search.touching)
                dense_end(&search, (double)low, true);
        } else if (low < high) {
            dense_piece piece = dense_piece_of(tracks, at);

            search.pieces++;
            for (int i = 0; i < DENSE_STEPS; i++)
                dense_follow(&search, &piece, (double)low + (double)(high - low) * i / DENSE_STEPS,
                             (double)low + (double)(high - low) * (i + 1) / DENSE_STEPS);
        }
        at[0] += next[0]->time_ns == high;
        at[1] += next[1]->time_ns == high;
    }
    if (search.touching)
        search.contacts[search.count - 1].end_ns = HUGE_VAL;
    if (out_pieces)
        *out_pieces = search.pieces;
    return search.count;
}

#endif
