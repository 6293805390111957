/* Finds a table's entry by its key in constant time, however many there are. Holds ids only: hashes and keys are asked of
 * the table's owner. What comes and goes for ever costs no more than what stays. */
#ifndef CLASHD_PIPELINE_LOOKUP_H
#define CLASHD_PIPELINE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Given for "no such entry". */
#define LOOKUP_NONE UINT32_MAX

typedef struct lookup {
    /** The hash of an entry's key, and whether an entry has a key. */
    uint32_t (*hash)(const void *owner, uint32_t id);
    bool (*has_key)(const void *owner, uint32_t id, const void *key);
    const void *owner;
    uint32_t *places; /* ids, or LOOKUP_NONE */
    uint32_t mask;    /* places - 1; 0: none yet */
    uint32_t count;
} lookup;

void lookup_finish(lookup *l);

/** The id with that key, whose hash is given. */
uint32_t lookup_find(const lookup *l, uint32_t hash, const void *key);
/** Enters an id whose key is in place and not yet known. -1 when out of memory. */
int lookup_add(lookup *l, uint32_t id);
/** Takes out an id whose key is still in place. */
void lookup_remove(lookup *l, uint32_t id);

/** Of a string. */
uint32_t lookup_hash_name(const char *name);

#endif
