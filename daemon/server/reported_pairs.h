/* What a subscription must know of pairs: which open contact it leaves out or reported late, and when the last reported
 * one ended. Holds at most SUBSCRIPTION_PAIRS_MAX pairs, by name; expired ones make room, else the pair unused for
 * longest is dropped. */
#ifndef CLASHD_SERVER_REPORTED_PAIRS_H
#define CLASHD_SERVER_REPORTED_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUBSCRIPTION_PAIRS_MAX 1024
/** A blade's or target's name, with the terminating zero. */
#define REPORTED_NAME_MAX 64

typedef struct reported_pair {
    uint32_t hash;
    bool is_left_out; /* the contact `id` is left out; else it was reported late */
    bool has_parted;
    float late_speed;  /* if it was reported late: the closing speed then, m/s */
    uint64_t id;       /* of the open contact that is meant; 0: none */
    int64_t parted_ns; /* if has_parted: end of the last reported contact */
    int64_t used_ns;
    char names[2][REPORTED_NAME_MAX];
} reported_pair;

/** Zero-initialise; finish with reported_pairs_finish(). */
typedef struct reported_pairs {
    reported_pair *all;
    size_t count, capacity;
} reported_pairs;

void reported_pairs_finish(reported_pairs *t);
/** Return what is known of the two names, in either order, or NULL. Valid until the next pair is made. */
reported_pair *reported_pairs_find(reported_pairs *t, const char *const names[2]);
/** Find or make the pair. Releases keep_ns ago or older need not be remembered. Return NULL when out of memory. */
reported_pair *reported_pairs_get(reported_pairs *t, const char *const names[2], int64_t now_ns, int64_t keep_ns);

#endif
