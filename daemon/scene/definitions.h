/* What clients had defined at some moment of a recording: the `blade`, `target` and `remove` lines with which a piece
 * that starts there must begin. Forgets blades that are gone, so it grows with the blades that exist, not with the
 * file. */
#ifndef CLASHD_SCENE_DEFINITIONS_H
#define CLASHD_SCENE_DEFINITIONS_H

#include "protocol/recording/recording.h"

typedef struct definition_line {
    char *text;
    char blade[CLASH_BLADE_NAME_MAX]; /* or target; "": never forgotten */
    char device[PROTOCOL_NAME_MAX];
} definition_line;

typedef struct definitions {
    const recording_header *header; /* whose blades exist without a line */
    definition_line *lines;         /* in order */
    size_t count, capacity;
} definitions;

/** Begin empty; `header` must live as long. */
void definitions_init(definitions *k, const recording_header *header);
/** Take an item of kind BLADE, TARGET or REMOVE. Return 0, or -1 when out of memory. */
int definitions_add(definitions *k, const recording_item *item);
void definitions_finish(definitions *k);

#endif
