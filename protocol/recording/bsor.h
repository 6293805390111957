/* Reads Beat Saber's open replays (BSOR, version 1: https://github.com/BeatLeader/BS-Open-Replay): where head and sabers
 * were, frame by frame. Who played, what and with which settings is passed over. The whole file is checked before the
 * first frame is given; memory is the same whatever a file says of itself. Blocking file I/O. */
#ifndef CLASHD_PROTOCOL_RECORDING_BSOR_H
#define CLASHD_PROTOCOL_RECORDING_BSOR_H

#include "cli/failure.h"
#include "protocol/messages/codec.h"

typedef struct bsor bsor;

enum bsor_device { BSOR_HEAD, BSOR_LEFT, BSOR_RIGHT, BSOR_DEVICES };

typedef struct bsor_frame {
    int64_t time_ns;                /* of play since the beginning of the song; not before that of the frame before */
    clash_pose poses[BSOR_DEVICES]; /* OpenXR's axes; of a hand: of its saber, whose blade is along -z */
    bool valid[BSOR_DEVICES];       /* else a number was not finite */
    bool is_resumed;                /* play was paused between the frame before and this one */
} bsor_frame;

typedef struct bsor_counters {
    uint64_t frames;     /* in the file; of which: */
    uint64_t repeated;   /* given, with the time of the one before */
    uint64_t backward;   /* left out: their time is before that of one before */
    uint64_t timeless;   /* left out: their time is none */
    uint64_t not_finite; /* poses given as not valid */
} bsor_counters;

typedef enum bsor_result { BSOR_FRAME, BSOR_END, BSOR_ERROR } bsor_result;

/** By its first bytes; false for anything that is no file. */
bool bsor_is_one(const char *path);
/** Read it through. `path` outlives it. Return NULL with a message in out_failure: file, byte, what was expected. */
bsor *bsor_open(const char *path, failure *out_failure);
/** The next frame; BSOR_ERROR, with a message, if the file has changed meanwhile. */
bsor_result bsor_next(bsor *b, bsor_frame *out_frame, failure *out_failure);
/** Of what has been given so far; `frames` of the whole file. */
const bsor_counters *bsor_get_counters(const bsor *b);
/** Return how much faster than by the clock the song was played: frames' times have been divided by it. */
double bsor_get_song_speed(const bsor *b);
/** Accept NULL. */
void bsor_close(bsor *b);

#endif
