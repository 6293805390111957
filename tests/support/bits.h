/* Answers of libclash as bits: compared and hashed field by field, since padding between fields means nothing. 0 and -0
 * differ, a NaN equals itself. */
#ifndef CLASHD_TESTS_BITS_H
#define CLASHD_TESTS_BITS_H

#include <clash/contact.h>
#include <string.h>

#include "support/impact.h"

/* A contact without the padding at its end. */
#define BITS_CONTACT (offsetof(clash_contact, along) + sizeof((clash_contact *)0)->along)

static inline bool bits_same(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static inline bool bits_float_same(float a, float b)
{
    return bits_same(&a, &b, sizeof a);
}

static inline bool bits_contact_same(const clash_contact *a, const clash_contact *b)
{
    return memcmp(a, b, BITS_CONTACT) == 0;
}

static inline bool bits_output_same(const clash_toi_output *a, const clash_toi_output *b)
{
    return bits_contact_same(&a->contact, &b->contact) && a->triangle == b->triangle &&
           bits_same(&a->surface_normal, &b->surface_normal, sizeof a->surface_normal) && a->parts[0] == b->parts[0] &&
           a->parts[1] == b->parts[1];
}

static inline bool bits_change_same(const clash_contact_change *a, const clash_contact_change *b)
{
    return a->kind == b->kind && bits_output_same(&a->impact, &b->impact) &&
           bits_float_same(a->min_distance, b->min_distance);
}

/** FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 64 bits. Begin with BITS_HASH_EMPTY. */
#define BITS_HASH_EMPTY UINT64_C(0xcbf29ce484222325)

static inline uint64_t bits_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t bits_hash_contact(uint64_t hash, const clash_contact *c)
{
    return bits_hash(hash, c, BITS_CONTACT);
}

#endif
