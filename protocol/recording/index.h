/* Where in a recording its times are, and its blades: filled as the file is read, from its beginning on, so that what has
 * been read once is found again at once. The same memory whatever the file's size: the places that are kept become
 * fewer, not more. Knows no file; its caller reads. */
#ifndef CLASHD_PROTOCOL_RECORDING_INDEX_H
#define CLASHD_PROTOCOL_RECORDING_INDEX_H

#include "recording.h"

/** How many changes of blades (definitions, removals) are remembered, and how many bytes of their lines: a seek then
 *  needs not read them again. */
#define RECORDING_INDEX_CHANGES_MAX 2048
#define RECORDING_INDEX_TEXT_MAX (16u << 20)

typedef struct recording_index recording_index;

/** Return NULL when out of memory. */
recording_index *recording_index_create(void);
void recording_index_destroy(recording_index *index);

/** Note an item and where its line begins. Call it for every item in the file's order, without a gap; items that are
 *  noted already are ignored. */
void recording_index_note(recording_index *index, const recording_place *place, const recording_item *item);

/** A place before which all poses are earlier than time_ns, as late as any that is kept; and how many changes of blades
 *  come before it. Return NULL if nothing has been noted. Valid until the next note. */
const recording_place *recording_index_find(const recording_index *index, int64_t time_ns, size_t *out_changes);

/** The lines of the definitions that hold after the first so many changes, in order, at most RECORDING_INDEX_CHANGES_MAX;
 *  returns how many. They are the index's. */
size_t recording_index_blades(const recording_index *index, size_t changes, const char **out_lines);

/** There are more changes of blades than are remembered. */
bool recording_index_is_overfull(const recording_index *index);
/** Of the poses noted so far; false if there are none. */
bool recording_index_times(const recording_index *index, int64_t *out_first_ns, int64_t *out_last_ns);

#endif
