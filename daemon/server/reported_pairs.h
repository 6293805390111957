/* What a subscription has to know of pairs: which open contact it leaves out or told late, and when the last one that was told
 * ended. Of at most SUBSCRIPTION_PAIRS_MAX pairs, by name; those whose time is over make room, and when there is none the
 * pair goes that was of no use for longest. */
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
    bool is_left_out; /* the contact `id`; else it was told late */
    bool has_parted;
    uint64_t id;       /* of the open contact that is meant; 0: none */
    int64_t parted_ns; /* if has_parted: end of the last contact that was told */
    int64_t used_ns;
    char names[2][REPORTED_NAME_MAX];
} reported_pair;

/** Zero-initialise; finish with reported_pairs_finish(). */
typedef struct reported_pairs {
    reported_pair *all;
    size_t count, capacity;
} reported_pairs;

void reported_pairs_finish(reported_pairs *t);
/** NULL if nothing is known of the two, in whatever order. Valid until the next one is made. */
reported_pair *reported_pairs_find(reported_pairs *t, const char *const names[2]);
/** Makes one if there is none. A parting that is keep_ns old or older need not be remembered. NULL when out of memory. */
reported_pair *reported_pairs_get(reported_pairs *t, const char *const names[2], int64_t now_ns, int64_t keep_ns);

#endif
