/* Random input like a player's fingers on the keys: some time this way, some time that way, now and then a jump. */
#ifndef WANDERER_H
#define WANDERER_H

#include "walker.h"

typedef struct wanderer {
    uint64_t state; /* the seed */
    int frames;     /* until it thinks again */
    walker_wish wish;
} wanderer;

/** splitmix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014). */
static inline uint64_t wanderer_bits(wanderer *w)
{
    uint64_t z = w->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** -1 to 1. */
static inline float wanderer_any(wanderer *w)
{
    return (float)(wanderer_bits(w) >> 40) * 0x1p-23f - 1.0f;
}

/** Up to 8 m/s along either axis. */
static inline walker_wish wanderer_next(wanderer *w)
{
    if (w->frames-- <= 0) {
        w->frames = 20 + (int)(wanderer_bits(w) % 160);
        w->wish.x = 8.0f * wanderer_any(w);
        w->wish.z = 8.0f * wanderer_any(w);
    }
    w->wish.jump = wanderer_bits(w) % 40 == 0;
    return w->wish;
}

#endif
