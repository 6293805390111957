/* By how much the room's clock is ahead of one's own, from questions and answers over a network that delays each as it likes: how much,
 * how that grows, by how much both may be wrong. Pure: times are arguments. */
#ifndef CLASHD_SOURCES_PEER_ROOM_ESTIMATE_H
#define CLASHD_SOURCES_PEER_ROOM_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How many questions count for the offset, how many it needs, and how many the medians need. */
#define ROOM_QUESTIONS_MAX 256
#define ROOM_QUESTIONS_MIN 8
#define ROOM_MEDIAN_MIN 64
/** An error that is small enough. */
#define ROOM_SMALL_NS INT64_C(1000000)
/** Ignore answers that took longer. */
#define ROOM_ANSWER_MAX_NS INT64_C(5000000000)
/** Clocks run apart by no more than the first, millionths, in 99 of 100 cases; by no more than the other one ever: the kernel slews so. */
#define ROOM_DRIFT_PPM 100
#define ROOM_DRIFT_MAX_PPM 500
/** How many spans of what length the growth needs. */
#define ROOM_SPANS_MAX 32
#define ROOM_SPANS_MIN 5
#define ROOM_SPAN_NS INT64_C(2000000000)

/** What an answer told of the offset. */
typedef struct room_question {
    int64_t sent_ns;           /* by one's own clock */
    int64_t at_most, at_least; /* received - sent, answered - come, ns */
} room_question;

/** Zero-initialise. */
typedef struct room_estimate {
    room_question questions[ROOM_QUESTIONS_MAX]; /* number i at i % MAX */
    uint64_t count;                              /* ever */
    room_question span;                          /* the least and most of it so far */
    bool has_span;
    struct {
        int64_t at_ns, offset_ns;
    } spans[ROOM_SPANS_MAX];
    uint64_t span_count;
    int64_t least_ns; /* of all that count now: there and back */
} room_estimate;

/** What is known of the offset. */
typedef struct room_offset {
    int64_t offset_ns; /* room minus own, at the time that was asked for */
    int64_t drift_ppb; /* by which it grows, thousandths of a millionth */
    int64_t
        error_ns; /* it is wrong by no more in 99 of 100 cases, if delays are alike both ways: the least ones, or their medians */
    int64_t bound_ns; /* it is wrong by no more, however the delays are */
    int64_t delay_ns; /* the least one, there and back */
} room_offset;

/** Take an answer: sent and come by one's own clock, received and answered by the room's. Return false if that is impossible, or took too
 *  long: nothing is taken then. What was known is forgotten if one of the clocks must have leapt since. */
bool room_estimate_add(room_estimate *e, int64_t sent_ns, int64_t received_ns, int64_t answered_ns, int64_t come_ns);
/** Return false if too little is known. */
bool room_estimate_at(const room_estimate *e, int64_t now_ns, room_offset *out);

#endif
