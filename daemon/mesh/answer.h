/* What the helper says, as it comes: in pieces of any length, and not believed. */
#ifndef CLASHD_MESH_ANSWER_H
#define CLASHD_MESH_ANSWER_H

#include "mesh/frame.h"

/** Begins with zeros. Of its own is what is in `surface`, once the header has come: surface_finish. */
typedef struct answer {
    frame_answer header;
    uint64_t received; /* bytes, of the header and what follows it */
    surface surface;   /* its numbers are still to be looked at: frame_surface_check */
} answer;

/** Where the next bytes belong, and how many at most: never 0. */
size_t answer_room(answer *a, char **out_place);
/** After so many have been put there. False with what is wrong in out_problem, one line: what the file's reader says of it, or of
 *  its reader. Then nothing more may be put there. */
bool answer_take(answer *a, const surface_request *request, size_t count, failure *out_problem);
/** Whether all has come that was announced. */
bool answer_is_whole(const answer *a);

#endif
