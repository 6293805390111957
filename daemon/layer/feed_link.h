/* The way from a game's frame to clashd: a ring of fixed size, and a thread that empties it as soon as a frame is in it. The frame copies
 * some bytes, and wakes the thread if that has not foreseen it (frame_forecast.h). If the machine is so busy that the thread is late
 * again and again, the frame sends by itself, if the connection is free and the feed stands: none of that blocks or allocates. All
 * else is the thread's: it connects, asks, reads and waits. clashd missing, slow, stopped or refusing means that frames are dropped
 * here and that the thread tries again later. */
#ifndef CLASHD_LAYER_FEED_LINK_H
#define CLASHD_LAYER_FEED_LINK_H

#include <clash/pose.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define FEED_HANDS 2
#define FEED_SPACE_MAX 64

typedef struct feed_pose {
    clash_pose pose; /* space from grip, m */
    bool is_valid, is_tracked;
} feed_pose;

/** One frame of the game. */
typedef struct feed_frame {
    int64_t time_ns;            /* CLOCK_MONOTONIC at which it is to be seen */
    bool is_end;                /* the feed ends: no frame, the rest is unused */
    bool is_overlay;            /* the program draws over another one */
    bool is_cut;                /* nothing moved from the frame before to this one: the frame of reference is another */
    bool has_stage;             /* the runtime knows where STAGE lies */
    clash_pose stage;           /* space from STAGE, m */
    char space[FEED_SPACE_MAX]; /* the game's frame of reference in words */
    feed_pose hands[FEED_HANDS];
} feed_frame;

/** A haptic pulse for one hand. */
typedef struct feed_pulse {
    int hand;
    float amplitude;     /* 0 to 1 */
    int64_t duration_ns; /* 1 to 1,000,000,000 */
    int64_t came_ns;     /* CLOCK_MONOTONIC */
} feed_pulse;

typedef struct feed_link feed_link;

/** Start the thread, which connects to where clashd listens by default, or to CLASHD_SOCKET. Return NULL if that fails. */
feed_link *feed_link_create(void);
/** End the thread, which waits for nothing, and the connection. NULL is allowed. */
void feed_link_destroy(feed_link *link);
/** Hand a frame on to the thread, or send it, or drop it and return false if there is no room. Neither blocks nor allocates; one thread
 *  at a time. */
bool feed_link_put(feed_link *link, const feed_frame *frame);
/** The next pulse, but for those that have waited too long to belong to what is seen now; false: there is none. Neither blocks
 *  nor allocates; one thread at a time. */
bool feed_link_take_pulse(feed_link *link, feed_pulse *out_pulse);
/** CLOCK_MONOTONIC, ns. */
static inline int64_t feed_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
