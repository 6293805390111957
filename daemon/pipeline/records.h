/* The pairs that are kept from step to step: those in contact, and few others. Found by their two blades. */
#ifndef CLASHD_PIPELINE_RECORDS_H
#define CLASHD_PIPELINE_RECORDS_H

#include "pipeline/lookup.h"
#include "pipeline/pairs.h"

typedef struct record {
    uint32_t blades[2]; /* slots; the first was added earlier */
    pair pair;
} record;

typedef struct records {
    record *all; /* in no order */
    uint32_t count, capacity;
    lookup index;
} records;

void records_init(records *r);
void records_finish(records *r);

/** NULL where that pair is not kept. Valid until the next one is added or removed. */
record *records_find(const records *r, const uint32_t slots[2]);
/** Keeps a pair that is not kept yet; copied. NULL when out of memory. */
record *records_add(records *r, const uint32_t slots[2], const pair *from);
void records_remove(records *r, record *gone);

#endif
