/* See answer.h. */
#include "mesh/answer.h"

#include <stdio.h>

#define FAIL(...) (snprintf(out_problem, size, __VA_ARGS__), false)
#define NOT_UNDERSTOOD "its reader is not understood: "

bool answer_is_whole(const answer *a)
{
    char *place;

    return a->received >= sizeof a->header &&
           frame_answer_place(&a->surface, a->received - sizeof a->header, &place) == 0;
}

size_t answer_room(answer *a, char **out_place)
{
    static char excess[1];
    size_t room;

    if (a->received < sizeof a->header) {
        *out_place = (char *)&a->header + a->received;
        return sizeof a->header - (size_t)a->received;
    }
    room = frame_answer_place(&a->surface, a->received - sizeof a->header, out_place);
    if (room > 0)
        return room;
    *out_place = excess;
    return sizeof excess;
}

static bool take_header(answer *a, const surface_request *request, char *out_problem, size_t size)
{
    char reason[SURFACE_MESSAGE_MAX - 64];

    if (!frame_answer_check(&a->header, request, reason, sizeof reason))
        return FAIL(NOT_UNDERSTOOD "%s", reason);
    if (a->header.message[0])
        return FAIL("%s", a->header.message);
    return frame_answer_make_room(&a->header, &a->surface) ? true : FAIL("takes more memory than there is");
}

bool answer_take(answer *a, const surface_request *request, size_t count, char *out_problem, size_t size)
{
    if (count > 0 && answer_is_whole(a))
        return FAIL(NOT_UNDERSTOOD "it said more than it announced");
    a->received += count;
    return a->received != sizeof a->header || count == 0 || take_header(a, request, out_problem, size);
}
