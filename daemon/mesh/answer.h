/* The helper's answer as it arrives: in pieces of any length, and not trusted. */
#ifndef CLASHD_MESH_ANSWER_H
#define CLASHD_MESH_ANSWER_H

#include "mesh/frame.h"

/** Zero-initialise. Owns what is in `surface`, once the header has come: surface_finish. */
typedef struct answer {
    frame_answer header;
    uint64_t received; /* bytes of the header and what follows it */
    surface surface;   /* its numbers are still unchecked: frame_surface_check */
} answer;

/** Return where the next bytes belong, and how many at most: never 0. */
size_t answer_room(answer *a, char **out_place);
/** Take `count` bytes that were put there. Return false with what is wrong in out_problem, one line: what the helper says of
 *  the file, or what is wrong with the answer. Then put nothing more there. */
bool answer_take(answer *a, const surface_request *request, size_t count, failure *out_problem);
/** Return whether everything announced has come. */
bool answer_is_whole(const answer *a);

#endif
