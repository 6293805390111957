/* Find a table's entry by its key in constant time, however many there are. Holds only ids and asks the table's owner
 * for hashes and keys. Entries that come and go for ever cost no more than entries that stay. */
#ifndef CLASHD_PIPELINE_LOOKUP_H
#define CLASHD_PIPELINE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** "No such entry". */
#define LOOKUP_NONE UINT32_MAX

typedef struct lookup {
    /** Return the hash of an entry's key; and whether an entry has a key. */
    uint32_t (*hash)(const void *owner, uint32_t id);
    bool (*has_key)(const void *owner, uint32_t id, const void *key);
    const void *owner;
    uint32_t *places; /* ids, or LOOKUP_NONE */
    uint32_t mask;    /* places - 1; 0: none yet */
    uint32_t count;
} lookup;

void lookup_finish(lookup *l);

/** Return the id with that key, whose hash is given. */
uint32_t lookup_find(const lookup *l, uint32_t hash, const void *key);
/** Add an id whose key is in place and not in the table yet. Return -1 when out of memory. */
int lookup_add(lookup *l, uint32_t id);
/** Remove an id whose key is still in place. */
void lookup_remove(lookup *l, uint32_t id);

/** Return the hash of a string. */
uint32_t lookup_hash_name(const char *name);

#endif
