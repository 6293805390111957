/* See room_estimate.h. An answer bounds the offset from both sides, whatever the delays were: received - sent is above it by the delay
 * there, answered - come below it by the delay back (D. Mills, RFC 5905, section 8, has their mean and half their difference). What is old
 * bounds it less closely, by what the clocks may have run apart since.
 *
 * Of many answers the least delay of each way comes nearest ("minimum filter": V. Paxson, "On calibrating measurements of packet transit
 * times", 1998). How near is seen from how near the next ones come: with delays that are spread evenly near their least one, the distance
 * from the least to the seventh is a sum of six distances as large as that from the true least one. The error of the mean of both sides
 * then exceeds the mean of both such sums once in 4096 times, and half of it once in 130: the start of a contact of blades that go the same
 * way moves by more than the clocks are apart.
 *
 * Delays that have no sharp least one, as normal ones, leave that wide. Then the medians of both ways are tried: a median lies between two
 * ranks of the values, however these are distributed (W. Thompson, "On confidence ranges for the median", 1936). They count only if they
 * are less uncertain, and do not contradict the least ones: a queue on one way shifts the medians first.
 *
 * How the offset grows is a line through what spans of time had (least squares), drawn towards 0 by how clocks are known to run: the mean
 * of two normal distributions. */
#include "room_estimate.h"

#include <math.h>
#include <stdlib.h>

#define NEXT 7
#define PPB_OF_PPM INT64_C(1000)
/* Of reading clocks and rounding. */
#define FLOOR_NS 20000
/* How many of its standard errors the growth is said to be wrong by. */
#define SIGMAS 3.0
/* The true median lies within so many ranks, times the root of the count, in 99 of 100 cases: 2.58 standard deviations of a half each. */
#define RANKS 1.29

static int64_t grown(int64_t ns, int64_t ppb)
{
    return (int64_t)((double)ns * 1e-9 * (double)ppb);
}

/* End a span: its offset lies between the least delays of both ways. */
static void end_span(room_estimate *e)
{
    const size_t at = e->span_count++ % ROOM_SPANS_MAX;

    e->spans[at].at_ns = e->span.sent_ns + ROOM_SPAN_NS / 2;
    e->spans[at].offset_ns = e->span.at_least + (e->span.at_most - e->span.at_least) / 2;
    e->has_span = false;
}

static void add_to_span(room_estimate *e, const room_question *q)
{
    if (e->has_span && q->sent_ns - e->span.sent_ns >= ROOM_SPAN_NS)
        end_span(e);
    if (!e->has_span) {
        e->span = *q;
        e->has_span = true;
        return;
    }
    if (q->at_most < e->span.at_most)
        e->span.at_most = q->at_most;
    if (q->at_least > e->span.at_least)
        e->span.at_least = q->at_least;
}

/* Return whether no clock that runs as clocks do gives this answer after those before. */
static bool is_leap(const room_estimate *e, const room_question *q)
{
    const size_t count = e->count < ROOM_QUESTIONS_MAX ? (size_t)e->count : ROOM_QUESTIONS_MAX;

    for (size_t i = 0; i < count; i++) {
        const room_question *before = &e->questions[i];
        const int64_t age = q->sent_ns > before->sent_ns ? q->sent_ns - before->sent_ns : before->sent_ns - q->sent_ns;
        const int64_t apart = grown(age, ROOM_DRIFT_MAX_PPM * PPB_OF_PPM);

        if (q->at_least > before->at_most + apart || q->at_most < before->at_least - apart)
            return true;
    }
    return false;
}

bool room_estimate_add(room_estimate *e, int64_t sent_ns, int64_t received_ns, int64_t answered_ns, int64_t come_ns)
{
    const room_question q = {sent_ns, received_ns - sent_ns, answered_ns - come_ns};

    if (come_ns < sent_ns || come_ns - sent_ns > ROOM_ANSWER_MAX_NS || answered_ns < received_ns ||
        q.at_most < q.at_least)
        return false;
    if (is_leap(e, &q))
        *e = (room_estimate){0}; /* a machine slept */
    e->questions[e->count++ % ROOM_QUESTIONS_MAX] = q;
    add_to_span(e, &q);
    return true;
}

/* Estimate the line's error from how far the spans' offsets lie off it. */
static void find_drift(const room_estimate *e, int64_t *out_ppb, int64_t *out_error_ppb)
{
    const size_t count = e->span_count < ROOM_SPANS_MAX ? (size_t)e->span_count : ROOM_SPANS_MAX;
    const double known = ROOM_DRIFT_PPM * PPB_OF_PPM;
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, off = 0.0, slope, error, share;

    *out_ppb = 0;
    *out_error_ppb = ROOM_DRIFT_PPM * PPB_OF_PPM;
    if (count < ROOM_SPANS_MIN)
        return;
    for (size_t i = 0; i < count; i++) {
        x += (double)(e->spans[i].at_ns - e->spans[0].at_ns) / (double)count;
        y += (double)(e->spans[i].offset_ns - e->spans[0].offset_ns) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        const double dx = (double)(e->spans[i].at_ns - e->spans[0].at_ns) - x;

        xx += dx * dx;
        xy += dx * ((double)(e->spans[i].offset_ns - e->spans[0].offset_ns) - y);
    }
    slope = xx > 0.0 ? xy / xx : 0.0;
    for (size_t i = 0; i < count; i++) {
        const double dx = (double)(e->spans[i].at_ns - e->spans[0].at_ns) - x;
        const double dy = (double)(e->spans[i].offset_ns - e->spans[0].offset_ns) - y - slope * dx;

        off += dy * dy;
    }
    error = xx > 0.0 ? SIGMAS * sqrt(off / (double)(count - 2) / xx) * 1e9 + PPB_OF_PPM : 1e9;
    if (fabs(slope) * 1e6 > ROOM_DRIFT_MAX_PPM)
        return;
    share = known * known / (known * known + error * error);
    *out_ppb = (int64_t)(share * slope * 1e9);
    *out_error_ppb = (int64_t)(sqrt(share) * error);
}

/* The few least ones, in order, and how old each is. */
typedef struct least {
    int64_t values[NEXT], ages[NEXT];
    size_t count;
    bool is_full;
} least;

static void least_add(least *l, int64_t value, int64_t age)
{
    size_t at = l->count < NEXT ? l->count++ : NEXT - 1;

    if (at == NEXT - 1 && l->is_full && l->values[at] <= value)
        return;
    l->is_full = l->count == NEXT;
    for (; at > 0 && l->values[at - 1] > value; at--) {
        l->values[at] = l->values[at - 1];
        l->ages[at] = l->ages[at - 1];
    }
    l->values[at] = value;
    l->ages[at] = age;
}

static int64_t least_spread(const least *l)
{
    return l->values[l->count - 1] - l->values[0];
}

static int64_t older(const least *a, const least *b)
{
    return a->ages[0] > b->ages[0] ? a->ages[0] : b->ages[0];
}

/* ---- the middle ---- */

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Return the median; *out_error: it is off by no more in 99 of 100 cases, as so many values lie between the ranks. */
static int64_t median(int64_t *values, size_t count, int64_t *out_error)
{
    const size_t ranks = (size_t)ceil(RANKS * sqrt((double)count)), middle = count / 2;

    qsort(values, count, sizeof *values, compare);
    *out_error = (values[middle + ranks] - values[middle - ranks]) / 2;
    return values[middle];
}

/* Use the medians' answer in place of the least delays', if it is less uncertain and does not contradict it. */
static void try_medians(const room_estimate *e, size_t count, int64_t now_ns, int64_t drift, int64_t drift_error,
                        room_offset *out)
{
    int64_t most[ROOM_QUESTIONS_MAX], under[ROOM_QUESTIONS_MAX], most_error, under_error, offset, error, ages = 0;

    for (size_t i = 0; i < count; i++) {
        const room_question *q = &e->questions[i];
        const int64_t age = now_ns > q->sent_ns ? now_ns - q->sent_ns : 0;

        most[i] = q->at_most + grown(age, drift);
        under[i] = q->at_least + grown(age, drift);
        ages += age / (int64_t)count;
    }
    offset = median(under, count, &under_error);
    offset += (median(most, count, &most_error) - offset) / 2;
    error = (int64_t)(hypot((double)most_error, (double)under_error) / 2.0) + grown(ages, drift_error) + FLOOR_NS;
    if (error >= out->error_ns || offset - out->offset_ns > out->error_ns || out->offset_ns - offset > out->error_ns)
        return;
    out->offset_ns = offset;
    out->error_ns = error;
}

bool room_estimate_at(const room_estimate *e, int64_t now_ns, room_offset *out)
{
    const size_t count = e->count < ROOM_QUESTIONS_MAX ? (size_t)e->count : ROOM_QUESTIONS_MAX;
    int64_t drift, drift_error, high = INT64_MAX, low = INT64_MIN;
    least most = {0}, under = {0};

    if (count < ROOM_QUESTIONS_MIN)
        return false;
    find_drift(e, &drift, &drift_error);
    out->delay_ns = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const room_question *q = &e->questions[i];
        const int64_t age = now_ns > q->sent_ns ? now_ns - q->sent_ns : 0;
        const int64_t apart = grown(age, ROOM_DRIFT_MAX_PPM * PPB_OF_PPM);

        least_add(&most, q->at_most + grown(age, drift + drift_error), age);
        least_add(&under, -(q->at_least + grown(age, drift - drift_error)), age);
        high = q->at_most + apart < high ? q->at_most + apart : high;
        low = q->at_least - apart > low ? q->at_least - apart : low;
        out->delay_ns = q->at_most - q->at_least < out->delay_ns ? q->at_most - q->at_least : out->delay_ns;
    }
    out->offset_ns = most.values[0] - (most.values[0] + under.values[0]) / 2;
    out->drift_ppb = drift;
    out->error_ns =
        (least_spread(&most) + least_spread(&under)) / 2 + grown(older(&most, &under), drift_error) + FLOOR_NS;
    if (out->error_ns > ROOM_SMALL_NS && count >= ROOM_MEDIAN_MIN)
        try_medians(e, count, now_ns, drift, drift_error, out);
    out->offset_ns = out->offset_ns > high ? high : out->offset_ns < low ? low : out->offset_ns;
    out->bound_ns = high - out->offset_ns > out->offset_ns - low ? high - out->offset_ns : out->offset_ns - low;
    if (out->error_ns > out->bound_ns)
        out->error_ns = out->bound_ns;
    return true;
}
