/* The clock a recording is played by: from the machine's time to the recording's, at any speed, with pauses. Pure: reads no
 * clock. Due times come from where it was last set, not from the item before, so that errors do not add up. */
#ifndef CLASHD_SOURCES_REPLAY_CLOCK_H
#define CLASHD_SOURCES_REPLAY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct replay_clock {
    double speed; /* recorded seconds a second, > 0; 0: as fast as possible, and then it does not tell the time */
    bool is_paused;
    int64_t file_ns;  /* the recording's time.. */
    uint64_t wall_ns; /* .. at this one of the machine */
} replay_clock;

/** From now on it is file_ns. */
void replay_clock_set(replay_clock *c, int64_t file_ns, uint64_t now_ns);
/** The recording's time now; with speed 0 if it was set. */
int64_t replay_clock_now(const replay_clock *c, uint64_t now_ns);
/** When it will be file_ns by the machine: 0 if that is past or speed is 0, UINT64_MAX while it is paused. */
uint64_t replay_clock_due_ns(const replay_clock *c, int64_t file_ns);
void replay_clock_pause(replay_clock *c, uint64_t now_ns);
void replay_clock_resume(replay_clock *c, uint64_t now_ns);
/** The recording's time goes on without a jump. */
void replay_clock_set_speed(replay_clock *c, double speed, uint64_t now_ns);
/** From then until now, no time has passed for the recording. */
void replay_clock_stood(replay_clock *c, uint64_t since_ns, uint64_t now_ns);

#endif
