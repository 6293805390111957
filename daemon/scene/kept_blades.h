/* What clients had defined at some moment of a recording: the `blade`, `target` and `remove` lines that a piece that begins there has
 * to begin with. Blades that are gone are forgotten, so that it grows with those that are there and not with the file. */
#ifndef CLASHD_SCENE_KEPT_BLADES_H
#define CLASHD_SCENE_KEPT_BLADES_H

#include "protocol/recording/recording.h"

typedef struct kept_line {
    char *text;
    char blade[CLASH_BLADE_NAME_MAX]; /* or target; "": it is none's that can be forgotten */
    char device[PROTOCOL_NAME_MAX];
} kept_line;

typedef struct kept_blades {
    const recording_header *header; /* whose blades are there without a line */
    kept_line *lines;               /* in order */
    size_t count, capacity;
} kept_blades;

/** `header` must live as long. */
void kept_blades_init(kept_blades *k, const recording_header *header);
/** Takes an item of kind BLADE, TARGET or REMOVE. 0, or -1 when out of memory. */
int kept_blades_add(kept_blades *k, const recording_item *item);
void kept_blades_finish(kept_blades *k);

#endif
